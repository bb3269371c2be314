"""The steps of the table, as they are built for a cell's model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm
from pymc_bnn import samplers
from pymc_bnn.samplers.batch.chains import BatchOfChains
from pymc_bnn.samplers.batch.network.registers import WIDTH
from pymc_bnn.samplers.pymc_steps import BlockedStep

from tests.samplers.table.declaration import BATCHES, COLLAPSED, SPLITS, SWEEPS, Cell

Point = dict[str, np.ndarray]

# Errors of single moves add up over a few short ones. Long ones that nearly draw anew would hide
# whatever depends on where they begin.
ROUNDS, THIN = 4, 12


def build_steps(cell: Cell, model: pm.Model) -> list[BlockedStep]:
    """Build all steps of a cell."""
    if cell.step == "GibbsPrecision, StaticHMC":
        return [samplers.GibbsPrecision(model=model), build_trajectories(cell, model)]
    return [build_trajectories(cell, model)]


def build_trajectories(cell: Cell, model: pm.Model) -> BlockedStep:
    """Build the step of a cell that follows trajectories."""
    step, given = cell.step, {"model": model}
    everything: Any = list(model.value_vars)
    sweeps: Any = {"n_leapfrog": 2, "step_scale": 0.6, "thin": THIN, **given}
    adapt: Any = {"step_sizes": "adapt", **given}
    if step == "GibbsPrecision, StaticHMC":
        if cell.structure == "shared scale":
            return samplers.StaticHMC(None, 3, 0.15, **adapt)
        return samplers.StaticHMC(None, 2, 0.6, **given)
    if step.startswith("GibbsHMC"):
        return samplers.GibbsHMC(collapse=step in COLLAPSED, **sweeps)
    if step.startswith("SplitLeapfrog"):
        if cell.structure == "no biases":  # a single large step shows which block moves first
            return samplers.SplitLeapfrog(1, 1.2, thin=3 * THIN, **given)
        return samplers.SplitLeapfrog(2, 0.55, thin=THIN, **given)
    if step == "StaticHMC":
        return samplers.StaticHMC(everything, 3, 0.3, **adapt)
    if step == "StaticHMC, windows":
        return samplers.StaticHMC(everything, 6, 0.3, window=3, **adapt)
    if step == "NUTS":
        return samplers.NUTS(everything, 0.8, 4, step_scale=0.2, **given)
    if step == "XHMC":
        return samplers.XHMC(everything, 0.5, max_treedepth=4, step_scale=0.2, **given)
    biased = {"SGLD": samplers.SGLD, "SGHMC": samplers.SGHMC}[step]
    return biased(1e-4, batch_size=3, **given)


def set_up(steps: Sequence[BlockedStep], rng: np.random.Generator) -> None:
    """Begin a chain of each step, after warm-up."""
    for step, child in zip(steps, rng.spawn(len(steps)), strict=True):
        step.setup_chain(child, tune=0, draws=1)
        step.stop_tuning()


def move(cell: Cell, steps: Sequence[Any], point: Point, rng: np.random.Generator) -> list[Point]:
    """Move a point by the steps; a batch returns where each of its chains ends."""
    if cell.step in BATCHES:
        [step] = steps
        batch = BatchOfChains(step, [point] * WIDTH, rng.spawn(WIDTH), 0, 1)
        list(batch.blocks())
        records = batch.records
        return [
            step.conditional.layout.unravel(q, step.precisions.unravel(log_precision, point))
            for q, log_precision in zip(records.q[:, -1], records.log_precision[:, -1], strict=True)
        ]
    for step in [*steps] * (1 if cell.step in (*SWEEPS, *SPLITS) else ROUNDS):
        point, _ = step.step(point)
    return [point]

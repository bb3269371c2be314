"""Single against double precision along the same trajectories (Lau 2018, 4.10)."""

from typing import Any

import numpy as np
import xarray as xr

from ....samplers import GibbsPrecision, StaticHMC
from ....samplers.starts import dispersed_starts
from ..design.declarations import Network
from ..design.digits import digits
from ..design.experiments import NIG, NORMAL
from .casting import Posterior, cast_differences
from .steps import build_network

NETWORKS = {"normal": Network((NORMAL, NORMAL)), "normal_inverse_gamma": Network((NORMAL, NIG))}
PRINTED = {"normal": "less than 1e-5 on average", "normal_inverse_gamma": "on the order of 1e-2"}
N_LEAPFROG = 100
STEP_SCALE = 0.2
MOST_CAST = 40  # trajectories in Python
EVERY = 2  # trajectories from one start of a comparison to the next


def energy_differences(
    name: str, comparisons: int, burn_in: int, n_leapfrog: int = N_LEAPFROG, seed: int = 0
) -> xr.Dataset:
    r"""Run the same trajectories in both precisions, from states of the posterior.

    Parameters
    ----------
    name : {"normal", "normal_inverse_gamma"}
        Prior of the output weights.
    comparisons : int
        How many trajectories.
    burn_in : int
        Trajectories before the first of them.
    n_leapfrog : int
        Leapfrog steps of each.
    seed : int
        Same seed, same trajectories.

    Returns
    -------
    Dataset
        ``difference`` of the Hamiltonians at the end, :math:`H_d - H_f`, and ``energy_error`` of
        the one in double precision, along ``trajectory``; ``cast_difference``: the same where
        positions, momenta and sums are in single precision too, of trajectories with unit masses
        that move a precision with the weights (:mod:`.casting`).
    """
    model = build_network(NETWORKS[name])
    steps = {
        precision: StaticHMC(
            n_leapfrog=n_leapfrog, step_scale=STEP_SCALE, precision=precision, model=model
        )
        for precision in ("float64", "float32")
    }
    rng = np.random.default_rng(seed)
    others: list[Any] = [GibbsPrecision(model=model)] if model.priors["w1"] is NIG else []
    moving = [*others, steps["float64"]]
    for step in (*moving, steps["float32"]):
        step.setup_chain(rng, tune=0, draws=comparisons)
    point = _start(model, rng)
    rows, starts = [], []
    for i in range(burn_in + comparisons * EVERY):
        if i >= burn_in and (i - burn_in) % EVERY == 0:
            rows.append([_energy_error(step, point, [seed, i]) for step in steps.values()])
            starts.append(whole_start(point, np.random.default_rng([seed, i, 1])))
        for step in moving:
            point, _ = step.step(point)
    double, single = np.array(rows).T
    data = digits(NETWORKS[name].inputs)
    posterior = Posterior(data.X, data.y, bool(others))
    cast = cast_differences(posterior, starts[:: -(-comparisons // MOST_CAST)], n_leapfrog)
    return xr.Dataset(
        {
            "difference": ("trajectory", double - single),
            "energy_error": ("trajectory", double),
            "cast_difference": ("cast_trajectory", cast),
        }
    )


def whole_start(
    point: dict[str, np.ndarray], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Position and fresh momentum of a state, with output weights over their scale."""
    log_precision = point.get("w1_precision_log__")
    scale = 1.0 if log_precision is None else np.exp(-0.5 * log_precision)
    parts = [point["w0"].ravel(), (point["w1"] / scale).ravel()]
    if log_precision is not None:
        parts.append(np.atleast_1d(log_precision))
    q = np.concatenate(parts)
    return q, rng.standard_normal(q.size)


def _start(model: Any, rng: np.random.Generator) -> dict[str, np.ndarray]:
    [start] = dispersed_starts(model, 1, rng)
    return {**model.initial_point(), **start}


def _energy_error(step: StaticHMC, point: dict[str, np.ndarray], seed: list[int]) -> float:
    """Energy error at the end of a trajectory whose momentum follows from a seed."""
    step.rng, before = np.random.default_rng(seed), step.rng
    _, [stats] = step.step({name: value.copy() for name, value in point.items()})
    step.rng = before
    return float(stats["energy_error"])

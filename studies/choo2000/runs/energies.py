"""Total energy along trajectories of Dynamical B (Choo 2000, 6.2.1, Figures 6.3 and 6.4)."""

from pathlib import Path

import numpy as np
import xarray as xr

from ....samplers import SplitLeapfrog
from ....samplers.sweeps.split.state import new_state
from ....samplers.sweeps.split.trajectory import WEIGHTS_FIRST, compile_split_path
from ...reproduction.units import Unit, load_unit
from ..design.budgets import SECONDS_TO_START, Budget
from ..design.network import choo_network
from .chains import start_points
from .trials import master_key

WIDTH, STEP_SCALE, STEPS, EVERY = 8, 0.04, 20_000, 100
TRAJECTORIES = 50


def energy_paths(folder: Path, steps: int, seed: tuple[int, ...]) -> xr.Dataset:
    """Follow trajectories from one start state with different momenta.

    Parameters
    ----------
    folder : Path
        Where the master runs are.
    steps : int
        Leapfrog steps of each.
    seed : tuple of int
        Same seed, same trajectories.

    Returns
    -------
    Dataset
        ``energy`` along ``trajectory`` and ``step``, undefined after a trajectory broke off.
    """
    model = choo_network(WIDTH, "noncentered")
    step = SplitLeapfrog(1, STEP_SCALE, model=model)
    path = compile_split_path(step.centered)
    start = start_points(model, load_unit(folder, master_key(WIDTH), "starts"))[0]
    energies = np.empty((TRAJECTORIES, 1 + steps // EVERY))
    for row, rng in zip(energies, np.random.default_rng(seed).spawn(TRAJECTORIES), strict=True):
        position, log_precision, _, data = step.arrays(start)
        state = new_state(position, log_precision, 1)
        state.momentum[:] = rng.standard_normal(position.size)
        state.hyper_momentum[:] = rng.standard_normal(log_precision.size)
        path(state, EVERY, WEIGHTS_FIRST, step.setting(STEP_SCALE), row, data)
    at = EVERY * np.arange(energies.shape[1])
    return xr.Dataset({"energy": (("trajectory", "step"), energies)}, coords={"step": at})


def energy_units(folder: Path, budget: Budget, seed: int) -> list[Unit]:
    """Declare the trajectories.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.choo2000.runs.energies import energy_units
    >>> [unit.key for unit in energy_units(Path(), BUDGETS["smoke"], 0)]
    ['energies']
    """
    if budget.repeats == 0:
        return []
    steps = STEPS if budget.repeats > 1 else STEPS // 10
    seconds = 10 * SECONDS_TO_START + TRAJECTORIES * steps * 3e-6
    return [Unit("energies", energy_paths, (folder, steps, (seed, WIDTH)), seconds)]

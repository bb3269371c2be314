"""How fast the runs of experiment 2 move in their hyperparameters."""

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ..design.budgets import Budget
from ..design.networks import LARGE, SETS, data_set
from ..design.schedules import COOLING, COOLING_SPREAD, COOLING_STEP, Cell, scaled
from .chains import LEVEL, Run, run, weights
from .cooling import LAST
from .predicting import effective, outputs
from .tightness import PRIOR


def count_effective(number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Cool a network as :func:`.cooling.sample_cooled` does, and look at its hyperparameters.

    Returns
    -------
    Dataset
        ``effective`` draws among the last ones, median over the three scales and the noise, whose
        precision is integrated out and drawn from its conditional; and ``seconds``.
    """
    schedule = scaled(COOLING, budget.share)
    cell = Cell(True, COOLING_STEP, COOLING_SPREAD)
    with threadpool_limits(1, user_api="blas"):
        given = (schedule, cell, budget.leapfrogs, [seed, number])
        found = run("hamiltonian", LARGE, number % SETS, *given)
        moves = effective_of_runs(found, number % SETS, np.random.default_rng([seed, number, 5]))
    return xr.Dataset({"set": number % SETS, "effective": moves, "seconds": found.seconds})


def effective_of_runs(found: Run, number: int, rng: np.random.Generator) -> float:
    """Effective draws of the hyperparameters at the end of a run, median."""
    kept = slice(-max(2, round(LAST * len(found.accepted))), None)
    levels = {name: values[kept] for name, values in found.levels.items()}
    scales = [values for name, values in levels.items() if name.endswith(LEVEL)]
    arm = data_set(LARGE[1], number)
    errors = outputs(weights(levels), arm.X) - arm.y.to_numpy()
    squares = (errors**2).sum(axis=(1, 2))
    noise = rng.gamma((PRIOR + arm.y.size) / 2, 2 / (PRIOR + squares))
    return float(np.median([effective(values) for values in (*scales, noise)]))

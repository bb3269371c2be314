"""Trajectories from where the initial phase ends: errors in the energy, and one long one."""

from pathlib import Path

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ....samplers.trajectories.paths import compile_path
from ..design.budgets import Budget
from ..design.networks import LARGE, QUANTITIES, quantities
from ..design.settings import ETA
from .chains import plain, prepare, state
from .initial import initial_key

LEAPFROGS = 100  # of a trajectory of Fig. 3.3, and between points of Fig. 3.4
LOWEST, HIGHEST = 0.05, 1.0  # step size adjustment factors
SEGMENTS = 100  # of the long trajectory


def look_at_errors(number: int, folder: Path, budget: Budget, seed: int) -> xr.Dataset:
    """Follow trajectories of random step sizes (Fig. 3.3).

    Returns
    -------
    Dataset
        ``eta`` and ``error``, the change of the total energy, by ``trajectory``.
    """
    with threadpool_limits(1, user_api="blas"):
        (step,), point = plain(LARGE, LEAPFROGS, 1), state(folder, initial_key(number))
        prepare(LARGE, number)
        rng = np.random.default_rng([seed, number, LEAPFROGS])
        eta = np.exp(rng.uniform(np.log(LOWEST), np.log(HIGHEST), budget.errors))
        step.setup_chain(rng, 0, budget.errors)
        errors = []
        for step.step_scale in eta:
            point, (found,) = step.step(point)
            errors.append(found["energy_error"])
        step.step_scale = ETA
    return xr.Dataset({"eta": ("trajectory", eta), "error": ("trajectory", np.array(errors))})


def follow_one(number: int, folder: Path, seed: int) -> xr.Dataset:
    """Follow one trajectory of 10 000 leapfrogs (Fig. 3.4).

    Returns
    -------
    Dataset
        ``found``, the quantities by ``segment`` of 100 leapfrogs and ``quantity``.
    """
    with threadpool_limits(1, user_api="blas"):
        follow, point = compile_path(prepare(LARGE, number)), state(folder, initial_key(number))
        rng = np.random.default_rng([seed, number, SEGMENTS])
        rows = [quantities(one) for one in follow(point, ETA, rng, LEAPFROGS, SEGMENTS)]
    return xr.Dataset({"found": (("segment", "quantity"), rows)}, {"quantity": list(QUANTITIES)})

"""The sampling phase: super-transitions of 32 000 leapfrogs in trajectories of several lengths."""

from pathlib import Path

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ..design.budgets import Budget
from ..design.networks import LARGE, QUANTITIES
from ..design.settings import SUPER
from .chains import follow, plain, prepare, state
from .initial import initial_key


def sampling_key(number: int, length: int, woven: bool) -> str:
    """Name the result of a chain of the sampling phase."""
    return f"sampling-{'woven' if woven else 'plain'}-{length}-{number}"


def run_sampling(
    number: int, length: int, woven: bool, folder: Path, budget: Budget, seed: int
) -> xr.Dataset:
    """Continue a run of the initial phase with trajectories of one length.

    Returns
    -------
    Dataset
        ``found``, the quantities by ``transition`` and ``quantity``; ``acceptance``, ``seconds``
        and ``gradients``.
    """
    leapfrogs = round(SUPER * budget.leapfrogs)
    steps = min(length, leapfrogs)
    thin, draws = max(1, leapfrogs // steps), budget.woven if woven else budget.later
    with threadpool_limits(1, user_api="blas"):
        chain = plain(LARGE, steps, thin, woven)
        prepare(LARGE, number)
        rng = np.random.default_rng([seed, number, length, int(woven)])
        one = follow(chain, state(folder, initial_key(number)), rng, draws)
    numbers = {"acceptance": one.acceptance, "seconds": one.seconds}
    along = {"found": (("transition", "quantity"), one.found)}
    return xr.Dataset(
        {**along, **numbers, "gradients": draws * thin * steps}, {"quantity": list(QUANTITIES)}
    )

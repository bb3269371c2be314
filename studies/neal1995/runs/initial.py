"""The initial phase: which trajectories reach the posterior first (Fig. 3.2)."""

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ..design.budgets import Budget
from ..design.networks import LARGE, Point, data_set, outputs
from ..design.settings import BEST_INITIAL, INITIAL
from .chains import as_state, begin, follow, plain


def initial_key(number: int) -> str:
    """Name the result of a run of the initial phase."""
    return f"initial-{number}"


def run_initial(number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Run the initial phase on a data set with all lengths, from one start.

    Returns
    -------
    Dataset
        ``training``, the squared error of a training case and output after each super-transition,
        ``acceptance`` and ``seconds``, by ``leapfrogs``; and the end of the thesis's choice.
    """
    arm, rows = data_set(LARGE[1], number), []
    X, y = arm.X.to_numpy(), arm.y.to_numpy()

    def training(point: Point) -> float:
        return float(np.mean((outputs(point, X) - y) ** 2))

    with threadpool_limits(1, user_api="blas"):
        start, end = begin(LARGE, number, seed), {}
        for length in INITIAL:
            steps = min(length, budget.leapfrogs)
            chain = plain(LARGE, steps, max(1, budget.leapfrogs // steps))
            rng = np.random.default_rng([seed, number, length])
            found = follow(chain, start, rng, budget.first, training)
            if length == BEST_INITIAL:
                end = found.point
            along = {"training": ("transition", found.found), "acceptance": found.acceptance}
            rows.append(xr.Dataset({**along, "seconds": found.seconds}))
    return xr.merge(
        [xr.concat(rows, "leapfrogs").assign_coords(leapfrogs=list(INITIAL)), as_state(end)]
    )

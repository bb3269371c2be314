"""Experiment 1: a cell of the grid with all its runs, and the plain Metropolis algorithm."""

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ..design.budgets import Budget
from ..design.networks import SETS, SMALL, data_set
from ..design.schedules import ANNEALED, PLAIN, THIN, Cell, for_metropolis, scaled
from .chains import Run, run, weights
from .predicting import outputs, squared_error
from .tightness import tightness

LAST = 0.25  # of the iterations, whose predictions are averaged: 50 of 200


def sample_cell(cell: Cell, budget: Budget, seed: int) -> xr.Dataset:
    """Run a cell of the grid of Hamiltonian Monte Carlo; see :func:`_measured`."""
    schedule = scaled(ANNEALED if cell.annealed else PLAIN, budget.share)
    rows = []
    with threadpool_limits(1, user_api="blas"):
        for k in range(budget.runs):
            given = (schedule, cell, budget.leapfrogs, [seed, k])
            found = run("hamiltonian", SMALL, k % SETS, *given)
            rows.append(_measured(found, k % SETS))
    return xr.concat(rows, "run")


def sample_metropolis(cell: Cell, budget: Budget, seed: int) -> xr.Dataset:
    """Run a cell of the grid of the Metropolis algorithm; see :func:`_measured`."""
    schedule = for_metropolis(scaled(ANNEALED if cell.annealed else PLAIN, budget.share))
    rows = []
    with threadpool_limits(1, user_api="blas"):
        for k in range(budget.metropolis):
            found = run("metropolis", SMALL, k % SETS, schedule, cell, 1, [seed, k], THIN)
            rows.append(_measured(found, k % SETS))
    return xr.concat(rows, "run")


def _measured(found: Run, number: int) -> xr.Dataset:
    """What is kept of a run.

    ``squared_error`` of the averaged predictions of the last quarter for a test case, and
    ``excess`` on MacKay's scale; ``rejected``, the share of trajectories there; what is tight at
    the end (see :mod:`.tightness`); and along ``iteration`` the ``training`` error.
    """
    arm = data_set(SMALL[1], number)
    drawn = weights(found.levels)
    count = len(found.accepted)
    last = slice(count - max(1, round(LAST * count)), None)
    kept = {name: values[last] for name, values in drawn.items()}
    training = ((outputs(drawn, arm.X) - arm.y.to_numpy()) ** 2).sum(axis=-1).mean(axis=-1)
    end = {name: values[-1] for name, values in found.levels.items()}
    values = {
        "set": number,
        "squared_error": squared_error(arm, outputs(kept, arm.X_test).mean(axis=0)),
        "excess": arm.excess_error(outputs(kept, arm.X_truth).mean(axis=0)),
        "rejected": 1.0 - found.accepted[last].mean(),
        "rejected_early": 1.0 - found.accepted[: last.start].mean(),
        "seconds": found.seconds,
        **tightness(end, arm.X, arm.y)._asdict(),
    }
    return xr.Dataset({**values, "training": ("iteration", training.astype(np.float32))})

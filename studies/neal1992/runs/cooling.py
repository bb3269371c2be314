"""Experiment 2: nineteen hidden units that are cooled slowly from a temperature of 40."""

import numpy as np
import xarray as xr
from scipy.special import logsumexp
from threadpoolctl import threadpool_limits

from ...tables.robot_arm import RobotArm, robot_arm_grid
from ..design.budgets import Budget
from ..design.networks import LARGE, SETS, data_set
from ..design.schedules import COOLING, COOLING_SPREAD, COOLING_STEP, LAST, Cell, scaled
from .chains import Run, compiled, run, weights
from .hyperparameters import effective_of_runs
from .predicting import GRID_SIDE, Weights, effective_outputs, outputs, scored_weights
from .tightness import PRIOR


def sample_cooled(number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Cool a network on one of the data sets.

    Returns
    -------
    Dataset
        What :func:`.predicting.scored` says of the last draws, the ``log_score`` of a test case
        (Eq. 35), ``effective`` draws of the outputs and ``effective_scales`` of the
        hyperparameters, median over the three scales and the noise, whose precision is integrated
        out and drawn from its conditional, ``gradients`` and ``seconds``; along
        ``iteration`` the ``energy`` (Eq. 34), the ``temperature`` and the ``training`` error; along
        ``kept``, the last draws, errors of a test case: of ``each`` network, and ``averaged`` over
        all so far (Fig. 4); along ``shown``, every second of these, the outputs on the ``grid``
        (Fig. 5).
    """
    schedule = scaled(COOLING, budget.share)
    cell = Cell(True, COOLING_STEP, COOLING_SPREAD)
    with threadpool_limits(1, user_api="blas"):
        given = (schedule, cell, budget.leapfrogs, [seed, number])
        found = run("hamiltonian", LARGE, number % SETS, *given)
        moves = effective_of_runs(found, number % SETS, np.random.default_rng([seed, number, 5]))
        return _measured(found, number % SETS, budget).assign(effective_scales=moves)


def _measured(found: Run, number: int, budget: Budget) -> xr.Dataset:
    arm, drawn = data_set(LARGE[1], number), weights(found.levels)
    count = len(found.accepted)
    last = slice(count - max(2, round(LAST * count)), None)
    kept = {name: values[last] for name, values in drawn.items()}
    errors = ((outputs(drawn, arm.X) - arm.y.to_numpy()) ** 2).sum(axis=-1)
    squares = errors.sum(axis=-1)
    size = PRIOR + arm.y.size
    model, _ = compiled("hamiltonian", *LARGE, budget.leapfrogs, 1)
    noise = {
        "squared_error": squares[last],
        "noise_scale": np.sqrt((PRIOR + squares[last]) / size),
    }
    densities = model.likelihood.log_density(
        outputs(kept, arm.X_test), arm.y_test.to_numpy(), noise
    )
    along = {
        "energy": size / 2 * np.log1p(squares / PRIOR),
        "temperature": found.temperature,
        "training": errors.mean(axis=-1),
    }
    return xr.Dataset(
        {
            **scored_weights(arm, kept),
            **_last(arm, kept),
            "effective": effective_outputs(arm, kept),
            "set": number,
            "log_score": float(logsumexp(densities, axis=0, b=1 / len(densities)).mean()),
            "rejected": 1.0 - found.accepted[last].mean(),
            "gradients": float(count * budget.leapfrogs),
            "seconds": found.seconds,
            **{name: ("iteration", values.astype(np.float32)) for name, values in along.items()},
        }
    )


def _last(arm: RobotArm, kept: Weights) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    """Errors of the last networks one by one and averaged, and outputs of some on the grid."""
    test, targets = outputs(kept, arm.X_test), arm.y_test.to_numpy()
    so_far = np.cumsum(test, axis=0) / np.arange(1, len(test) + 1)[:, None, None]
    points = robot_arm_grid(GRID_SIDE)[["x1", "x2"]]
    shown = outputs({name: values[1::2] for name, values in kept.items()}, points)
    errors = {"each": test, "averaged": so_far}
    return {
        name: (("kept",), ((found - targets) ** 2).sum(axis=-1).mean(axis=-1))
        for name, found in errors.items()
    } | {"grid": (("shown", "point", "output"), shown.astype(np.float32))}

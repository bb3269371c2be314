"""What MacKay's Gaussian approximation loses, on the data of experiments 1 and 2."""

from time import process_time

import numpy as np
import xarray as xr
from scipy.stats import multivariate_normal
from threadpoolctl import threadpool_limits

from .....models import BNN
from ....tables.robot_arm import RobotArm, robot_arm_grid
from ...design.budgets import Budget
from ...design.networks import LARGE, SMALL, data_set, our_network
from ...design.priors import OURS, network_with
from ..predicting import GRID_SIDE, scored
from .evidence_framework import Approximation, fit

PAIRS = 500  # of draws, each with its opposite: their mean is the output of the mode


def approximate_by_evidence(number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Fit the approximation from some starts, and keep the one of most evidence, as MacKay did.

    Returns
    -------
    Dataset
        Of that one, what :func:`.predicting.scored` says, the ``log_score`` of a test case, and
        ``seconds`` of all starts; by ``mode`` the ``log_evidence``, ``mode_error`` and
        ``mode_excess`` of each; ``small_evidence``, the largest one for the cases of experiment
        1 and the network of :func:`.priors.network_with`.
    """
    arm = data_set(LARGE[1], number)
    with threadpool_limits(1, user_api="blas"):
        begin = process_time()
        model = our_network(arm, LARGE[0])
        found = fit_modes(model, arm, budget.modes, [seed, number])
        seconds = process_time() - begin
        best = max(found, key=lambda one: one.log_evidence)
        of_best = scored_as_linear(best, arm, np.random.default_rng([seed, number, 2]))
        fewer = data_set(SMALL[1], number)
        model = network_with(OURS, fewer, SMALL[0])
        small = fit_modes(model, fewer, 2 * budget.modes, [seed, number, 3])
    each = {
        "log_evidence": [one.log_evidence for one in found],
        "mode_error": [arm.test_error(one.outputs(arm.X_test.to_numpy())[0]) for one in found],
        "mode_excess": [arm.excess_error(one.outputs(arm.X_truth.to_numpy())[0]) for one in found],
    }
    values = {
        **of_best,
        "seconds": seconds,
        "small_evidence": max(one.log_evidence for one in small),
    }
    return xr.Dataset(values | {name: ("mode", numbers) for name, numbers in each.items()})


def fit_modes(model: BNN, arm: RobotArm, count: int, seed: list[int]) -> list[Approximation]:
    """Fit the approximation to a network from some random starts."""
    X, y = arm.X.to_numpy(), arm.y.to_numpy()
    streams = np.random.default_rng([*seed, 1]).spawn(count)
    return [fit(model, X, y, rng) for rng in streams]


def scored_as_linear(
    best: Approximation, arm: RobotArm, rng: np.random.Generator
) -> dict[str, float]:
    """Say how good an approximation predicts whose outputs are linear in the weights.

    Returns
    -------
    dict
        What :func:`.predicting.scored` says of draws, and the ``log_score`` of a test case.
    """
    points = robot_arm_grid(GRID_SIDE)[["x1", "x2"]]
    draws = [_draws(best, of.to_numpy(), rng) for of in (arm.X_test, arm.X_truth, points)]
    return {**scored(arm, *draws), "log_score": _log_score(best, arm)}


def _draws(best: Approximation, inputs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Outputs of draws of the weights, with outputs that are linear in them."""
    mode, slopes = best.outputs(inputs)
    root = np.linalg.cholesky(best.covariance)
    away = slopes @ (root @ rng.standard_normal((len(root), PAIRS)))
    return np.concatenate([mode + np.moveaxis(sign * away, -1, 0) for sign in (1.0, -1.0)])


def _log_score(best: Approximation, arm: RobotArm) -> float:
    mode, slopes = best.outputs(arm.X_test.to_numpy())
    covariances = slopes @ best.covariance @ np.swapaxes(slopes, 1, 2) + np.eye(2) / best.noise
    cases = zip(arm.y_test.to_numpy(), mode, covariances, strict=True)
    return float(np.mean([multivariate_normal(f, c).logpdf(y) for y, f, c in cases]))

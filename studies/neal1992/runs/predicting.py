"""Outputs of many draws of a network with one hidden layer, and how good predictions are."""

from collections.abc import Mapping

import arviz as az
import numpy as np
import pandas as pd
import xarray as xr

from ...tables.robot_arm import OUTPUTS, RobotArm, arm_position, robot_arm_grid
from ..design.printed import NOISE

LIMITS = 0.025, 0.975
GRID_SIDE = 12
SMALLEST = 1e-9  # standard deviation of draws that are all the same
CASES = 20  # whose outputs tell how fast a chain moves
Weights = Mapping[str, np.ndarray]


def outputs(weights: Weights, inputs: pd.DataFrame) -> np.ndarray:
    """Outputs of each draw (Eqs. 38-39).

    Parameters
    ----------
    weights : mapping of str to ndarray
        Groups ``w0``, ``b0``, ``w1`` and ``b1``, draws first.
    inputs : DataFrame
        The cases.

    Returns
    -------
    ndarray, shape (draws, cases, outputs)
    """
    hidden = np.tanh(inputs.to_numpy() @ weights["w0"] + weights["b0"][:, None])
    return hidden @ weights["w1"] + weights["b1"][:, None]


def squared_error(arm: RobotArm, mean: np.ndarray) -> float:
    """Squared error of a test case, summed over its outputs, as in the report's experiment 1."""
    return arm.test_error(mean) * NOISE / OUTPUTS


def scored(
    arm: RobotArm, test: np.ndarray, truth: np.ndarray, grid: np.ndarray
) -> dict[str, float]:
    """Say how good draws predict.

    Parameters
    ----------
    arm : RobotArm
        The data set.
    test, truth, grid : ndarray, shape (draws, cases, 2)
        Outputs for its test cases, for those without noise, and for the grid of
        :func:`.robot_arm_grid`.

    Returns
    -------
    dict
        ``squared_error`` of a test case, ``test_error`` and ``excess`` on MacKay's scale; the
        share of true positions in intervals of 95% of the outputs, ``covered_inside`` and
        ``covered_outside`` of where training cases are, the standard deviations ``sd_inside`` and
        ``sd_outside`` of outputs there, and ``normalised_inside`` and ``normalised_outside``, the
        root of the mean squared error in units of these: 1 where draws know how far off they are.
    """
    mean = test.mean(axis=0)
    points = robot_arm_grid(GRID_SIDE)
    true = arm_position(points).to_numpy()
    low, high = np.quantile(grid, LIMITS, axis=0)
    covered, sd = (low <= true) & (true <= high), grid.std(axis=0)
    inside = points["inside"].to_numpy()
    normalised = ((grid.mean(axis=0) - true) / np.maximum(sd, SMALLEST)) ** 2
    return {
        "squared_error": squared_error(arm, mean),
        "test_error": arm.test_error(mean),
        "excess": arm.excess_error(truth.mean(axis=0)),
        "covered_inside": covered[inside].mean(),
        "covered_outside": covered[~inside].mean(),
        "sd_inside": sd[inside].mean(),
        "sd_outside": sd[~inside].mean(),
        "normalised_inside": np.sqrt(normalised[inside].mean()),
        "normalised_outside": np.sqrt(normalised[~inside].mean()),
    }


def scored_weights(arm: RobotArm, weights: Weights) -> dict[str, float]:
    """Say how good draws of weights predict; see :func:`scored`."""
    cases = (arm.X_test, arm.X_truth, robot_arm_grid(GRID_SIDE)[["x1", "x2"]])
    return scored(arm, *(outputs(weights, inputs) for inputs in cases))


def effective(draws: np.ndarray) -> float:
    """Effective draws of a chain; one that stands still has one."""
    return float(az.ess(draws[None])) if np.ptp(draws) > 0 else 1.0


def effective_outputs(arm: RobotArm, weights: Weights) -> float:
    """Effective draws of the outputs for some test cases, median, of one chain."""
    test = outputs(weights, arm.X_test[:CASES])
    return float(np.median([effective(column) for column in test.reshape(len(test), -1).T]))


def flat(posterior: xr.Dataset) -> dict[str, np.ndarray]:
    """Weights of all draws of all chains, draws first."""
    found = {}
    for name in ("w0", "b0", "w1", "b1"):
        values = posterior[name].to_numpy()
        found[name] = values.reshape(-1, *values.shape[2:])
    return found

"""Outputs of many draws of a network with one hidden layer, and how good predictions are."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from ...tables.robot_arm import OUTPUTS, RobotArm, arm_position, robot_arm_grid
from ..design.printed import NOISE

LIMITS = 0.025, 0.975
GRID_SIDE = 12
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
        ``covered_outside`` of where training cases are, and the standard deviations ``sd_inside``
        and ``sd_outside`` of outputs there.
    """
    mean = test.mean(axis=0)
    points = robot_arm_grid(GRID_SIDE)
    true = arm_position(points).to_numpy()
    low, high = np.quantile(grid, LIMITS, axis=0)
    covered, sd = (low <= true) & (true <= high), grid.std(axis=0)
    inside = points["inside"].to_numpy()
    return {
        "squared_error": squared_error(arm, mean),
        "test_error": arm.test_error(mean),
        "excess": arm.excess_error(truth.mean(axis=0)),
        "covered_inside": covered[inside].mean(),
        "covered_outside": covered[~inside].mean(),
        "sd_inside": sd[inside].mean(),
        "sd_outside": sd[~inside].mean(),
    }


def scored_weights(arm: RobotArm, weights: Weights) -> dict[str, float]:
    """Say how good draws of weights predict; see :func:`scored`."""
    cases = (arm.X_test, arm.X_truth, robot_arm_grid(GRID_SIDE)[["x1", "x2"]])
    return scored(arm, *(outputs(weights, inputs) for inputs in cases))


def flat(posterior: xr.Dataset) -> dict[str, np.ndarray]:
    """Weights of all draws of all chains, draws first."""
    found = {}
    for name in ("w0", "b0", "w1", "b1"):
        values = posterior[name].to_numpy()
        found[name] = values.reshape(-1, *values.shape[2:])
    return found

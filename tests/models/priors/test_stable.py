"""Stable weights have the distribution of their index, alone and in sums of any number."""

from typing import Any

import numpy as np
import pymc as pm
import pytest
from numpy.typing import ArrayLike
from pymc_bnn import models
from pymc_bnn.models.priors.base import Group
from pytensor.compile.mode import Mode
from scipy import stats

X = np.linspace(-1, 1, 5)[:, None]
POINTS = np.array([[-0.6], [0.7]])
FREQUENCIES = np.array([0.1, 0.4, 1.0, 2.5])
Z = 4.5  # false alarms below 1 in 1000 for all z-scores of this file


def network(index: float, width: int, sd: float = 1.0) -> models.BNN:
    """Steps whose thresholds are known in distribution, and stable weights to the output."""
    prior: dict[str, models.Prior] = {"w0": models.Gaussian(2.0), "b0": models.Gaussian(1.0)}
    prior |= {"w1": models.Stable(index, sd, scaled=True), "b1": models.Gaussian(0.3)}
    return models.BNN(X, X[:, 0], hidden=(width,), activation="step", prior=prior)


def z_scores(values: np.ndarray, expected: ArrayLike) -> np.ndarray:
    """Compare the characteristic function of symmetric values."""
    waves = np.cos(np.multiply.outer(FREQUENCIES, values))
    error = waves.std(axis=1) / np.sqrt(values.size)
    return (waves.mean(axis=1) - expected) / error


@pytest.mark.parametrize("index", [0.6, 1.0, 1.5, 1.95])
def test_weights_are_stable(index: float, python_mode: Mode) -> None:
    prior = models.Stable(index, sd=1.4)
    with pm.Model(coords={"input": range(40_000), "hidden_0": range(1)}):
        group = Group("w0", (40_000, 1), ("input", "hidden_0"), 1)
        weights = prior.declare(group, prior.scale(group), "centered")
        [drawn] = pm.draw([weights], mode=python_mode, random_seed=4)
    expected = np.exp(-((1.4 * FREQUENCIES) ** index) / 2 ** (index / 2))
    assert np.abs(z_scores(drawn.ravel(), expected)).max() < Z
    law = stats.levy_stable(index, 0.0, scale=1.4 / np.sqrt(2.0))
    inside = drawn[np.abs(drawn) < 5.0]
    low, high = law.cdf([-5.0, 5.0])
    grid = np.linspace(-5.0, 5.0, 401)
    known = np.interp(np.sort(inside), grid, (law.cdf(grid) - low) / (high - low))
    assert stats.kstest(known, "uniform").pvalue > 1e-4


@pytest.mark.parametrize("width", [3, 40])
@pytest.mark.parametrize("index", [1.0, 1.5])
def test_functions_of_steps_are_stable_at_any_width(index: float, width: int) -> None:
    """A function's value adds as many stable numbers as there are units, each with its sign."""
    model = network(index, width, sd=1.4)
    f = models.draw_functions(model, POINTS, draws=20_000, seed=width).values[..., 0]
    alone = (1.4 * FREQUENCIES) ** index / 2 ** (index / 2)
    bias = np.exp(-((0.3 * FREQUENCIES) ** 2) / 2)
    assert np.abs(z_scores(f[:, 0], np.exp(-alone) * bias)).max() < Z
    # a unit between whose values lies its threshold adds twice its weight to the difference
    first, second = (np.hypot(2.0 * x, 1.0) for x in POINTS[:, 0])
    angle = np.arccos((4.0 * POINTS.prod() + 1.0) / (first * second))
    apart = 1 - angle / np.pi * -np.expm1(-(2**index) * alone / width)
    assert np.abs(z_scores(f[:, 1] - f[:, 0], apart**width)).max() < Z


def test_few_units_keep_large_parts() -> None:
    """Shares of squares, squared and summed, are 1 - index / 2 in the mean of a wide layer."""
    model = network(1.2, 2000)
    with model:
        drawn = pm.sample_prior_predictive(draws=2000, var_names=["w1"], random_seed=1)
    squares = drawn["prior"]["w1"].values.reshape(2000, -1) ** 2
    concentration = ((squares / squares.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    error = concentration.std() / np.sqrt(concentration.size)
    assert abs(concentration.mean() - 0.4) / error < Z


def test_nearly_normal_weights_have_their_standard_deviation(python_mode: Mode) -> None:
    prior = models.Stable(1.9999, sd=0.8)
    with pm.Model(coords={"hidden_0": range(20_000)}):
        group = Group("b0", (20_000,), ("hidden_0",), 1)
        [drawn] = pm.draw(
            [prior.declare(group, prior.scale(group), "centered")], mode=python_mode, random_seed=5
        )
    middle = np.subtract(*np.quantile(drawn, [0.75, 0.25])) / 1.349
    assert abs(np.log(middle / 0.8)) < Z * 1.17 / np.sqrt(20_000)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"index": 2}, "index=2.*give a number from 0.1 to below 2; at 2 weights are normal"),
        ({"index": 0.01}, "index=0.01.*give a number from 0.1"),
        ({"index": 0}, "index must be a positive number"),
        ({"sd": -1.0}, "sd must be a positive number"),
        ({"index": True}, "index must be a positive number"),
    ],
)
def test_numbers_out_of_range_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        models.Stable(**arguments)


def test_limiting_covariance_refuses_weights_without_variance() -> None:
    with pytest.raises(ValueError, match="w1 has no normal prior of a known scale"):
        models.limiting_covariance(network(1.0, 3), POINTS)

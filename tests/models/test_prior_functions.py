"""Functions drawn from priors, and the covariance of wide networks."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pymc as pm
import pytest
from numpy.typing import ArrayLike
from pymc_bnn import models
from pymc_bnn.models.activations import ACTIVATIONS
from pymc_bnn.models.wide_layers import mean_products
from scipy import stats

X = np.linspace(-1, 1, 5)[:, None]
GRID = np.array([[-1.5], [-0.2], [0.0], [0.7], [2.0]])
TARGET = 3.3  # of one z-score; false alarms below 1 in 1000
THRESHOLD = stats.norm.isf(0.5e-3 / 15)  # 4.0: of 15, where 3.3 would be 1 in 70
DRAWS = {
    ((3,), "tanh", False): 40_000,
    ((3,), "relu", False): 40_000,
    ((3,), "step", False): 40_000,
    ((100, 100), "tanh", False): 4000,
    ((80, 80, 80), "relu", True): 4000,
}


def network(hidden: tuple[int, ...], activation: str, skip: bool = False) -> models.BNN:
    return models.scaled(X, X[:, 0], hidden=hidden, activation=activation, skip=skip)


@cache
def functions(key: tuple[tuple[int, ...], str, bool]) -> tuple[np.ndarray, np.ndarray]:
    """Functions from a prior at the points of the grid, and their covariance in the limit.

    That is one of any width where there is one layer. Where there are more, networks are so wide
    that the errors of these draws are larger.
    """
    model, draws = network(*key), DRAWS[key]
    f = models.draw_functions(model, GRID, draws=draws, seed=2).values[..., 0]
    return f, models.limiting_covariance(model, GRID)


def difference(products: np.ndarray, expected: ArrayLike) -> np.ndarray:
    """Of means of draws, in standard errors."""
    return (products.mean(axis=0) - expected) / (products.std(axis=0) / np.sqrt(len(products)))


@pytest.mark.parametrize("key", DRAWS, ids=str)
def test_covariance_is_that_of_functions(key: tuple[tuple[int, ...], str, bool]) -> None:
    f, expected = functions(key)
    z = difference(f[:, :, None] * f[:, None, :], expected)
    assert np.abs(z).max() < THRESHOLD


@pytest.mark.parametrize("key", DRAWS, ids=str)
def test_means_of_functions_have_their_variance(key: tuple[tuple[int, ...], str, bool]) -> None:
    """One number of all covariances, which a limit for one number is right for."""
    f, expected = functions(key)
    assert abs(difference(f.mean(axis=1) ** 2, expected.mean())) < TARGET


@pytest.mark.parametrize("name", ["tanh", "logistic", "softplus", "relu"])
@pytest.mark.parametrize("sd", [0.1, 3.0, 40.0])
def test_products_of_units_are_those_of_a_fine_grid(name: str, sd: float) -> None:
    """Also of units that are nearly steps, and at inputs that are nearly the same."""
    unit = ACTIVATIONS[name]
    nodes = np.linspace(-9, 9, 18_001)
    weights = np.exp(-(nodes**2) / 2) / np.exp(-(nodes**2) / 2).sum()
    correlations = [0.0, 0.4, -0.8]
    variance = np.array([sd**2])
    found = mean_products(unit, variance, variance, variance)
    np.testing.assert_allclose(found, weights @ unit.array(sd * nodes) ** 2, rtol=1e-6)
    for r in correlations:
        across = sd * (r * nodes[::40, None] + np.sqrt(1 - r**2) * nodes)
        inner = unit.array(across) @ weights
        outer = weights[::40] * unit.array(sd * nodes[::40])
        exact = outer @ inner / weights[::40].sum()
        product = mean_products(unit, r * variance, variance, variance)
        np.testing.assert_allclose(product, exact, rtol=1e-3, atol=1e-7)


def test_saturated_units_leave_no_negative_eigenvalue() -> None:
    X = np.random.default_rng(3).normal(size=(200, 2))
    model = models.BNN(X, X[:, 0], hidden=(50,), prior=models.Gaussian(20.0))
    values = np.linalg.eigvalsh(models.limiting_covariance(model, X))
    assert values.min() > -1e-12 * values.max()


@pytest.mark.parametrize("draws", [0, 2.5, "a"])
def test_functions_are_drawn_in_whole_numbers(draws: Any) -> None:
    model = models.gaussian(X, X[:, 0], hidden=(3,))
    with pytest.raises(ValueError, match=f"draws={draws!r}: give a whole number of at least 1"):
        models.draw_functions(model, GRID, draws=draws)


def test_unknown_scales_have_no_limit() -> None:
    model = models.normal_inverse_gamma(X, X[:, 0], hidden=(3,))
    with pytest.raises(ValueError, match=r"w0 has no normal prior of a known scale"):
        models.limiting_covariance(model, GRID)


def test_steps_of_zero_are_alike() -> None:
    prior = models.Gaussian()
    model = models.BNN(X, X[:, 0], (4,), activation="step", prior=prior, biases=False)
    f = models.draw_functions(model, [[0.0], [1.0]], draws=2000, seed=1).values[..., 0]
    expected = models.limiting_covariance(model, [[0.0], [1.0]])
    np.testing.assert_allclose(expected, 4 * np.eye(2), atol=1e-12)
    assert np.abs(np.cov(f.T) - expected).max() < THRESHOLD * 4 * np.sqrt(2 / 2000)


@dataclass(frozen=True)
class Shifted(models.Gaussian):
    """Normal weights that are not around zero."""

    def declare(self, group: Any, scale: Any, parametrization: str) -> Any:
        return pm.Normal(group.name, 2.0, scale, dims=group.dims)


def test_priors_that_declare_weights_themselves_have_no_known_limit() -> None:
    model = models.BNN(X, X[:, 0], (3,), prior=Shifted())
    with pytest.raises(ValueError, match="w0 has no normal prior of a known scale"):
        models.limiting_covariance(model, GRID)


def test_functions_are_of_networks_and_of_finite_inputs() -> None:
    for ask in (models.draw_functions, models.limiting_covariance):
        with pytest.raises(ValueError, match="model=int: functions are drawn of networks"):
            ask(3, GRID)  # type: ignore[operator]
    with pytest.raises(ValueError, match="covariance at X is infinite; scale X"):
        models.limiting_covariance(network((3,), "tanh"), [[1e160]])


def quartiles(degrees: float, scaled: bool, width: int) -> float:
    """Distances of the quartiles of functions at a point, from 4000 draws."""
    prior = {
        "w0": models.Gaussian(2.0),
        "b0": models.Gaussian(2.0),
        "w1": models.StudentT(degrees=degrees, alpha=1e6, scaled=scaled),
        "b1": models.Gaussian(0.1),
    }
    model = models.BNN(X, X[:, 0], hidden=(width,), prior=prior)
    f = models.draw_functions(model, GRID[3:4], draws=4000, seed=width).values.ravel()
    return float(np.subtract(*np.quantile(f, [0.75, 0.25])))


def test_functions_of_heavy_tailed_weights_have_a_limit() -> None:
    """Their spread does not depend on the width, also where they have no variance."""
    few, many = (quartiles(1.3, True, width) for width in (60, 600))
    error = np.hypot(1, 1) * 1.6 / np.sqrt(4000)  # of the logarithm of a range of quartiles
    assert abs(np.log(many / few)) < 3.5 * error
    growth = np.log(quartiles(1.3, False, 600) / few * 60 ** (-1 / 1.3))
    assert abs(growth - np.log(10) / 1.3) < 3.5 * error


def test_sums_of_two_degrees_have_no_power_of_the_width() -> None:
    with pytest.raises(ValueError, match="give a number below or above 2"):
        models.StudentT(degrees=2, scaled=True)

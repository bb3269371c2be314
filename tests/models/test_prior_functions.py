"""Functions drawn from priors, and the covariance of wide networks."""

import numpy as np
import pytest
from pymc_bnn import models
from pymc_bnn.models import prior_functions

X = np.linspace(-1, 1, 5)[:, None]
GRID = np.array([[-1.5], [-0.2], [0.0], [0.7], [2.0]])
THRESHOLD = 4.0  # of 15 z-scores; false alarms in 1 of 1000


def network(hidden: tuple[int, ...], activation: str) -> models.BNN:
    return models.scaled(X, X[:, 0], hidden=hidden, activation=activation)


@pytest.mark.parametrize(
    ("hidden", "activation", "draws"),
    [((3,), "tanh", 40_000), ((3,), "relu", 40_000), ((100, 100), "tanh", 4000)],
)
def test_covariance_is_that_of_functions(
    hidden: tuple[int, ...], activation: str, draws: int
) -> None:
    """Of one layer at any width; of two in networks so wide that the error is larger."""
    model = network(hidden, activation)
    f = models.draw_functions(model, GRID, draws=draws, seed=2).values[..., 0]
    products = f[:, :, None] * f[:, None, :]
    error = products.std(axis=0) / np.sqrt(len(f))
    z = (products.mean(axis=0) - models.limiting_covariance(model, GRID)) / error
    assert np.abs(z).max() < THRESHOLD


def test_quadrature_is_that_of_the_closed_form_where_there_is_one() -> None:

    sd, correlation = (
        np.array([0.3, 1.0, 2.0]),
        np.array([[1, 0.9, 0], [0.9, 1, -0.5], [0, -0.5, 1]]),
    )
    found = prior_functions._quadrature(lambda u: u, sd, correlation)
    np.testing.assert_allclose(found, np.outer(sd, sd) * correlation, atol=1e-12)
    cosine = prior_functions._quadrature(np.cos, sd, correlation)
    variance = sd[:, None] ** 2 + sd**2
    shared = np.outer(sd, sd) * correlation
    exact = 0.5 * (np.exp(-variance / 2 + shared) + np.exp(-variance / 2 - shared))
    np.testing.assert_allclose(cosine, exact, atol=1e-12)


def test_unknown_scales_have_no_limit() -> None:
    model = models.normal_inverse_gamma(X, X[:, 0], hidden=(3,))
    with pytest.raises(ValueError, match=r"w0 has no normal prior of a known scale"):
        models.limiting_covariance(model, GRID)

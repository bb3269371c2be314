"""The evidence by sequential prediction is that of integration over the weights."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from scipy import stats
from scipy.special import logsumexp

X = np.array([[-1.0], [0.3], [1.2]])
Y = np.array([-0.4, 0.6, 0.9])
SD, ALPHA = 0.5, 4.0


SCATTERED = np.array([3.0, -2.0, 1.5])  # of which the first is far from what all say of it


def log_integral(y: np.ndarray) -> float:
    """Over a weight and a bias on a grid; the noise's precision gives a t distribution."""
    axis = np.linspace(-6, 6, 801)
    w, b = (grid.ravel() for grid in np.meshgrid(axis, axis, indexing="ij"))
    errors = y - w[:, None] * X[:, 0] - b[:, None]
    targets = stats.multivariate_t(np.zeros(y.size), SD**2 * np.eye(y.size), df=ALPHA)
    prior = stats.norm.logpdf(w) + stats.norm.logpdf(b)
    return float(logsumexp(targets.logpdf(errors) + prior) + 2 * np.log(axis[1] - axis[0]))


def linear(y: np.ndarray = Y, **noise: bool) -> models.BNN:
    likelihood = models.GaussianNoise(SD, ALPHA, **noise)
    return models.BNN(X, y, (), prior=models.Gaussian(1.0), likelihood=likelihood)


@pytest.mark.parametrize("noise", [{}, {"integrate": True}], ids=["learnt", "integrated"])
@pytest.mark.parametrize("y", [Y, SCATTERED], ids=["near a line", "scattered"])
def test_it_is_the_integral(y: np.ndarray, noise: dict[str, bool]) -> None:
    model = linear(y, **noise)
    found = samplers.sequential_evidence(model, draws=1500, tune=300, seed=2, n_leapfrog=5)
    assert 0 < found.standard_error < 0.2
    assert abs(found.log_evidence - log_integral(y)) < 3.5 * found.standard_error
    assert found.cautions == ()
    np.testing.assert_array_equal(model["X"].get_value(), X)  # all cases are back


def test_first_cases_may_lie_far_from_zero_where_all_do_not() -> None:
    """Their last layer is not integrated out, which that of all cases is."""
    x, noise = np.linspace(-1, 1, 6)[:, None], models.GaussianNoise(sd=2e-3)
    y = np.array([1.9, -0.5, 0.3, -0.8, 0.1, -1.0])
    model = models.gaussian(x, y, hidden=(3,), likelihood=noise)
    assert samplers.GibbsHMC(2, model=model).collapses
    found = samplers.sequential_evidence(model, draws=20, tune=20, seed=1, n_leapfrog=5)
    assert np.isfinite(found.log_evidence)


def test_cases_that_few_draws_predict_are_told() -> None:
    far = models.BNN(X, [0.0, 0.0, 12.0], (), prior=models.Gaussian(1.0))
    found = samplers.sequential_evidence(far, draws=20, tune=50, seed=1, n_leapfrog=5)
    assert any("cases is known to no better than 30%" in caution for caution in found.cautions)


def test_what_is_more_than_a_network_is_refused() -> None:
    with linear() as more:
        pm.Potential("more", -(more["w0"] ** 2).sum())
    for model in (more, pm.Model()):
        with pytest.raises(ValueError, match="sequential_evidence needs a network"):
            samplers.sequential_evidence(model)

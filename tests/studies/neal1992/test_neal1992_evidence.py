"""MacKay's approximation beside PyTensor's graph, and the evidence of the report's network."""

from typing import Any

import numpy as np
import pytest
from pymc_bnn.studies.neal1992.design.networks import data_set, our_network
from pymc_bnn.studies.neal1992.runs.approximations import evidence_framework as framework
from pymc_bnn.studies.neal1992.runs.approximations.laplacing import _draws, _log_score
from pymc_bnn.studies.neal1992.runs.integrating import _log_likelihood
from scipy import stats
from scipy.special import gammaln

from .test_neal1992 import levels, outputs, weights

HIDDEN = 3
ARM = data_set(100, 0)
X, Y = ARM.X.to_numpy(), ARM.y.to_numpy()


@pytest.fixture(scope="module")
def fitted() -> tuple[Any, framework.Approximation]:
    model = our_network(ARM, HIDDEN)
    return model, framework.fit(model, X, Y, np.random.default_rng(1))


def test_its_evidence_is_the_joint_density_times_the_volume_of_a_normal(
    fitted: tuple[Any, framework.Approximation],
) -> None:
    model, found = fitted
    point: dict[str, Any] = dict(found.groups())
    every = np.append(found.precisions, found.noise)
    for name, value in zip(("w0", "b0", "w1", "b1", "noise"), every, strict=True):
        point[f"{name}_precision_log__"] = np.log(value)
    joint = float(model.compile_logp(mode="FAST_COMPILE")(point))
    framework._update(found, X, Y, framework._priors(model))  # the precisions as they are
    slopes = found.outputs(X)[1].reshape(Y.size, -1)
    curvature = every[-1] * slopes.T @ slopes + np.diag(found.repeated(every[:-1]))
    sizes = np.array([w.size for w in found.groups().values()])
    variances = np.split(np.diag(np.linalg.inv(curvature)), np.cumsum(sizes)[:-1])
    known = sizes - every[:-1] * [part.sum() for part in variances]
    shapes = np.array([0.5, 0.5, 0.5, 0.5, 0.25])
    known = np.append(known, Y.size - known.sum()) + 2 * shapes
    volume = 0.5 * len(curvature) * np.log(2 * np.pi) - 0.5 * np.linalg.slogdet(curvature)[1]
    volume += 0.5 * np.log(4 * np.pi / known).sum()
    copies = gammaln(HIDDEN + 1) + HIDDEN * np.log(2)
    assert found.log_evidence == pytest.approx(joint + volume + copies, abs=1e-8)


def test_precisions_are_where_the_evidence_is_largest(
    fitted: tuple[Any, framework.Approximation],
) -> None:
    model, found = fitted
    largest, before = found.log_evidence, np.append(found.precisions, found.noise)
    for k in range(before.size):
        for factor in (0.5, 2.0):
            moved = before * np.where(np.arange(before.size) == k, factor, 1.0)
            other = framework.Approximation(found.shapes, found.weights.copy(), moved[:-1])
            other.noise = float(moved[-1])
            for _ in range(5):
                framework._find_mode(other, X, Y)
            framework._update(other, X, Y, framework._priors(model))
            assert other.log_evidence < largest


def test_draws_are_around_the_mode_and_score_as_their_density(
    fitted: tuple[Any, framework.Approximation],
) -> None:
    _, found = fitted
    inputs = ARM.X_test.to_numpy()
    draws = _draws(found, inputs, np.random.default_rng(2))
    np.testing.assert_allclose(draws.mean(axis=0), found.outputs(inputs)[0], atol=1e-10)
    errors = ARM.y_test.to_numpy() - draws
    each = stats.norm.logpdf(errors, scale=found.noise**-0.5).sum(axis=-1)
    by_draws = np.log(np.exp(each).mean(axis=0)).mean()
    assert _log_score(found, ARM) == pytest.approx(by_draws, abs=0.01)


def test_integrated_noise_has_the_density_of_a_t_distribution() -> None:
    """Eq. 33, with the report's 0.1 for both numbers."""
    some = levels(draws=2)
    residuals = (ARM.y.to_numpy() - outputs(weights(some), ARM.X)).reshape(2, -1)
    density = stats.multivariate_t(np.zeros(Y.size), np.eye(Y.size), df=0.1)
    np.testing.assert_allclose(_log_likelihood(some, 0), density.logpdf(residuals), rtol=1e-10)

"""Ascents of the evidence lower bound: where they end, what they say, and where they start."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytest
from pymc_bnn.studies.neal1992.runs.approximations import ascending
from pymc_bnn.studies.neal1992.runs.approximations.ascending import ascend, go_on, start_at
from pymc_bnn.studies.neal1992.runs.approximations.evidence_framework import Approximation
from scipy import stats

X = np.array([[2.0, 1.8], [-0.6, -0.4], [1.6, 1.8]])
Y = np.array([0.7, -0.2, 0.4])
COVARIANCE = np.linalg.inv(np.eye(2) + X.T @ X)
EVIDENCE = stats.multivariate_normal(np.zeros(3), np.eye(3) + X @ X.T).logpdf(Y)
# a mean field misses the evidence by the information that correlation carries
MISSED = 0.5 * np.log(np.prod(np.diag(np.linalg.inv(COVARIANCE))) * np.linalg.det(COVARIANCE))


@pytest.fixture(autouse=True)
def in_python(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Without compilation, which takes longer than some steps of small networks."""
    monkeypatch.setattr(ascending, "WINDOW", 200)
    monkeypatch.setattr(ascending, "FINAL", 800)
    with pytensor.config.change_flags(mode="FAST_COMPILE"):
        yield


def test_a_bound_misses_the_evidence_by_what_correlation_carries() -> None:
    with pm.Model():
        w = pm.Normal("w", shape=2)
        pm.Normal("y", pm.math.dot(X, w), observed=Y)
        inference, short = pm.ADVI(random_seed=1), pm.ADVI(random_seed=1)
    found = ascend(inference, (0.03, 0.003), 2000)
    assert found.converged
    assert abs(found.value - (EVIDENCE - MISSED)) < 0.02 + 4 * found.error < MISSED
    assert not ascend(short, (1e-3,), 150).converged
    assert len(short.hist) == 150 + 800


def test_a_mean_field_starts_at_a_mode_and_its_curvature() -> None:
    shapes: dict[str, tuple[int, ...]] = {"w0": (1, 2), "b0": (2,)}
    root = np.random.default_rng(1).normal(size=(4, 4))
    mode = Approximation(shapes, np.arange(4.0), np.array([2.0, 3.0]), 5.0, root @ root.T)
    with pm.Model():
        for name, shape in shapes.items():
            precision = pm.Gamma(f"{name}_precision", 1, 1)
            pm.Normal(name, tau=precision, shape=shape)
        pm.Gamma("noise_precision", 1, 1)
        group: Any = pm.ADVI().approx.groups[0]
        full_rank = pm.FullRankADVI()
    start_at(group, mode)
    expected = [np.log(2.0), 0.0, 1.0, np.log(3.0), 2.0, 3.0, np.log(5.0)]
    np.testing.assert_allclose(group.mean.eval(), expected)
    alone = np.diag(np.linalg.inv(mode.covariance)) ** -0.5
    np.testing.assert_allclose(group.std.eval()[[1, 2, 4, 5]], alone)
    wide: Any = full_rank.approx.groups[0]
    go_on(wide, group)
    np.testing.assert_allclose(wide.cov.eval(), np.diag(group.std.eval() ** 2), atol=1e-12)
    np.testing.assert_allclose(wide.mean.eval(), expected)

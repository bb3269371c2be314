"""Laplace's approximation at joint modes: its evidence, where it starts, and what is kept."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pymc as pm
import pytensor
import pytest
from pymc_bnn.studies.neal1992.design.budgets import BUDGETS
from pymc_bnn.studies.neal1992.design.networks import data_set, our_network
from pymc_bnn.studies.neal1992.runs.approximations import joint_modes
from pymc_bnn.studies.neal1992.runs.approximations.joint_modes import (
    METHODS,
    approximate_at_joint_modes,
    at_mode,
    highest,
    log_evidence,
)
from scipy import stats

# pymc-extras is older than what it imports
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SEED = 2
TINY = (1, 10)  # hidden units and training cases
X = np.array([[2.0, 1.8, 0.3, 1.0], [-0.6, -0.4, 0.9, 1.0], [1.6, 1.8, -1.0, 1.0]])
Y = np.array([0.7, -0.2, 0.4])


@pytest.fixture(autouse=True)
def in_python() -> Iterator[None]:
    """Without compilation, which takes longer than searches of small networks."""
    with pytensor.config.change_flags(mode="FAST_COMPILE"):
        yield


def test_evidence_of_a_normal_posterior_is_exact() -> None:
    with pm.Model() as model:
        parts = [pm.Normal(name, shape=1) for name in ("w0", "b0", "w1", "b1")]
        pm.Normal("y", pm.math.dot(X, pm.math.concatenate(parts)), observed=Y)
    found = highest(model, 1, [0])
    exact = stats.multivariate_normal(np.zeros(3), np.eye(3) + X @ X.T).logpdf(Y)
    # one unit has two modes, which this model does not have
    assert log_evidence(model, found) == pytest.approx(exact + np.log(2.0), abs=0.01)


def test_the_highest_mode_of_random_starts_counts() -> None:
    model = our_network(data_set(TINY[1], 0), TINY[0])
    one, best, first = (highest(model, starts, [SEED]) for starts in (1, 2, 0))
    heights = [-found["optimizer_result"]["fun"].item() for found in (first, one, best)]
    assert heights[0] < heights[1] < heights[2]  # the first of two starts is the lower one
    assert not at_mode(model, first)["w0"].any()  # a saddle, which the search does not leave
    assert at_mode(model, best)["w0"].all()


def test_both_methods_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_modes, "LARGE", TINY)
    monkeypatch.setattr(joint_modes, "SMALL", TINY)
    budget = replace(BUDGETS["smoke"], believed=1)
    found = approximate_at_joint_modes(0, budget, 1)
    best, first = (found.sel({"method": name}) for name in METHODS)
    assert best["mode_excess"] < first["mode_excess"]
    assert np.isfinite(best["small_evidence"])
    assert np.isnan(first["small_evidence"])

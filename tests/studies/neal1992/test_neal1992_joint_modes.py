"""Laplace's approximation at joint modes: its evidence, its draws, and where searches end."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytest
from pymc_bnn import models
from pymc_bnn.studies.neal1992.design.budgets import BUDGETS
from pymc_bnn.studies.neal1992.design.networks import data_set, our_network
from pymc_bnn.studies.neal1992.runs.approximations import joint_modes
from pymc_bnn.studies.neal1992.runs.approximations.joint_modes import (
    DRAWN,
    LINEAR,
    MACKAYS,
    METHODS,
    STILL,
    approximate_at_joint_modes,
    at_mode,
    highest,
    log_evidence,
    normal_of,
)
from pymc_bnn.studies.neal1992.runs.approximations.laplacing import fit_modes
from scipy import stats
from xarray import DataTree

# pymc-extras is older than what it imports
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

TINY = (2, 30)  # hidden units and training cases
X = np.array([[2.0, 1.8, 0.3, 1.0], [-0.6, -0.4, 0.9, 1.0], [1.6, 1.8, -1.0, 1.0]])
Y = np.array([0.7, -0.2, 0.4])


@pytest.fixture(scope="module", autouse=True)
def in_python() -> Iterator[None]:
    """Without compilation, which takes longer than searches of small networks."""
    with pytensor.config.change_flags(mode="FAST_COMPILE"):
        yield


@pytest.fixture(scope="module")
def network() -> models.BNN:
    return our_network(data_set(TINY[1], 0), TINY[0])


@pytest.fixture(scope="module")
def still(network: models.BNN) -> DataTree:
    return highest(network, 0, [1])


def moved(found: DataTree, model: models.BNN, height: float = 0.0) -> DataTree:
    """Put what a search found around MacKay's mode, with his covariance of the weights."""
    mackays = mode_of(model)
    rows = [str(row).split("[")[0] for row in found["fit"]["rows"].to_numpy()]
    mean, where = np.full(len(rows), 0.1), []
    for name, values in mackays.groups().items():
        where += [i for i, row in enumerate(rows) if row == name]
        mean[where[-values.size :]] = values.ravel()
    covariance = 0.01 * np.eye(len(rows))
    covariance[np.ix_(where, where)] = mackays.covariance
    found = found.copy(deep=True)
    found["fit"]["mean_vector"][:], found["fit"]["covariance_matrix"][:] = mean, covariance
    found["optimizer_result"]["fun"][...] = height
    return found


def mode_of(model: models.BNN) -> Any:
    [one] = fit_modes(model, data_set(TINY[1], 0), 1, [1, 0])
    return one


def test_evidence_of_a_normal_posterior_is_exact() -> None:
    with pm.Model() as model:
        parts = [pm.Normal(name, shape=1) for name in ("w0", "b0", "w1", "b1")]
        pm.Normal("y", pm.math.dot(X, pm.math.concatenate(parts)), observed=Y)
    exact = stats.multivariate_normal(np.zeros(3), np.eye(3) + X @ X.T).logpdf(Y)
    # one unit has two modes, which this model does not have
    assert log_evidence(model, highest(model, 1, [0])) == pytest.approx(exact + np.log(2.0))


def test_without_random_starts_all_weights_of_the_inputs_stay_zero(
    network: models.BNN, still: DataTree
) -> None:
    assert not at_mode(network, still)["w0"].any()
    assert at_mode(network, still)["noise_precision_log__"] != 0


def test_the_highest_mode_of_random_starts_counts(
    network: models.BNN, still: DataTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    heights, calls = iter([np.nan, 3.0, 1.0, 2.0, 0.0]), []

    def fit(model: models.BNN, rng: np.random.Generator, **settings: Any) -> DataTree:
        height = next(heights)
        calls.append(settings["initvals"])
        found = moved(still, model, height)
        found["fit"]["mean_vector"][:] = height
        return found

    monkeypatch.setattr(joint_modes, "_fit", fit)
    highest(network, 4, [0])
    begun = [one["w0"] for one in calls[:4]]
    assert all(np.all(begun[i] != begun[i - 1]) for i in range(4))
    assert np.all(calls[4]["w0"] == 1.0)  # where the height is least that is a number
    assert calls[4]["noise_precision"] == pytest.approx(np.e)


def test_outputs_are_linear_in_weights_or_of_networks_that_are_drawn(
    network: models.BNN, still: DataTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joint_modes, "LARGE", TINY)
    monkeypatch.setattr(joint_modes, "SMALL", TINY)
    found, mackays = moved(still, network), mode_of(network)
    normal = normal_of(network, found)
    np.testing.assert_array_equal(normal.weights, mackays.weights)
    np.testing.assert_array_equal(normal.covariance, mackays.covariance)
    monkeypatch.setattr(joint_modes, "highest", lambda model, n, seed: found if n else still)
    budget = replace(BUDGETS["smoke"], believed=0)
    measured = approximate_at_joint_modes(0, budget, 1)
    assert tuple(measured["method"].values) == METHODS
    excess = {name: float(measured["excess"].sel({"method": name})) for name in METHODS}
    arm = data_set(TINY[1], 0)
    mode = mackays.outputs(arm.X_truth.to_numpy())[0]
    assert excess[LINEAR] == pytest.approx(arm.excess_error(mode))
    drawn = stats.multivariate_normal(mackays.weights, mackays.covariance)
    outputs = []
    for weights in drawn.rvs(4000, random_state=1):
        outputs.append(replace(mackays, weights=weights).outputs(arm.X_truth.to_numpy())[0])
    spread = np.var(outputs, axis=0).sum(axis=1).mean() / joint_modes.DRAWS
    own = arm.excess_error(np.mean(outputs, axis=0))
    assert abs(own - excess[LINEAR]) > 0.1 * own  # networks are not linear here
    assert excess[MACKAYS] == pytest.approx(own, rel=0.1, abs=5 * arm_scale(spread))
    assert excess[DRAWN] == excess[STILL]  # whose draws are those that were found
    assert np.isnan(measured["small_evidence"]).all()


def arm_scale(square: float) -> float:
    """A mean squared error of both outputs on MacKay's scale."""
    return 2 * square / 0.0050

"""A network that is built again has the data and the computed variables of the first one."""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.models.data.targets import Targets, numeric_targets
from pymc_bnn.models.likelihoods import Draws
from pymc_bnn.models.priors.base import Group
from pymc_bnn.models.rebuilding import take_data, take_deterministics
from pytensor.graph.traversal import ancestors
from pytensor.tensor.variable import TensorVariable
from scipy.stats import norm

X = np.random.default_rng(6).normal(size=(8, 2))


@dataclass(frozen=True)
class WithData(models.Prior):
    """Normal weights, whose standard deviation is among the model's data."""

    def scale(self, group: Group) -> Any:
        return pm.Data(f"{group.name}_sd", 1.0)

    def words(self) -> str:
        return "of the data"


@dataclass(frozen=True)
class Weighted(models.Likelihood):
    """Normal noise, whose spread in each case is among the model's data."""

    classifies = False

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        return numeric_targets(y)

    def observe(self, f: TensorVariable, y: Any) -> None:
        spread = pm.Data("spread", 1.0 + abs(y.get_value()))
        pm.Normal("y_obs", f, spread, observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logpdf(y, f, 1.0 + abs(y)).sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return rng.normal(f)

    def words(self) -> str:
        return "normal noise of given spread"


@pytest.fixture
def model() -> models.BNN:
    priors = dict.fromkeys(("b0", "w1", "b1"), models.Horseshoe())
    model = models.BNN(X, X[:, 0], hidden=(3,), prior={"w0": WithData(), **priors})
    with model:
        pm.set_data({"w0_sd": 0.05})
    return model


def test_data_of_priors_are_those_of_now(model: models.BNN) -> None:
    with model:
        prior = pm.sample_prior_predictive(draws=50, random_seed=1)
    assert float(prior["prior"]["w0"].std()) < 0.1
    prior["posterior"] = prior["prior"]
    again = {
        "copy": model.copy(),
        "on other data": model.with_data(X[:5], X[:5, 0]),
        "in another parametrization": model.reparametrized("noncentered"),
        "from draws": models.load(prior),
    }
    assert {name: own["w0_sd"].get_value() for name, own in again.items()} == dict.fromkeys(
        again, 0.05
    )


def test_data_that_were_changed_in_place_are_those_of_now() -> None:
    model = models.BNN(X, X[:, 0], hidden=(), prior=WithData())
    value = model["w0_sd"].get_value(borrow=True)
    value *= 2.0
    model["w0_sd"].set_value(value, borrow=True)
    for own in (model.copy(), model.with_data(X[:5], X[:5, 0]), copy.deepcopy(model).copy()):
        assert own["w0_sd"].get_value() == 2.0


def test_data_that_follow_from_the_cases_are_those_of_the_other_cases() -> None:
    network = models.BNN(X, X[:, 0], hidden=(2,), likelihood=Weighted())
    assert network.with_data(X[:5], X[:5, 1])["spread"].get_value().shape == (5, 1)
    other = network.with_data(X, X[:, 1])
    np.testing.assert_array_equal(other["spread"].get_value(), 1 + abs(X[:, 1:]))
    with network:
        pm.set_data({"spread": np.ones((8, 1))})
    np.testing.assert_array_equal(network.copy()["spread"].get_value(), np.ones((8, 1)))
    with pytest.raises(ValueError, match="cannot be built again: the data 'spread' have shape"):
        network.with_data(X[:5], X[:5, 1])


def test_data_of_another_shape_are_refused(model: models.BNN) -> None:
    with pytest.raises(ValueError, match=r"it cannot be: the data 'w0_sd' have shape \(2,\)"):
        take_data(model, {"w0_sd": np.ones(2)}, "it cannot be")


def test_what_is_computed_from_weights_is_computed_from_those_of_the_other(
    model: models.BNN,
) -> None:
    with model:
        model.add_coords({"part": ["a", "b", "c"]})
        effect = pm.Deterministic("effect", (model["w0"] ** 2).sum(axis=0), dims="part")
        pm.Deterministic("twice", 2.0 * effect + pm.Data("shift", 1.0))
        model.add_coord("step", length=3)
        pm.Deterministic("steps", effect[None] * np.ones((2, 1)), dims=(None, "step"))
    own = model.reparametrized("noncentered")
    assert take_deterministics(model, own)
    assert own.named_vars_to_dims["effect"] == ("part",)
    assert own.named_vars_to_dims["steps"] == (None, "step")
    drawn = pm.draw([own["w0"], own["effect"], own["twice"]], random_seed=2)
    np.testing.assert_allclose(drawn[1], (drawn[0] ** 2).sum(axis=0))
    np.testing.assert_allclose(drawn[2], 2 * drawn[1] + 1)
    assert set(ancestors([own["twice"]])).isdisjoint(model.basic_RVs)


def test_a_name_that_the_other_gives_to_something_else_is_not_taken(model: models.BNN) -> None:
    with model:
        pm.Deterministic("w0_raw", 3.0 * model["w0"])
    own = models.BNN(X, X[:, 0], (3,), prior=model.priors, parametrization="noncentered")
    assert not take_deterministics(model, own)


def test_what_hangs_on_other_variables_is_not(model: models.BNN) -> None:
    with model:
        another = pm.Normal("another")
        pm.Deterministic("sum", another + model["w0"].sum())
    raw = models.BNN(X, X[:, 0], (3,), prior=model.priors, parametrization="noncentered")
    assert not take_deterministics(model, raw)
    assert "sum" not in raw.named_vars

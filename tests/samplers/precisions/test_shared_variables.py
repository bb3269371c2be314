"""Shared variables of PyTensor in a prior may change between two runs, as data may."""

from dataclasses import dataclass

import numpy as np
import pymc as pm
import pytensor
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.models.priors.base import Group
from pymc_bnn.samplers.potential.constants import data_of
from pymc_bnn.samplers.precisions.conjugacy import conjugate_precisions
from pymc_bnn.samplers.precisions.sufficient_statistics import SufficientStatistics
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.tensor.variable import TensorVariable

X = np.random.default_rng(2).normal(size=(9, 2))
FACTOR = 0.25


@dataclass(frozen=True)
class Tunable(models.Prior):
    """Normal weights, whose scale has a factor that can be changed."""

    factor: SharedVariable

    def scale(self, group: Group) -> TensorVariable:
        return self.factor * pm.Gamma(f"{group.name}_precision", 3.0, 3.0) ** -0.5

    def words(self) -> str:
        return "a factor times a scale"

    def to_dict(self) -> dict:
        return {"name": "Tunable"}


@pytest.fixture
def factor() -> SharedVariable:
    return pytensor.shared(np.float64(1.0), name="factor")


@pytest.fixture
def model(factor: SharedVariable) -> models.BNN:
    return models.BNN(X, X[:, 0], hidden=(), prior=Tunable(factor))


def test_they_are_data_of_a_model(model: models.BNN, factor: SharedVariable) -> None:
    assert factor in data_of(model)
    assert {variable.name for variable in data_of(model)} >= {"X", "y", "factor"}


def test_a_conditional_distribution_knows_their_new_values(
    model: models.BNN, factor: SharedVariable
) -> None:
    [precision] = [p for p in conjugate_precisions(model) if p.variable.name == "w0_precision"]
    statistics = SufficientStatistics(model, [precision], [precision])
    point = model.initial_point(0)
    point["w0"] = np.array([[1.0], [2.0]])
    shape, rate = statistics(point)
    np.testing.assert_allclose([shape, rate], [[3 + 1.0], [3 + 5.0 / 2]])
    factor.set_value(np.float64(FACTOR))
    shape, rate = statistics(point)
    np.testing.assert_allclose([shape, rate], [[3 + 1.0], [3 + 5.0 / 2 / FACTOR**2]])


def test_sweeps_that_read_scales_once_are_refused_and_not_recommended(model: models.BNN) -> None:
    with pytest.raises(ValueError, match="a scale of w0 that data or other variables change"):
        samplers.GibbsHMC(model=model)
    found = samplers.recommended_steps(model)
    assert [type(step).__name__ for step in found] == ["GibbsPrecision", "StaticHMC"]


@dataclass(frozen=True)
class AroundData(models.Prior):
    """Normal weights around a number among the data."""

    def scale(self, group: Group) -> TensorVariable:
        return pm.Gamma(f"{group.name}_precision", 3.0, 3.0) ** -0.5

    def declare(self, group: Group, scale: TensorVariable, parametrization: str) -> TensorVariable:
        return pm.Normal(group.name, pm.Data(f"{group.name}_mean", 0.0), scale, dims=group.dims)

    def words(self) -> str:
        return "around data"


def test_so_are_sweeps_that_read_means_once() -> None:
    model = models.BNN(X, X[:, 0], hidden=(), prior=AroundData())
    with pytest.raises(ValueError, match="a mean of w0 that data or other variables change"):
        samplers.GibbsHMC(model=model)
    steps = samplers.recommended_steps(model)
    assert [type(step).__name__ for step in steps] == ["GibbsPrecision", "StaticHMC"]
    with model:
        pm.set_data({"w0_mean": 5.0})
    parameters = steps[1].conditional.parameters(model.initial_point(0))
    assert parameters.mean[steps[1].conditional.layout.slices["w0"]].tolist() == [5.0, 5.0]


@dataclass(frozen=True)
class RateOfData(models.Prior):
    """Normal weights, whose precisions have a rate among the data."""

    def scale(self, group: Group) -> TensorVariable:
        rate = pm.Data(f"{group.name}_rate", 1.0)
        return pm.Gamma(f"{group.name}_precision", 3.0, rate) ** -0.5

    def words(self) -> str:
        return "a rate of data"


@pytest.mark.parametrize("step", [samplers.GibbsHMC, samplers.SplitLeapfrog])
def test_so_are_sweeps_that_read_rates_once(step: type) -> None:
    model = models.BNN(X, X[:, 0], hidden=(), prior=RateOfData())
    words = "a gamma prior of w0_precision that data or other variables change, a gamma prior of b0"
    with pytest.raises(ValueError, match=words) as caught:
        step(model=model)
    assert "depend on each other" not in str(caught.value)

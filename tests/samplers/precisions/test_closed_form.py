"""What a network's precisions say in closed form is what the model's graph says."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.models.priors.base import Group
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.potential.temperature import at_temperature
from pymc_bnn.samplers.precisions.closed_form import ClosedForm, closed_form_of, network_noise
from pymc_bnn.samplers.precisions.conjugacy import conjugate_precisions
from pymc_bnn.samplers.precisions.hierarchy import find_hierarchy
from pymc_bnn.samplers.precisions.sufficient_statistics import SufficientStatistics
from pytensor.tensor.variable import TensorVariable

X = np.random.default_rng(0).normal(size=(9, 3))
TARGETS = {
    "one output": X[:, 0],
    "two outputs": X[:, :2],
    "three classes": np.arange(9) % 3,
    "two classes": np.arange(9) % 2,
}


@dataclass(frozen=True)
class Own(models.Prior):
    """Normal weights, each of a precision of its own."""

    def scale(self, group: Group) -> TensorVariable:
        shape, rate = np.float64(2), np.float64(3)  # PyTensor rounds 1 / 3.0 to single precision
        return pm.Gamma(f"{group.name}_precision", shape, rate, dims=group.dims) ** -0.5

    def words(self) -> str:
        return "normal, each of its own precision"


@dataclass(frozen=True)
class Penalized(models.NormalInverseGamma):
    """A prior that adds to the density what data say."""

    def scale(self, group: Group) -> TensorVariable:
        pm.Potential(f"{group.name}_penalty", -pm.Data(f"{group.name}_cost", 3.0))
        return super().scale(group)


PRIORS: dict[str, Any] = {
    "normal": models.Gaussian(0.7),
    "one precision for each group": models.NormalInverseGamma(0.5, 3.0),
    "one precision for each unit": models.ARD(0.5, 3.0),
    "one precision for each weight": Own(),
    "some of each": {
        "w0": models.ARD(0.5, 3.0),
        "b0": models.Scaled(),
        "w1": models.NormalInverseGamma(),
        "b1": models.Gaussian(2.0),
    },
}


def closed_form(model: models.BNN) -> tuple[Conditional, ClosedForm]:
    conditional = Conditional(model, model.groups)
    return conditional, ClosedForm(conditional, find_hierarchy(conditional, True, "a test"))


def assert_equal_to_the_graph(model: models.BNN, known: ClosedForm, seed: int) -> None:
    rng, start = np.random.default_rng(seed), initial_point(model)
    point = {k: np.asarray(v + rng.normal(size=v.shape)) for k, v in start.items()}
    expected = Conditional(model, model.groups).parameters_once(point)
    for found, wanted in zip(known(point), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("targets", TARGETS)
@pytest.mark.parametrize("prior", PRIORS)
def test_closed_form_equals_the_graph(prior: str, targets: str) -> None:
    y = TARGETS[targets]
    likelihood = {"two classes": "bernoulli", "three classes": "categorical"}.get(targets)
    kind = models.GaussianNoise(per_output=True) if targets == "two outputs" else likelihood
    model = models.BNN(X, y, (4,), prior=PRIORS[prior], likelihood=kind or "gaussian")
    _, known = closed_form(model)
    for seed in (1, 2):
        assert_equal_to_the_graph(model, known, seed)


def test_other_data_are_noticed() -> None:
    model = models.ard(X, X[:, 0], hidden=(4,))
    _, known = closed_form(model)
    before = float(known.log_constant(np.zeros(known.precisions.size)))
    fewer = {"X": X[:5], "y": X[:5, :1]}
    with model:
        for name, values in fewer.items():
            model[name].set_value(values)
    assert float(known.log_constant(np.zeros(known.precisions.size))) != before
    assert_equal_to_the_graph(model, known, seed=3)


def test_log_constants_of_many_draws_are_those_of_each() -> None:
    _, known = closed_form(models.ard(X, X[:, 0], hidden=(4,)))
    draws = np.random.default_rng(4).normal(size=(2, 5, known.precisions.size))
    each = [[float(known.log_constant(draw)) for draw in chain] for chain in draws]
    np.testing.assert_allclose(known.log_constant(draws), each, rtol=1e-12)


def test_blocks_that_are_no_hierarchy_have_no_closed_form() -> None:
    def form(model: models.BNN, names: Any = None) -> ClosedForm | None:
        return closed_form_of(Conditional(model, names or model.groups))

    y = X[:, 0]
    assert form(models.ard(X, y, hidden=(4,))) is not None
    assert form(models.ard(X, y, hidden=(4,)), ["w0"]) is None
    assert form(models.BNN(X, y, hidden=(4,), prior=models.ConjugateHorseshoe())) is None
    assert form(models.BNN(X, y, hidden=(4,), likelihood=models.StudentTNoise())) is None
    assert form(models.BNN(X, y, hidden=(4,), prior=Penalized())) is None
    with models.ard(X, y, hidden=(4,)) as added:
        pm.Normal("another")
    assert form(added) is None


@pytest.mark.parametrize("targets", ["one output", "two outputs"])
@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_noise_of_a_network_adds_what_its_graph_adds(targets: str, temperature: float) -> None:
    y, several = TARGETS[targets], targets == "two outputs"
    likelihood = models.GaussianNoise(per_output=several)
    model = models.BNN(X, y, (4,), likelihood=likelihood, activation="relu")
    precisions = conjugate_precisions(model)
    fused = SufficientStatistics(model, precisions, precisions)
    assert fused.noise is not None
    graph = SufficientStatistics(model, precisions, precisions)
    graph.noise = None
    graph.inputs, graph.remainder = graph._compile(graph._symbolic_remainder())
    rng, start = np.random.default_rng(5), initial_point(model)
    for cases in (9, 5):
        with model:
            model["X"].set_value(X[:cases])
            model["y"].set_value(y.reshape(9, -1)[:cases])
        point = {k: np.asarray(v + rng.normal(size=v.shape)) for k, v in start.items()}
        with at_temperature(model, temperature):
            for found, wanted in zip(fused(point), graph(point), strict=True):
                np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_noise_that_is_no_network_s_is_left_to_the_graph() -> None:
    for likelihood in (models.StudentTNoise(), "bernoulli"):
        y = X[:, 0] if likelihood != "bernoulli" else np.arange(9) % 2
        model = models.BNN(X, y, (4,), likelihood=likelihood)
        assert network_noise(model, conjugate_precisions(model), np.arange(9)) is None

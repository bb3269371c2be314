"""Networks whose weights are functions of a block have the energy and gradient of their graph."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.potential.agreement import (
    DisagreementError,
    check_potential,
    density_of,
)
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.potential.graphs import mapped_network, network_energy
from pymc_bnn.samplers.potential.graphs.logistic_weights import levels_of
from pymc_bnn.samplers.potential.rest import compile_probe
from pymc_bnn.samplers.potential.temperature import at_temperature

RNG = np.random.default_rng(3)
X = RNG.normal(size=(11, 2))
ONE, TWO = X[:, :1] + 0.3 * RNG.normal(size=(11, 1)), np.sin(X)
CLASSES = np.arange(11) % 3
NIG, PER_OUTPUT = models.NormalInverseGamma(), models.GaussianNoise(per_output=True)
TEMPERATURES = 1.0, 1.7, 1e6, np.inf
Build = Callable[[], models.BNN]


def network(y: Any, hidden: tuple[int, ...] = (3,), **arguments: Any) -> models.BNN:
    return models.BNN(X, y, hidden, **{"parametrization": "noncentered", **arguments})


def ridge() -> models.BNN:
    """A potential on weights that the network computes with."""
    with network(ONE, prior=NIG) as model:
        pm.Potential("ridge", -3.0 * (model["w0"] ** 2).sum())
    return model


def laplace() -> models.BNN:
    """A prior whose weights are Laplace in their centred form."""

    class Laplace(models.Gaussian):
        def declare(self, group: Any, scale: Any, parametrization: str) -> Any:
            return pm.Laplace(group.name, 0.0, 1.0, dims=group.dims)

    return network(CLASSES, prior=Laplace(), likelihood="categorical", parametrization="centered")


REFLECTED: dict[str, Any] = {"parametrization": "noncentered"}


def logistic_ridge() -> models.BNN:
    """Groups that share a scale, and a potential on levels that the kernel takes."""
    prior = {name: models.Logistic(scale_of="w0") for name in ("b0", "w1", "b1")}
    noise = models.GaussianNoise(integrate=True)
    prior["w0"] = models.Logistic()
    with models.logistic(X, TWO, (3,), prior=prior, likelihood=noise, **REFLECTED) as model:
        pm.Potential("ridge", -3.0 * (model["w0_raw"] ** 2).sum())
    return model


NETWORKS: dict[str, Build] = {
    "one precision, two outputs": lambda: network(TWO, prior=models.ARD()),
    "horseshoe": lambda: network(TWO, (2, 3), prior=models.Horseshoe(), likelihood=PER_OUTPUT),
    "regularized horseshoe": lambda: network(
        CLASSES % 2, (2,), prior=models.RegularizedHorseshoe(), likelihood="bernoulli"
    ),
    "box, no biases": lambda: network(
        ONE, (2,), prior=models.Box(0.5), biases=False, parametrization="centered"
    ),
    "ridge": ridge,
    "Laplace": laplace,
    "logistic": lambda: models.logistic(X, TWO, (2, 3), **REFLECTED),
    "logistic, shared scale": lambda: logistic_ridge(),
}


def point_of(model: pm.Model, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    start = initial_point(model)
    return {k: np.asarray(v + 0.5 * rng.normal(size=v.shape)) for k, v in start.items()}


def assert_as_graph(conditional: Conditional, potential: Any, seed: int) -> None:
    point = point_of(conditional.model, seed)
    expected = density_of(conditional.model)(point)
    energy, gradient = potential(point)
    constant = float(conditional.parameters(point).log_constant)
    np.testing.assert_allclose(constant - energy, expected.total, rtol=1e-9, atol=1e-9)
    for name, where in conditional.layout.slices.items():
        slope = expected.gradient[name].ravel()
        np.testing.assert_allclose(-gradient[where], slope, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("name", NETWORKS)
def test_energy_and_gradient_are_those_of_the_graph(name: str) -> None:
    model = NETWORKS[name]()
    conditional = Conditional(model, [v.name for v in model.value_vars])
    assert conditional.mapped is not None
    potential = compile_probe(conditional, conditional.compile_rest(gradient=True))
    for seed, temperature in enumerate(TEMPERATURES):
        with at_temperature(model, temperature):
            assert_as_graph(conditional, potential, seed)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("where", [0.0, 1.0, 3.0, 1e18, -1e300])
def test_at_the_walls_levels_are_those_of_the_graph(where: float) -> None:
    """Coordinates that are too large to be told apart stand for a wall; none is a network of 0."""
    conditional = Conditional(WALLED, [v.name for v in WALLED.value_vars])
    potential = compile_probe(conditional, conditional.compile_rest(gradient=True))
    start = initial_point(WALLED)
    every = {k: np.full_like(v, where) for k, v in start.items()}
    one = {**start, "w0_raw_reflected__": every["w0_raw_reflected__"]}
    for point in (every, one):
        expected = density_of(WALLED)(point).total
        energy = float(conditional.parameters(point).log_constant) - potential(point)[0]
        np.testing.assert_allclose(energy, expected, rtol=1e-10)
    assert not np.isfinite(potential(every)[0])


INTEGRATED = models.GaussianNoise(integrate=True)
WALLED = models.logistic(X, ONE, (2,), likelihood=INTEGRATED, **REFLECTED)
BLOCKS = {
    "hyperparameters held": lambda model: [f"{group}_raw" for group in model.groups],
    "some weights": lambda model: ["w0_raw", "b1_raw"],
    "noise alone": lambda model: ["noise_precision_log__"],
}


def test_levels_of_mirrored_copies_and_blocks_without_a_scale() -> None:
    """Coordinates far from the first copy; and where a scale is held, the graph is taken."""
    model = models.logistic(X, ONE, (2,), **REFLECTED)
    every = [v.name for v in model.value_vars]
    part = [name for name in every if name != "w1_scale_level_reflected__"]
    for names, fast in ((every, True), (part, False)):
        conditional = Conditional(model, names)
        assert (levels_of(conditional) is not None) == fast
        potential = compile_probe(conditional, conditional.compile_rest(gradient=True))
        start = initial_point(model)
        point = {k: np.asarray(v + 7.3 * RNG.normal(size=v.shape)) for k, v in start.items()}
        expected = density_of(model)(point)
        energy, gradient = potential(point)
        assert float(conditional.parameters(point).log_constant) - energy == pytest.approx(
            expected.total, rel=1e-10
        )
        for name, where in conditional.layout.slices.items():
            slope = expected.gradient[name].ravel()
            np.testing.assert_allclose(-gradient[where], slope, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("block", BLOCKS)
def test_blocks_of_some_variables_are_mapped_too(block: str) -> None:
    model = network(TWO, prior=NIG, likelihood=PER_OUTPUT)
    conditional = Conditional(model, BLOCKS[block](model))
    assert conditional.mapped is not None
    potential = compile_probe(conditional, conditional.compile_rest(gradient=True))
    with at_temperature(model, 2.0):
        assert_as_graph(conditional, potential, 1)


def test_renewed_data_and_copies_in_other_processes() -> None:
    model = network(ONE, prior=NIG)
    conditional = Conditional(model, [v.name for v in model.value_vars])
    potential = compile_probe(conditional, conditional.compile_rest(gradient=True))
    for cases in (11, 40):
        rng = np.random.default_rng(cases)
        with model:
            pm.set_data({"X": rng.normal(size=(cases, 2)), "y": rng.normal(size=(cases, 1))})
        assert_as_graph(conditional, potential, cases)
    mapped = pickle.loads(pickle.dumps(conditional.mapped.__getstate__()["_cases"]))
    assert mapped == {}


def test_single_precision_rounds_the_gradient_and_not_the_energy() -> None:
    model = network(TWO, prior=models.Horseshoe(), likelihood=PER_OUTPUT)
    with model:
        pm.Potential("data", (model["X"].sum() + 1.0) * model["b1"].sum())  # has shared variables
    names = [v.name for v in model.value_vars]
    single, double = (Conditional(model, names, p) for p in ("float32", "float64"))
    rests = [block.compile_rest(gradient=True) for block in (single, double)]
    potentials = [compile_probe(b, r) for b, r in zip((single, double), rests, strict=True)]
    point = point_of(model, 4)
    (rounded, slope), (energy, exact) = (potential(point) for potential in potentials)
    assert 0 < abs(slope - exact).max() < 1e-4 * abs(exact).max()
    assert rounded == pytest.approx(energy, rel=1e-12)
    q, data = single.layout.ravel(point), single.data(rests[0], point, single.parameters(point))
    quadratic, _ = single.parameters(point).normal_priors(q)
    assert rests[0].exact(q, 0.0, data) + quadratic == pytest.approx(energy, rel=1e-12)


def test_an_energy_without_likelihood_is_the_prior_also_where_the_network_overflows() -> None:
    model = network(ONE, prior=NIG)
    conditional = Conditional(model, [v.name for v in model.value_vars])
    potential = compile_probe(conditional, conditional.compile_rest(gradient=True))
    far = {"w1_raw": np.full((3, 1), 1e140), "w1_precision_log__": np.array(-100.0)}
    point = point_of(model, 1) | far
    assert not np.isfinite(potential(point)[0])
    with at_temperature(model, np.inf):
        assert np.isfinite(potential(point)[0])


@pytest.mark.parametrize("wrong", ["the slope by the noise", "the power"])
def test_another_energy_is_refused(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if wrong == "the power":
        monkeypatch.setattr(mapped_network, "current", lambda model: 1.0)
    else:
        pullback = network_energy.NetworkEnergy.pullback

        def without(*arguments: Any) -> list[Any]:
            by_weights, by_precision, data = pullback(*arguments)
            return [by_weights, 0.0 * by_precision, data]

        monkeypatch.setattr(network_energy.NetworkEnergy, "pullback", without)
    model = network(ONE, prior=NIG)
    conditional = Conditional(model, [v.name for v in model.value_vars])
    potential = compile_probe(conditional, conditional.compile_rest(gradient=True))
    with pytest.raises(DisagreementError):
        check_potential(conditional, potential, "a step")

"""The potential of a block is the model's log posterior, and its gradient is exact."""

from itertools import product

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.samplers.conditional import Conditional
from pymc_bnn.samplers.engine import specialize
from pymc_bnn.samplers.leapfrog import Trajectory, compile_leapfrog
from pymc_bnn.samplers.memory import initial_point

X = np.random.default_rng(0).normal(size=(9, 3))
TARGETS = {
    "gaussian_noise": X @ np.array([[1.0, -1.0], [0.5, 2.0], [0.0, 1.0]]),
    "bernoulli": np.arange(9) % 2,
    "categorical": np.arange(9) % 3,
}
ACTIVATIONS = ("tanh", "relu", "logistic", "softplus", "identity")
PRIORS = {"gaussian": models.Gaussian(), "ard": models.ARD(by="target")}


def energy_only(q, data):
    """Template: energy of the rest."""
    return rest(q, allocate(data), data)


def energy_and_gradient(q, data):
    """Template: energy and gradient of the rest."""
    gradient = np.empty(q.size)
    return rest(q, gradient, allocate(data), data), gradient


allocate = rest = None

PLAIN = "FAST_COMPILE"  # neither numba nor the kernels under test


def perturbed(model: pm.Model, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    point = initial_point(model)
    return {k: np.asarray(v + 0.5 * rng.normal(size=v.shape)) for k, v in point.items()}


def log_posterior(model: pm.Model, point: dict) -> float:
    return float(model.compile_logp(mode=PLAIN)(point))


def end_of(model: pm.Model, conditional: Conditional, point: dict) -> tuple[Trajectory, float]:
    """A trajectory without movement, and the constant between energy and log posterior."""
    compiled = conditional.compile_rest(gradient=True)
    run = compile_leapfrog(conditional, compiled)
    parameters = conditional.parameters(point)
    q = conditional.layout.ravel(point)
    zero = np.zeros(q.size)
    end = run(
        q,
        zero,
        zero,
        1,
        parameters.mean,
        parameters.precision,
        conditional.data(compiled, point, parameters),
    )
    return Trajectory(*end), float(parameters.log_constant)


@pytest.mark.parametrize(
    ("activation", "likelihood", "depth", "prior"),
    [
        *product(ACTIVATIONS, ["gaussian_noise"], [1], ["gaussian"]),
        *product(["tanh"], ["bernoulli", "categorical"], [0, 1], ["gaussian"]),
        *product(["tanh"], TARGETS, [3], ["ard"]),
    ],
)
def test_potential_and_gradient_equal_the_models(
    activation: str, likelihood: str, depth: int, prior: str
) -> None:
    model = models.BNN(
        X,
        TARGETS[likelihood],
        hidden=(4, 2, 3)[:depth],
        activation=activation,
        likelihood=likelihood,
        prior=PRIORS[prior],
    )
    conditional = Conditional(model, model.groups)
    assert conditional.fused
    point = perturbed(model, 1)
    end, constant = end_of(model, conditional, point)
    logp = log_posterior(model, point)
    assert constant - end.initial_potential == pytest.approx(logp, rel=1e-12)

    compiled = conditional.compile_rest(gradient=True)
    evaluate = specialize(
        energy_and_gradient, compiled.key, allocate=compiled.allocate, rest=compiled.evaluate
    )
    parameters = conditional.parameters(point)
    q = conditional.layout.ravel(point)
    _, gradient = evaluate(q, conditional.data(compiled, point, parameters))
    ours = -gradient - parameters.precision * (q - parameters.mean)
    variables = [model.rvs_to_values[model[name]] for name in conditional.layout.names]
    dlogp = model.compile_dlogp([model[v.name] for v in variables], mode=PLAIN)(point)
    np.testing.assert_allclose(ours, dlogp, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("likelihood", TARGETS)
def test_energy_without_gradient_is_the_same_number(likelihood: str) -> None:
    model = models.BNN(X, TARGETS[likelihood], hidden=(4,), likelihood=likelihood)
    conditional = Conditional(model, model.groups)
    point = perturbed(model, 2)
    parameters = conditional.parameters(point)
    q = conditional.layout.ravel(point)
    energies = []
    for gradient, template in ((False, energy_only), (True, energy_and_gradient)):
        compiled = conditional.compile_rest(gradient)
        run = specialize(template, compiled.key, allocate=compiled.allocate, rest=compiled.evaluate)
        result = run(q, conditional.data(compiled, point, parameters))
        energies.append(result[0] if gradient else result)
    assert energies[0] == pytest.approx(energies[1], rel=1e-14)


@pytest.mark.parametrize("names", [["w0"], ["w1", "b0"], ["w0_precision_log__", "w0"]])
def test_part_of_a_network_is_a_block_too(names: list[str], choo_model: models.BNN) -> None:
    conditional = Conditional(choo_model, names)
    assert not conditional.fused
    point = perturbed(choo_model, 3)
    end, constant = end_of(choo_model, conditional, point)
    logp = log_posterior(choo_model, point)
    assert constant - end.initial_potential == pytest.approx(logp, rel=1e-12)


def test_any_model_is_split_into_normal_priors_and_the_rest() -> None:
    with pm.Model() as model:
        scale = pm.HalfNormal("scale")
        a = pm.Normal("a", 1.0, scale, shape=2)
        b = pm.Normal("b", a.sum(), 2.0)
        pm.StudentT("c", 3, b)
        pm.Potential("p", -(a**4).sum())
    block = ["a", "b", "c"]
    conditional = Conditional(model, block)
    point = perturbed(model, 4)
    parameters = conditional.parameters(point)
    precision = np.exp(-2 * point["scale_log__"])
    np.testing.assert_allclose(parameters.precision, [precision, precision, 0, 0])
    np.testing.assert_allclose(parameters.mean[:2], 1.0)
    end, constant = end_of(model, conditional, point)
    assert constant - end.initial_potential == pytest.approx(log_posterior(model, point), rel=1e-12)


def test_new_data_in_the_containers_are_used(choo_model: models.BNN) -> None:
    conditional = Conditional(choo_model, choo_model.groups)
    point = perturbed(choo_model, 5)
    old = choo_model["X"].get_value(), choo_model["y"].get_value()
    rng = np.random.default_rng(5)
    try:
        for cases in (8, 5):
            with choo_model:
                pm.set_data({"X": rng.normal(size=(cases, 2)), "y": rng.normal(size=(cases, 1))})
            end, constant = end_of(choo_model, conditional, point)
            logp = log_posterior(choo_model, point)
            assert constant - end.initial_potential == pytest.approx(logp, rel=1e-12)
    finally:
        with choo_model:
            pm.set_data({"X": old[0], "y": old[1]})


@pytest.mark.parametrize("size", [1e2, 1e4, 1e6])
@pytest.mark.parametrize("likelihood", TARGETS)
def test_extreme_weights_give_no_nan(likelihood: str, size: float) -> None:
    """Saturated units and huge logits have a large energy, not an undefined one."""
    model = models.BNN(X, TARGETS[likelihood], hidden=(4,), likelihood=likelihood)
    conditional = Conditional(model, model.groups)
    compiled = conditional.compile_rest(gradient=True)
    evaluate = specialize(
        energy_and_gradient, compiled.key, allocate=compiled.allocate, rest=compiled.evaluate
    )
    point = initial_point(model)
    signs = np.sign(np.random.default_rng(6).normal(size=conditional.layout.size))
    data = conditional.data(compiled, point, conditional.parameters(point))
    energy, gradient = evaluate(size * signs, data)
    assert 0 <= energy < np.inf
    assert np.isfinite(gradient).all()

"""The potential of a block is the model's log posterior, whatever the block and the data."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.dynamics.leapfrog import Trajectory, compile_leapfrog
from pymc_bnn.samplers.potential.conditional import Conditional

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


@pytest.mark.parametrize("names", [["w0"], ["w1", "b0"], ["w0_precision_log__", "w0"]])
def test_part_of_a_network_is_a_block_too(names: list[str], choo_model: models.BNN) -> None:
    conditional = Conditional(choo_model, names)
    assert not conditional.fused
    point = perturbed(choo_model, 3)
    end, constant = end_of(choo_model, conditional, point)
    logp = log_posterior(choo_model, point)
    assert constant - end.initial_potential == pytest.approx(logp, rel=1e-12)


def test_one_precision_of_one_weight_per_unit_is_in_a_block_with_its_weights() -> None:
    """PyTensor fuses such a precision's loop until no array is left to it."""
    x = np.linspace(-1.0, 1.0, 6)[:, None]
    model = models.BNN(x, x[:, 0], hidden=(2,), prior=models.ARD(), biases=False)
    conditional = Conditional(model, [variable.name for variable in model.value_vars])
    point = perturbed(model, 3)
    end, constant = end_of(model, conditional, point)
    assert constant - end.initial_potential == pytest.approx(log_posterior(model, point), rel=1e-12)


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

"""Single precision rounds the gradient, and nothing that decides about a draw."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.models.likelihoods.bernoulli import bernoulli
from pymc_bnn.models.likelihoods.kernels.kernel import Kernel
from pymc_bnn.models.simd.kernels import jit
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.dynamics.leapfrog import Trajectory, compile_leapfrog
from pymc_bnn.samplers.dynamics.windowed import Windows, compile_windowed
from pymc_bnn.samplers.potential.agreement import DisagreementError
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.potential.rest import compile_probe

ROUNDING = np.finfo(np.float32).eps
TARGETS = {
    "gaussian_noise": lambda X: np.column_stack([np.sin(X[:, 0]), X[:, 1]]),
    "bernoulli": lambda X: X[:, 0] > 0,
    "categorical": lambda X: np.arange(len(X)) % 3,
}


def network(likelihood: str, cases: int, hidden: tuple[int, ...] = (5, 4)) -> models.BNN:
    X = np.random.default_rng(1).normal(size=(cases, 3))
    return models.BNN(X, TARGETS[likelihood](X), hidden, likelihood=likelihood)


def follow(model: models.BNN, precision: str, n_leapfrog: int, step: float = 0.01) -> Trajectory:
    conditional = Conditional(model, model.groups, precision)
    rest = conditional.compile_rest(gradient=True)
    run = compile_leapfrog(conditional, rest)
    point = initial_point(model)
    parameters = conditional.parameters(point)
    q, p = np.random.default_rng(2).normal(size=(2, conditional.layout.size))
    data = conditional.data(rest, point, parameters)
    arguments = (np.full(q.size, step), n_leapfrog, parameters.mean, parameters.precision)
    return Trajectory(*run(q, p, *arguments, data))


@pytest.mark.parametrize("likelihood", TARGETS)
@pytest.mark.parametrize("cases", [3, 15, 16, 17, 33, 700])
def test_gradient_is_off_by_rounding_only(likelihood: str, cases: int) -> None:
    """One step from the same point: the momenta differ by the gradients' difference."""
    model = network(likelihood, cases)
    double, single = (follow(model, precision, 1) for precision in ("float64", "float32"))
    moved = np.random.default_rng(2).normal(size=(2, double.position.size))[1] - double.momentum
    difference = abs(single.momentum - double.momentum).max()
    assert 0 < difference < 100 * ROUNDING * abs(moved).max()


@pytest.mark.parametrize("likelihood", ["bernoulli", "categorical"])
def test_certain_classes_leave_no_subnormal_numbers(likelihood: str) -> None:
    """With them a gradient takes ten times as long; logits of 90 to 100 make some."""
    X = np.concatenate([np.linspace(-1, -0.9, 8), np.linspace(0.9, 1, 8)])[:, None]
    y = (X[:, 0] > 0) if likelihood == "bernoulli" else (X[:, 0] < 0)
    flat = models.Gaussian(sd=1e15)
    model = models.BNN(X, y, (), prior=flat, likelihood=likelihood, biases=False)
    slopes = slopes_of_likelihood(model, "float32", 100.0)  # all cases are certain and right
    assert (abs(slopes) > 1e-21).all()
    assert (abs(slopes) < 1e-17).all()
    assert (abs(slopes_of_likelihood(model, "float64", 100.0)) < 1e-27).all()
    wrong = (slopes_of_likelihood(model, name, -100.0) for name in ("float32", "float64"))
    np.testing.assert_allclose(*wrong, rtol=1e-6)


def slopes_of_likelihood(model: models.BNN, precision: str, weight: float) -> np.ndarray:
    """Gradient of the likelihood's energy where the first weight is large."""
    conditional = Conditional(model, model.groups, precision)
    point = initial_point(model)
    point["w0"] = np.zeros_like(point["w0"])
    point["w0"][0, 0] = weight
    return compile_probe(conditional, conditional.compile_rest(gradient=True))(point)[1]


@pytest.mark.parametrize("likelihood", TARGETS)
def test_energies_of_both_ends_are_those_of_double_precision(likelihood: str) -> None:
    model = network(likelihood, 50)
    double = follow(model, "float64", 1)
    single = follow(model, "float32", 1)
    assert single.initial_potential == double.initial_potential
    conditional = Conditional(model, model.groups)
    rest = conditional.compile_rest(gradient=True)
    point = initial_point(model)
    parameters = conditional.parameters(point)
    still = Trajectory(
        *compile_leapfrog(conditional, rest)(
            single.position,
            np.zeros(single.position.size),
            np.zeros(single.position.size),
            1,
            parameters.mean,
            parameters.precision,
            conditional.data(rest, point, parameters),
        )
    )
    assert single.final_potential == pytest.approx(still.initial_potential, rel=1e-14)


def test_a_trajectory_reverses() -> None:
    model = network("gaussian_noise", 50)
    conditional = Conditional(model, model.groups, "float32")
    rest = conditional.compile_rest(gradient=True)
    run = compile_leapfrog(conditional, rest)
    point = initial_point(model)
    parameters = conditional.parameters(point)
    data = conditional.data(rest, point, parameters)
    q, p = np.random.default_rng(2).normal(size=(2, conditional.layout.size))
    arguments = (np.full(q.size, 0.003), 20, parameters.mean, parameters.precision, data)
    there = Trajectory(*run(q, p, *arguments))
    back = Trajectory(*run(there.position, -there.momentum, *arguments))
    assert abs(there.position - q).max() > 0.01
    np.testing.assert_allclose(back.position, q, atol=1e-10)


@jit
def slightly_more(plan, at, y_at, n):
    return 1.001 * bernoulli(plan, at, y_at, n)


class SlightlyMore(models.Bernoulli):
    """Its kernel has the gradient of the graph, and another energy."""

    kernel = Kernel(slightly_more)


@pytest.mark.parametrize("step", ["StaticHMC", "GibbsHMC"])
def test_the_energy_that_accepts_is_compared_as_in_double_precision(step: str) -> None:
    X = np.random.default_rng(1).normal(size=(40, 3))
    model = models.normal_inverse_gamma(X, X[:, 0] > 0, hidden=(4,), likelihood=SlightlyMore())
    names = {"vars": [model[name] for name in model.groups]} if step == "StaticHMC" else {}
    with pytest.raises(DisagreementError, match="the energy of"):
        getattr(samplers, step)(**names, precision="float32", model=model)


def test_what_overflows_in_single_precision_alone_is_a_failure() -> None:
    """The mean of a count, e**89, is a finite number in double precision only."""
    model = models.BNN(np.zeros((3, 1)), np.ones(3, int), (), likelihood=models.Poisson())
    step = samplers.StaticHMC(n_leapfrog=5, step_sizes="adapt", precision="float32", model=model)
    point = {name: np.zeros_like(value) for name, value in initial_point(model).items()}
    point["b0"] = np.full_like(point["b0"], 89.0)
    moved, [found] = step.step(point)
    assert found["diverging"]
    assert found["acceptance_rate"] == 0
    assert moved["b0"] == 89.0


def test_windows_hold_no_state_that_overflows_in_single_precision_alone() -> None:
    """A momentum that dwarfs the energy moves a residual from where its square is a number.

    Its gradient is one in single precision too, so that the state itself does not tell.
    """
    model = models.BNN(np.zeros((1, 1)), np.zeros(1), ())
    conditional = Conditional(model, model.groups, "float32")
    rest = conditional.compile_rest(gradient=True)
    point = initial_point(model)
    parameters = conditional.parameters(point)
    data = conditional.data(rest, point, parameters)
    run, unit = compile_windowed(rest, "diag"), 1e-10
    start, lengths = np.full(2, 1.5e19), np.full(2, unit)
    for end, weight in ((2e19, -np.inf), (1e19, 0.0)):
        momentum = (end - start) / unit
        given = (start, momentum, lengths, 1, 1, 0, np.full(1, 0.5))
        found = Windows(*run(*given, parameters.mean, parameters.precision, data))
        assert found.log_weights[1] == weight
        assert found.diverging == (weight != 0.0)


def test_only_networks_with_a_fused_kernel_are_taken() -> None:
    with pm.Model() as model:
        pm.Normal("x")
    with pytest.raises(ValueError, match="precision='float32' needs a pymc_bnn network"):
        samplers.StaticHMC(step_sizes="adapt", precision="float32", model=model)
    with pytest.raises(ValueError, match="precision"):
        samplers.GibbsHMC(precision="float16", model=network("bernoulli", 9))

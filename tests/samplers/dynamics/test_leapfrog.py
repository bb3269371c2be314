"""Trajectories: reversible, volume preserving, second order, the same from all engines."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.dynamics.leapfrog import Trajectory, compile_leapfrog, scan_leapfrog
from pymc_bnn.samplers.potential.conditional import Conditional

from ..block import interpreted

Dynamics = Callable[..., Trajectory]


@pytest.fixture(scope="module")
def conditional(choo_step: samplers.StaticHMC) -> Conditional:
    return choo_step.conditional


@pytest.fixture(scope="module")
def follow(conditional: Conditional) -> Dynamics:
    """Dynamics of the weights of Choo's network, at given hyperparameters."""
    rest = conditional.compile_rest(gradient=True)
    run = compile_leapfrog(conditional, rest)
    point = initial_point(conditional.model)
    point = {name: np.asarray(value + 0.3) for name, value in point.items()}
    parameters = conditional.parameters(point)
    data = conditional.data(rest, point, parameters)
    mean, precision = parameters.mean, parameters.precision

    def dynamics(q: np.ndarray, p: np.ndarray, step: Any, n: int) -> Trajectory:
        steps = np.broadcast_to(np.asarray(step, float), q.shape).copy()
        return Trajectory(*run(q, p, steps, n, mean, precision, data))

    return dynamics


def state(seed: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=size), rng.normal(size=size)


seeds = st.integers(0, 2**32 - 1)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(seed=seeds, n=st.integers(1, 60), size=st.floats(1e-4, 0.01))
def test_trajectory_reverses(
    follow: Dynamics, conditional: Conditional, seed: int, n: int, size: float
) -> None:
    q, p = state(seed, conditional.layout.size)
    steps = size * np.exp(np.random.default_rng(seed).normal(size=q.size) * 0.3)
    end = follow(q, p, steps, n)
    back = follow(end.position, -end.momentum, steps, n)
    np.testing.assert_allclose(back.position, q, atol=1e-10)
    np.testing.assert_allclose(-back.momentum, p, atol=1e-10)


@settings(deadline=None, max_examples=5, derandomize=True)
@given(seed=seeds, n=st.integers(1, 8))
def test_trajectory_preserves_volume(
    follow: Dynamics, conditional: Conditional, seed: int, n: int
) -> None:
    q, p = state(seed, conditional.layout.size)
    size, h = q.size, 1e-5

    def end(z: np.ndarray) -> np.ndarray:
        trajectory = follow(z[:size], z[size:], 0.01, n)
        return np.concatenate([trajectory.position, trajectory.momentum])

    z = np.concatenate([q, p])
    unit = np.eye(2 * size) * h
    jacobian = np.column_stack([(end(z + e) - end(z - e)) / (2 * h) for e in unit])
    assert np.linalg.slogdet(jacobian)[1] == pytest.approx(0.0, abs=1e-5)


def test_energy_error_is_of_second_order(follow: Dynamics, conditional: Conditional) -> None:
    q, p = state(3, conditional.layout.size)
    errors = []
    for n in (100, 200, 400):
        end = follow(q, p, 0.2 / n, n)
        gained = 0.5 * (end.momentum @ end.momentum - p @ p)
        errors.append(abs(end.final_potential - end.initial_potential + gained))
    ratios = np.array(errors[:-1]) / errors[1:]
    np.testing.assert_allclose(ratios, 4.0, rtol=0.05)


def test_without_likelihood_components_oscillate_in_their_prior(follow: Dynamics) -> None:
    network = models.gaussian(np.zeros((1, 1)), np.zeros(1), hidden=(), biases=False)
    step = samplers.StaticHMC(step_scale=1.0, model=network)
    point = initial_point(network)
    point["noise_precision_log__"] = np.array(-800.0)  # no information in the data
    parameters = step.conditional.parameters(point)
    data = step.conditional.data(step._rest, point, parameters)
    q, p, h, n = np.array([0.7]), np.array([-0.4]), 1e-3, 2500
    end = Trajectory(
        *step._run(q, p, np.array([h]), n, parameters.mean, parameters.precision, data)
    )
    t = h * n
    assert end.position[0] == pytest.approx(0.7 * np.cos(t) - 0.4 * np.sin(t), abs=1e-5)
    assert end.momentum[0] == pytest.approx(-0.4 * np.cos(t) - 0.7 * np.sin(t), abs=1e-5)


def test_trajectory_stops_where_the_energy_overflows(
    follow: Dynamics, conditional: Conditional
) -> None:
    q, p = state(4, conditional.layout.size)
    end = follow(q, 1e200 * p, 1e200, 100)
    assert end.steps < 100
    assert not np.isfinite(end.final_potential)


@pytest.mark.parametrize("n", [1, 7])
def test_scan_fallback_follows_the_same_trajectory(conditional: Conditional, n: int) -> None:
    q, p = state(5, conditional.layout.size)
    rest = conditional.compile_rest(gradient=True)
    point = initial_point(conditional.model)
    parameters = conditional.parameters(point)
    steps = np.full(q.size, 0.005)
    arguments = (q, p, steps, n, parameters.mean, parameters.precision)
    compiled = compile_leapfrog(conditional, rest)(
        *arguments, conditional.data(rest, point, parameters)
    )
    held = tuple(np.asarray(point[v.name]) for v in conditional.held)
    with interpreted():  # it is for other backends than numba
        scanned = scan_leapfrog(conditional)(*arguments, held)
    a, b = Trajectory(*compiled), Trajectory(*scanned)
    np.testing.assert_allclose(a.position, b.position, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(a.momentum, b.momentum, rtol=1e-10, atol=1e-12)
    gains = [end.final_potential - end.initial_potential for end in (a, b)]
    assert gains[0] == pytest.approx(gains[1], abs=1e-9)  # their constants differ

"""Integrators: reversible, of their order, and preserving volume."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.dynamics.integrators import INTEGRATORS
from pymc_bnn.samplers.dynamics.leapfrog import Trajectory, compile_leapfrog, scan_leapfrog

from ..block import Block, interpreted

X = np.linspace(-1.0, 1.0, 12).reshape(6, 2)
ORDERS = {"leapfrog": 2.0, "fourth-order": 4.0}


@cache
def block() -> Block:
    return Block(models.gaussian(X, np.sin(3 * X[:, 0]), hidden=(2,)))


@cache
def trajectory(name: str, compile: Callable = compile_leapfrog) -> Callable[..., Trajectory]:
    """Trajectories from a position and a momentum."""
    given = block()
    point = given.point(3)
    parameters = given.conditional.parameters(point)
    data = given.conditional.data(given.rest, point, parameters)
    if compile is scan_leapfrog:
        data = tuple(point[v.name] for v in given.conditional.held)
        with interpreted():  # it is for other backends than numba
            run = scan_leapfrog(given.conditional, INTEGRATORS[name])
    else:
        run = compile(given.conditional, given.rest, "diag", INTEGRATORS[name])
    prior = parameters.mean, parameters.precision
    return lambda q, p, steps, n: run(q, p, steps, n, *prior, data)


def start() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    size = block().layout.size
    return rng.normal(size=size), rng.normal(size=size)


def energy_error(name: str, n: int) -> float:
    q, p = start()
    end = trajectory(name)(q, p, np.full(q.size, 0.02 / n), n)
    kinetic = 0.5 * (end.momentum @ end.momentum - p @ p)
    return abs(end.final_potential - end.initial_potential + kinetic)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_energy_error_is_of_the_order(name: str) -> None:
    numbers = np.array([6, 12, 24])
    errors = [energy_error(name, n) for n in numbers]
    slope = -np.polyfit(np.log(numbers), np.log(errors), 1)[0]
    assert slope == pytest.approx(ORDERS[name], abs=0.25)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_trajectories_reverse(name: str) -> None:
    q, p = start()
    steps = 0.01 * np.exp(0.3 * np.random.default_rng(1).normal(size=q.size))
    end = trajectory(name)(q, p, steps, 7)
    back = trajectory(name)(end.position, -end.momentum, steps, 7)
    assert np.abs(end.position - q).max() > 0.01
    np.testing.assert_allclose(back.position, q, atol=1e-11)
    np.testing.assert_allclose(-back.momentum, p, atol=1e-11)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_volume_is_preserved(name: str) -> None:
    q, p = start()
    steps, size, h = np.full(q.size, 0.02), q.size, 1e-6
    state = np.concatenate([q, p])

    def map_of(state: np.ndarray) -> np.ndarray:
        end = trajectory(name)(state[:size].copy(), state[size:].copy(), steps, 3)
        return np.concatenate([end.position, end.momentum])

    jacobian = [(map_of(state + h * e) - map_of(state - h * e)) / (2 * h) for e in np.eye(2 * size)]
    sign, log_volume = np.linalg.slogdet(jacobian)
    assert sign > 0
    assert log_volume == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_scan_takes_the_same_steps(name: str) -> None:
    q, p = start()
    steps = np.full(q.size, 0.02)
    compiled, scanned = trajectory(name), trajectory(name, scan_leapfrog)
    a, b = compiled(q, p, steps, 5), scanned(q, p, steps, 5)
    np.testing.assert_allclose(a.position, b.position, rtol=1e-9)
    np.testing.assert_allclose(a.momentum, b.momentum, rtol=1e-9)


def test_fourth_order_samples_a_known_posterior() -> None:
    with pm.Model():
        x = pm.Normal("x", 3.0, [0.5, 2.0])
        step = samplers.StaticHMC(
            None, 3, 0.5, step_sizes="adapt", metric="unit", integrator="fourth-order"
        )
        idata = pm.sample(
            4000, tune=500, chains=2, cores=1, step=step, random_seed=1, progressbar=False,
            quiet=True,
        )  # fmt: skip
    draws = idata["posterior"][x.name].values.reshape(-1, 2)
    # nearly independent: odd moments of anharmonic errors would show at once
    assert np.all(abs(draws.mean(0) - 3.0) / (draws.std(0) / np.sqrt(2000)) < 3.5)
    assert np.all(abs(draws.var(0) / [0.25, 4.0] - 1) < 3.5 * np.sqrt(2 / 2000))


@pytest.mark.parametrize("name", INTEGRATORS)
def test_a_strongly_curved_energy_is_not_refused(name: str) -> None:
    with pm.Model():
        x = pm.Normal("x")
        pm.Potential("wave", pm.math.cos(100.0 * x))
        samplers.StaticHMC(n_leapfrog=2, step_sizes="adapt", integrator=name)

"""Integrators: reversible, of their order, and preserving volume; Metropolis proposals too."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled import engine
from pymc_bnn.samplers.compiled.templates import rebound
from pymc_bnn.samplers.dynamics.annealing import straight
from pymc_bnn.samplers.dynamics.integrators import INTEGRATORS
from pymc_bnn.samplers.dynamics.leapfrog import Trajectory, compile_leapfrog, scan_leapfrog
from pymc_bnn.samplers.dynamics.momentum import ANNEALED, MomentumRule
from pymc_bnn.samplers.dynamics.transition import transition
from scipy import stats

from ..block import Block, interpreted

X = np.linspace(-1.0, 1.0, 12).reshape(6, 2)
ORDERS = {"leapfrog": 2.0, "fourth-order": 4.0}
METROPOLIS = "Metropolis"
PROPOSALS = (*INTEGRATORS, METROPOLIS)


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
    elif name == METROPOLIS:
        energy = given.conditional.compile_rest(gradient=False)
        data = given.conditional.data(energy, point, parameters)
        run = engine.specialize(straight, allocate=energy.allocate, rest=energy.evaluate)
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


@pytest.mark.parametrize("name", PROPOSALS)
def test_trajectories_reverse(name: str) -> None:
    q, p = start()
    steps = 0.01 * np.exp(0.3 * np.random.default_rng(1).normal(size=q.size))
    end = trajectory(name)(q, p, steps, 7)
    back = trajectory(name)(end.position, -end.momentum, steps, 7)
    assert np.abs(end.position - q).max() > 0.01
    np.testing.assert_allclose(back.position, q, atol=1e-11)
    np.testing.assert_allclose(-back.momentum, p, atol=1e-11)


def volume(map_of: Callable[[np.ndarray], np.ndarray], state: np.ndarray) -> tuple[float, float]:
    """Sign and logarithm of the determinant of a map's derivative."""
    steps = 1e-6 * np.eye(state.size)
    jacobian = [(map_of(state + step) - map_of(state - step)) / 2e-6 for step in steps]
    sign, log_volume = np.linalg.slogdet(jacobian)
    return float(sign), float(log_volume)


@pytest.mark.parametrize("name", PROPOSALS)
def test_volume_is_preserved(name: str) -> None:
    q, p = start()
    steps, size = np.full(q.size, 0.02), q.size

    def map_of(state: np.ndarray) -> np.ndarray:
        end = trajectory(name)(state[:size].copy(), state[size:].copy(), steps, 3)
        return np.concatenate([end.position, end.momentum])

    sign, log_volume = volume(map_of, np.concatenate([q, p]))
    assert sign > 0
    assert log_volume == pytest.approx(0.0, abs=1e-6)


class Certain:
    """Random numbers by which all is accepted that has a chance."""

    def random(self) -> float:
        return 0.0


def paid(name: str, dummies: int, state: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Where an iteration ends that keeps the momentum, turned around; acceptance, and energy.

    A state is position, momentum and kinetic energy of the dummy components.
    """
    size = block().layout.size
    follow, metric = trajectory(name), np.full(size, 5e-4 if name == METROPOLIS else 2e-3)
    q, momentum, reserve = state[:size].copy(), state[size:-1].copy(), state[-1:].copy()
    move = rebound(
        transition,
        {
            **ANNEALED._asdict(),
            "refresh": lambda *kept: None,
            "trajectory": lambda q, p, metric, n, *prior: follow(q, p, metric, n),
            "copy": np.copyto,
            "half_square": lambda p: 0.5 * p @ p,
        },
    )
    rule = MomentumRule(0.0, 1.0, dummies, reserve)
    found = move(Certain(), q, momentum, rule, metric, 3, None, None, None)
    end = np.concatenate([q, -momentum, reserve])
    return end, found.acceptance, found.potential + found.kinetic


@pytest.mark.parametrize("dummies", [2, 9])
@pytest.mark.parametrize("name", ["leapfrog", METROPOLIS])
def test_what_dummies_pay_is_paid_back(name: str, dummies: int) -> None:
    """An accepted end leads back, with the same volume, and both ways are in balance.

    At any temperature, by the density that the energy of so many components has (Neal 1992,
    Eq. 25).
    """
    state = np.append(np.concatenate(start()), 5.0)
    end, there, energy_there = paid(name, dummies, state)
    again, back, energy = paid(name, dummies, end)
    np.testing.assert_allclose(again, state, atol=1e-10)
    assert abs(energy_there - energy) > 1
    for temperature in (1.0, 7.0):
        law = stats.gamma(0.5 * dummies, scale=temperature)
        gain = law.logpdf(end[-1]) - law.logpdf(state[-1]) - (energy_there - energy) / temperature
        assert gain == pytest.approx(np.log(there) - np.log(back), abs=1e-9)
    _, log_volume = volume(lambda near: paid(name, dummies, near)[0], state)
    assert log_volume == pytest.approx(0.0, abs=1e-5)


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

"""Trajectories through the walls of logistic levels: reversible, and of constant volume.

Levels of scales and of weights lie between 0 and 1, and their coordinates go on into mirrored
copies of that interval (Neal 1992, Eqs. 28-29).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.dynamics.leapfrog import Trajectory

STEPS, SIZE = 12, 0.03
LARGEST_ERROR = 2.0  # of the energy
Dynamics = Callable[..., Trajectory]


@pytest.fixture(scope="module")
def step() -> samplers.StaticHMC:
    x = np.array([[-1.5, 0.3], [-0.4, -1.0], [0.3, 0.8], [1.2, 0.1]])
    noise = models.GaussianNoise(sd=1.0, alpha=0.1, integrate=True)
    model = models.logistic(
        x, np.tanh(x[:, 0]), hidden=(2,), likelihood=noise, parametrization="noncentered"
    )
    return samplers.StaticHMC(None, STEPS, SIZE, step_sizes="adapt", model=model)


@pytest.fixture(scope="module")
def follow(step: samplers.StaticHMC) -> Dynamics:
    point = initial_point(step.model)
    parameters = step.conditional.parameters(point)
    data = step.conditional.data(step._rest, point, parameters)

    def dynamics(q: np.ndarray, p: np.ndarray) -> Trajectory:
        sizes = np.full(q.size, SIZE)
        found: Any = step._run(q, p, sizes, STEPS, parameters.mean, parameters.precision, data)
        return Trajectory(*found)

    return dynamics


def through_walls(
    step: samplers.StaticHMC, follow: Dynamics, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """A start of a trajectory that takes some levels of weights and of scales through walls.

    It is one that may be accepted: where curvature explodes, rounding errors do too.
    """
    rng, layout = np.random.default_rng(seed), step.conditional.layout
    names = initial_point(step.model)
    of_scales = layout.ravel({n: np.full(v.shape, "level" in n) for n, v in names.items()}) > 0
    while True:
        q, p = rng.uniform(0.05, 0.95, layout.size), rng.normal(size=layout.size)
        end = follow(q, p)
        crossed = np.floor(end.position) != np.floor(q)
        error = end.final_potential - end.initial_potential
        if abs(error + 0.5 * (end.momentum @ end.momentum - p @ p)) > LARGEST_ERROR:
            continue
        if crossed[of_scales].any() and crossed[~of_scales].any() and not crossed.all():
            return q, p


@pytest.mark.parametrize("seed", range(8))
def test_a_trajectory_through_walls_comes_back(
    step: samplers.StaticHMC, follow: Dynamics, seed: int
) -> None:
    q, p = through_walls(step, follow, seed)
    end = follow(q, p)
    back = follow(end.position, -end.momentum)
    np.testing.assert_allclose(back.position, q, atol=1e-8)
    np.testing.assert_allclose(-back.momentum, p, atol=1e-8)
    assert back.final_potential == pytest.approx(end.initial_potential, rel=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_it_conserves_volume(step: samplers.StaticHMC, follow: Dynamics, seed: int) -> None:
    """By differences too small for a neighbour to pass a wall at another step."""
    size, h = step.conditional.layout.size, 1e-7
    q, p = through_walls(step, follow, seed)

    def end(z: np.ndarray) -> np.ndarray:
        found = follow(z[:size], z[size:])
        return np.concatenate([found.position, found.momentum])

    z = np.concatenate([q, p])
    jacobian = [(end(z + e) - end(z - e)) / (2 * h) for e in h * np.eye(2 * size)]
    assert np.linalg.slogdet(np.array(jacobian))[1] == pytest.approx(0.0, abs=1e-3)


def test_mirrored_starts_go_mirrored_ways(step: samplers.StaticHMC, follow: Dynamics) -> None:
    """So that what a trajectory does past a wall is a reflection in the first copy."""
    q, p = through_walls(step, follow, 3)
    end = follow(q, p)
    for copy in (-q, 2.0 - q):
        mirrored = follow(copy, -p)
        np.testing.assert_allclose(mirrored.position - copy, q - end.position, atol=1e-8)
        np.testing.assert_allclose(mirrored.momentum, -end.momentum, atol=1e-8)
        assert mirrored.final_potential == pytest.approx(end.final_potential, rel=1e-8)

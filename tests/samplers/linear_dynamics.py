"""What stochastic gradients do on a normal posterior: linear maps, whose moments are exact.

Minibatches are enumerated, all of them, so that the moments are those of the noisy gradients too.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from pymc_bnn import models

NOISE_SD = 0.5


class Posterior(NamedTuple):
    """Normal posterior of a linear network's weights, which have standard normal priors.

    ``hessians`` and ``pulls`` are those of the energy as each minibatch estimates it, the pulls
    at the mean.
    """

    mean: np.ndarray
    hessian: np.ndarray
    hessians: np.ndarray
    pulls: np.ndarray


def linear_network(cases: int = 6) -> models.BNN:
    """Two inputs and a bias; the noise is held fixed by no step moving it."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(cases, 2))
    y = X @ np.array([1.0, -0.5]) + 0.3 + rng.normal(size=cases) * NOISE_SD
    return models.gaussian(X, y, hidden=())


def posterior(model: models.BNN, batch_size: int) -> Posterior:
    """Ordinary Bayesian linear regression, and what each minibatch makes of it."""
    X, y = model["X"].get_value(), model["y"].get_value()[:, 0]
    design = np.column_stack([X, np.ones(len(X))]) / NOISE_SD
    target = y / NOISE_SD
    hessian = design.T @ design + np.eye(3)
    mean = np.linalg.solve(hessian, design.T @ target)
    batches = [list(chosen) for chosen in combinations(range(len(X)), batch_size)]
    weight = len(X) / batch_size
    hessians = np.array([weight * design[s].T @ design[s] + np.eye(3) for s in batches])
    targets = np.array([weight * design[s].T @ target[s] for s in batches])
    return Posterior(mean, hessian, hessians, hessians @ mean - targets)


def outer(vectors: np.ndarray) -> np.ndarray:
    """Mean outer product of some vectors with themselves."""
    return np.einsum("si,sj->ij", vectors, vectors) / len(vectors)


def moved(covariance: np.ndarray, maps: np.ndarray, added: np.ndarray) -> np.ndarray:
    """Covariance after a random linear map of what has mean zero, and independent noise."""
    return np.einsum("sij,jk,slk->il", maps, covariance, maps) / len(maps) + added


def langevin_covariance(target: Posterior, epsilon: float) -> np.ndarray:
    """Stationary covariance of SGLD."""
    maps = np.eye(3) - 0.5 * epsilon * target.hessians
    added = epsilon * np.eye(3) + outer(0.5 * epsilon * target.pulls)
    operator = np.einsum("sij,skl->ikjl", maps, maps).reshape(9, 9) / len(maps)
    return np.linalg.solve(np.eye(9) - operator, added.ravel()).reshape(3, 3)


def momentum_covariance(
    target: Posterior,
    eta: float,
    n_leapfrog: int,
    friction: float,
    noise_estimate: float,
    temperature: float,
    velocity_sd: float,
) -> np.ndarray:
    """Stationary covariance of SGHMC at the ends of its trajectories."""
    eye, zero = np.eye(3), np.zeros((3, 3))
    damped = (1 - friction) * eye
    maps = np.array([np.block([[eye, eye], [-eta * h, damped - eta * h]]) for h in target.hessians])
    added = np.zeros((6, 6))
    added[3:, 3:] = 2 * (friction - noise_estimate) * eta * temperature * eye
    added[3:, 3:] += outer(eta * target.pulls)
    covariance = np.linalg.inv(target.hessian)
    for _ in range(3000):
        state = np.block([[covariance, zero], [zero, velocity_sd**2 * eye]])
        for _ in range(n_leapfrog):
            state = moved(state, maps, added)
        change = np.abs(state[:3, :3] - covariance).max()
        covariance = state[:3, :3]
        if change < 1e-12:
            return covariance
    raise AssertionError("no stationary covariance")


def momentum_variance(h: float, eta: float, n_leapfrog: int, friction: float) -> float:
    """Stationary variance of SGHMC with all cases on a normal posterior of precision ``h``."""
    one = np.array([[1.0, 1.0], [-eta * h, 1 - friction - eta * h]])
    powers = [np.linalg.matrix_power(one, k) for k in range(n_leapfrog + 1)]
    kicks = 2 * friction * eta * sum(power[0, 1] ** 2 for power in powers[:-1])
    return (powers[-1][0, 1] ** 2 * eta + kicks) / (1 - powers[-1][0, 0] ** 2)

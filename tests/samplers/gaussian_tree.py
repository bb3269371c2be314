"""Compiled trees of step methods on a Gaussian, beside the same dynamics in plain Python."""

from typing import NamedTuple

import numpy as np
import pymc as pm
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.dynamics.trees.trajectory_tree import Tree
from pymc_bnn.samplers.steps.bases.dynamic_hmc import DynamicHMC

MEAN = np.array([0.4, -1.0])
COVARIANCE = np.array([[1.0, 0.6], [0.6, 0.8]])
SCALES = {"diag": np.array([0.4, 0.25]), "dense": np.array([[0.35, 0.0], [0.2, 0.3]])}


def gaussian() -> pm.Model:
    with pm.Model() as model:
        pm.MvNormal("x", MEAN, cov=COVARIANCE)
    return model


class Phase(NamedTuple):
    """Point of a trajectory with a whitened momentum."""

    q: np.ndarray
    p: np.ndarray
    gradient: np.ndarray
    energy: float

    @property
    def v(self) -> np.ndarray:
        return self.p

    @property
    def virial(self) -> float:
        """Rate of change of the virial."""
        return float(self.p @ self.p - self.q @ self.gradient)


class Dynamics:
    """Leapfrog steps of a Gaussian with momenta whitened by a lower triangular matrix."""

    def __init__(self, mean: np.ndarray, covariance: np.ndarray, scale: np.ndarray):
        self.mean, self.precision = mean, np.linalg.inv(covariance)
        self.matrix = scale if scale.ndim == 2 else np.diag(scale)

    def at(self, q: np.ndarray, p: np.ndarray) -> Phase:
        gradient = self.precision @ (q - self.mean)
        constant = 0.5 * (len(q) * np.log(2 * np.pi) - np.linalg.slogdet(self.precision)[1])
        return Phase(q, p, gradient, 0.5 * float((q - self.mean) @ gradient + p @ p) + constant)

    def step(self, point: Phase, sign: int) -> Phase:
        p = point.p - 0.5 * sign * self.matrix.T @ point.gradient
        end = self.at(point.q + sign * self.matrix @ p, p)
        return self.at(end.q, p - 0.5 * sign * self.matrix.T @ end.gradient)


def compiled_tree(
    step: DynamicHMC,
    scale: np.ndarray,
    start: Phase,
    directions: np.ndarray,
    uniforms: np.ndarray | None = None,
) -> Tree:
    """Grow the tree of a step method from a given point."""
    if uniforms is None:
        uniforms = np.full(len(directions) + 2 ** len(directions), 0.5)
    point = step.conditional.layout.unravel(start.q, initial_point(step.model))
    parameters = step.conditional.parameters(point)
    data = step.conditional.data(step._rest, point, parameters)
    given = (step.threshold, directions, uniforms, parameters.mean, parameters.precision, data)
    return Tree(*step._run(start.q, start.p, scale, len(directions), *given))

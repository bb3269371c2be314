"""The Metropolis test of where a trajectory ends, and which trajectories diverge."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from typing import NamedTuple

import numpy as np

from ...models.simd.kernels import jit

LARGEST_ENERGY_ERROR = 1000.0


class Decision(NamedTuple):
    """With which probability a proposal is accepted, and whether it is."""

    probability: float
    accepted: bool


@jit
def diverges(energy_error):
    """Whether the total energy grew so much, or is undefined, that the integrator has failed."""
    return not energy_error < LARGEST_ENERGY_ERROR


@jit
def acceptance_probability(energy_error):
    r"""Probability :math:`\min(1, e^{-\Delta H})` of moving (Choo 2000, 2.4).

    It is 0 for a trajectory that diverges.
    """
    return 0.0 if diverges(energy_error) else np.exp(min(0.0, -energy_error))


@jit
def log_sum(a, b):
    """Logarithm of ``exp(a) + exp(b)``, for a finite ``b``."""
    return max(a, b) + np.log1p(np.exp(-abs(a - b)))


@jit
def accept(energy_error, uniform):
    """Accept or reject the end of a trajectory by a random number from [0, 1)."""
    probability = acceptance_probability(energy_error)
    return Decision(probability, uniform < probability)


def decide(rng, energy_error, rule):
    """Accept or reject the end of a trajectory; the test of a :class:`.momentum.Momentum`."""
    return accept(energy_error, rng.random())

"""Iterations at falling temperatures, many in one call of compiled code (Neal 1992)."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...models.simd.kernels import quadratic
from ..compiled import engine
from ..potential.rest import Rest
from .leapfrog import Trajectory
from .metropolis import diverges
from .momentum import ANNEALED, MomentumRule
from .transition import bind_transition

allocate = rest = move = engine.bound_later


class Phase(NamedTuple):
    r"""Iterations by one rule of momenta (Neal 1992, Eq. 24).

    Attributes
    ----------
    iterations : int
        How many.
    persistence : float
        :math:`\alpha`, from 0 to less than 1: the nearer to 1, the slower temperature falls.
    temperature : float
        :math:`T_0`, to which it falls or rises.
    """

    iterations: int
    persistence: float
    temperature: float


class Annealed(NamedTuple):
    """What became of some iterations.

    Attributes
    ----------
    acceptance : float
        Mean acceptance probability.
    accepted : bool
        Whether the last trajectory was accepted.
    diverging, steps : int
        Diverging trajectories, and steps of all.
    error, potential, kinetic : float
        Energy error of the last trajectory; the energies at the end that was kept.
    """

    acceptance: float
    accepted: bool
    diverging: int
    steps: int
    error: float
    potential: float
    kinetic: float


def anneal(rng, q, momentum, reserve, dummies, rules, factors, n_leapfrog, mean, precision, data):
    """Make as many iterations as there are factors, in place.

    A template for :func:`.engine.specialize`.

    Parameters
    ----------
    rng : Generator
        Where all random numbers come from.
    q, momentum : ndarray, shape (size,)
        Position and momentum.
    reserve : ndarray, shape (1,)
        Kinetic energy of the dummy components.
    dummies : int
        Their number.
    rules : ndarray, shape (iterations, 2)
        Persistence and temperature of each iteration.
    factors : ndarray, shape (iterations,)
        Step size of each, the same for all components.
    n_leapfrog, mean, precision, data
        As for :func:`.leapfrog.leapfrog`.
    """
    step_sizes = np.empty(q.size)
    acceptance = error = potential = kinetic = 0.0
    accepted = False
    diverging = steps = 0
    for i in range(factors.size):
        for k in range(q.size):
            step_sizes[k] = factors[i]
        rule = MomentumRule(rules[i, 0], rules[i, 1], dummies, reserve)
        found = move(rng, q, momentum, rule, step_sizes, n_leapfrog, mean, precision, data)
        acceptance += found.acceptance
        diverging += diverges(found.error)
        steps += found.steps
        accepted, error = found.accepted, found.error
        potential, kinetic = found.potential, found.kinetic
    acceptance /= factors.size
    return Annealed(acceptance, accepted, diverging, steps, error, potential, kinetic)


def compile_annealing(trajectory: Callable) -> Callable[..., Annealed]:
    """Compile :func:`anneal`.

    Parameters
    ----------
    trajectory : callable
        With the arguments of :func:`.leapfrog.leapfrog`, to a :class:`.leapfrog.Trajectory`, for
        use in compiled code.

    Returns
    -------
    callable
    """
    return engine.specialize(anneal, move=bind_transition(trajectory, ANNEALED))


def straight(q, momentum, metric, n_leapfrog, mean, precision, data):
    r"""Propose a point along the momentum, :math:`q + \epsilon p` (Neal 1992, Eq. 27).

    It has the arguments and the result of :func:`.leapfrog.leapfrog`, so that the proposals of the
    Metropolis algorithm are accepted by the same rules as trajectories: negated momenta lead back,
    and volume is preserved. A template for :func:`.engine.bind`; see :func:`bind_straight`.
    """
    workspace = allocate(data)
    initial = rest(q, workspace) + quadratic(q, mean, precision)
    end = q.copy()
    for i in range(q.size):
        end[i] += metric[i] * momentum[i]
    final = rest(end, workspace) + quadratic(end, mean, precision)
    return Trajectory(end, momentum.copy(), initial, final, 1)


def bind_straight(rest: Rest) -> Callable:
    """Compile :func:`straight` for the energy of a block, which needs no gradient."""
    return engine.bind(straight, allocate=rest.allocate, rest=rest.evaluate)

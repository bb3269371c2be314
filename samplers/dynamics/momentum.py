r"""Momenta between trajectories: drawn anew, kept in part, or cooled.

Momenta are standard normal, with the masses absorbed (see :mod:`..step_sizes.metric`). So the
target is the posterior times a standard normal density, whatever the step sizes are, and each rule
here leaves that density invariant where its temperature is 1. A rule need not know positions or
hyperparameters, nor that other steps moved them, or that step sizes changed with them, since the
last trajectory.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...models.simd.kernels import copy_into, dot
from .dummies import pay
from .metropolis import decide


class MomentumRule(NamedTuple):
    r"""Numbers of a rule, which may change from one iteration to the next.

    Attributes
    ----------
    persistence : float
        Share :math:`\alpha` of the momentum that is kept, from 0 to less than 1 in size.
    temperature : float
        Temperature :math:`T_0` of what is added.
    dummies : int
        Number :math:`N_d` of dummy components of the momentum.
    reserve : ndarray, shape (1,)
        Their kinetic energy :math:`K_d`, which is renewed in place.
    """

    persistence: float
    temperature: float
    dummies: int
    reserve: np.ndarray


def plain_rule(persistence: float = 0.0) -> MomentumRule:
    """Return a rule without dummy components, at temperature 1."""
    return MomentumRule(float(persistence), 1.0, 0, np.zeros(1))


class Momentum(NamedTuple):
    """What becomes of momenta and energy errors, as templates for the engine.

    Attributes
    ----------
    refresh : callable
        ``(rng, momentum, rule)``, before a trajectory; changes the momentum in place.
    decide : callable
        ``(rng, energy_error, rule)``, of its end, to a :class:`.metropolis.Decision`.
    turn : callable
        ``(momentum, rule)``, where its end is rejected.
    """

    refresh: Callable
    decide: Callable
    turn: Callable


def draw(rng, momentum, rule):
    """Draw a new momentum (Neal 1995, 3.1.3)."""
    copy_into(momentum, rng.standard_normal(momentum.size))


def keep_direction(momentum, rule):
    """Leave the momentum of the start, which the next draw forgets or turns anyway."""


def refresh_in_part(rng, momentum, rule):
    r"""Keep a part of the momentum, :math:`p \leftarrow \alpha p + \sqrt{1 - \alpha^2}\, n`.

    (Horowitz 1991; Neal 1995, 3.5.) With :math:`n` standard normal it stays so.
    """
    drawn = rng.standard_normal(momentum.size)
    added = np.sqrt(1.0 - rule.persistence**2)
    for i in range(momentum.size):
        momentum[i] = rule.persistence * momentum[i] + added * drawn[i]


def turn_around(momentum, rule):
    """Negate the momentum.

    A trajectory is its own inverse only if momenta are negated at its end, which leaves the
    density of momenta as it is. Negated once more after the test, an accepted one goes on, and a
    rejected one turns around.
    """
    for i in range(momentum.size):
        momentum[i] = -momentum[i]


def cool(rng, momentum, rule):
    r"""Mix all components, dummy ones included, and let their temperature approach another one.

    .. math:: p \leftarrow \alpha |p| u + \sqrt{T_0 (1 - \alpha^2)}\, n

    with :math:`u` of a uniformly distributed direction and :math:`n` standard normal (Neal 1992,
    Eq. 24). A direction is that of a standard normal vector; of the dummy components only their
    part of it and of :math:`n` count: lengths, whose squares are chi-squared, and how much of
    :math:`n` points along :math:`u`.
    """
    length = np.sqrt(dot(momentum, momentum) + 2.0 * rule.reserve[0])
    added = np.sqrt(rule.temperature * (1.0 - rule.persistence**2))
    direction = rng.standard_normal(momentum.size)
    drawn = rng.standard_normal(momentum.size)
    rest = 2.0 * rng.standard_gamma(0.5 * rule.dummies)
    scale = rule.persistence * length / np.sqrt(dot(direction, direction) + rest)
    for i in range(momentum.size):
        momentum[i] = scale * direction[i] + added * drawn[i]
    along = scale * np.sqrt(rest) + added * rng.standard_normal()
    across = 2.0 * rng.standard_gamma(0.5 * (rule.dummies - 1)) if rule.dummies > 1 else 0.0
    rule.reserve[0] = 0.5 * (along**2 + added**2 * across)


FRESH = Momentum(draw, decide, keep_direction)
PERSISTENT = Momentum(refresh_in_part, decide, turn_around)
ANNEALED = Momentum(cool, pay, keep_direction)

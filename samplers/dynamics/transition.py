"""One iteration of Hamiltonian Monte Carlo: a momentum, a trajectory, and whether it is accepted.

What moves, by which rule momenta are renewed and by which test ends are accepted, is bound to one
template: for sweeps, which are compiled as a whole, and for steps that call it from Python.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...models.simd.kernels import copy_into
from ..compiled import engine
from ..compiled.templates import interpreted, rebound
from .momentum import FRESH, Momentum

refresh = trajectory = decide = turn = copy = half_square = engine.bound_later


class Outcome(NamedTuple):
    """What became of a trajectory.

    Attributes
    ----------
    acceptance : float
        Probability with which its end was accepted.
    accepted : bool
        Whether it was.
    error : float
        Total energy at its end less that at its start.
    potential, kinetic : float
        At the end that was kept.
    steps : int
        Steps taken.
    """

    acceptance: float
    accepted: bool
    error: float
    potential: float
    kinetic: float
    steps: int


def transition(rng, q, momentum, rule, metric, n_leapfrog, mean, precision, data):
    """Renew the momentum, follow a trajectory and accept or reject its end, in place.

    A template for :func:`bind_transition` and :func:`compile_transition`.

    Parameters
    ----------
    rng : Generator
        Where all random numbers come from.
    q, momentum : ndarray, shape (size,)
        Position and momentum.
    rule : MomentumRule
        Numbers of the rule by which momenta are renewed.
    metric, n_leapfrog, mean, precision, data
        As for :func:`.leapfrog.leapfrog`.
    """
    refresh(rng, momentum, rule)
    end = trajectory(q, momentum, metric, n_leapfrog, mean, precision, data)
    start_kinetic, kinetic = half_square(momentum), half_square(end.momentum)
    initial, final = end.initial_potential, end.final_potential
    error = final + kinetic - initial - start_kinetic
    acceptance, accepted = decide(rng, error, rule)
    if accepted:
        copy(q, end.position)
        copy(momentum, end.momentum)
        return Outcome(acceptance, True, error, final, kinetic, end.steps)
    turn(momentum, rule)
    return Outcome(acceptance, False, error, initial, start_kinetic, end.steps)


def _half_square(momentum):
    """Kinetic energy of whitened momenta."""
    total = 0.0
    for p in momentum:
        total += p * p
    return 0.5 * total


def bind_transition(trajectory: Callable, momentum: Momentum = FRESH) -> Callable[..., Any]:
    """Compile :func:`transition`, for use in other compiled code.

    Parameters
    ----------
    trajectory : callable
        With the arguments of :func:`.leapfrog.leapfrog`, to a :class:`.leapfrog.Trajectory`.
    momentum : Momentum
        The rule of momenta and acceptance.

    Returns
    -------
    callable
        With the arguments of :func:`transition`, to an :class:`Outcome`.
    """
    rule = {name: engine.bind(function) for name, function in momentum._asdict().items()}
    half_square = engine.bind(_half_square)
    return engine.bind(
        transition, trajectory=trajectory, copy=copy_into, half_square=half_square, **rule
    )


def compile_transition(trajectory: Callable, momentum: Momentum = FRESH) -> Callable[..., Outcome]:
    """Let Python run :func:`transition` with a trajectory that is compiled by itself.

    Rules that go through all momenta are compiled, once for all models; see
    :func:`bind_transition` for the arguments.
    """
    if momentum == FRESH:  # not by identity, which a pickle does not keep
        refresh, turn = interpreted(momentum.refresh, copy_into=np.copyto), momentum.turn
    else:
        refresh, turn = engine.specialize(momentum.refresh), engine.specialize(momentum.turn)
    rule = {"refresh": refresh, "turn": turn, "decide": interpreted(momentum.decide)}
    in_python = {"trajectory": trajectory, "copy": np.copyto, "half_square": _square_in_python}
    return rebound(transition, rule | in_python)


@np.errstate(all="ignore")  # a diverging trajectory may overflow
def _square_in_python(momentum: np.ndarray) -> float:
    return 0.5 * float(momentum @ momentum)

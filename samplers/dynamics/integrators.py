r"""Integrators of Hamiltonian dynamics: kicks of the momentum and drifts of the position in turn.

One step of an integrator with kicks :math:`a_0, \dots, a_n` and drifts :math:`b_1, \dots, b_n` is

.. math:: p \leftarrow p - a_0 \epsilon \nabla E(q), \qquad
    q \leftarrow q + b_i \epsilon p,\ p \leftarrow p - a_i \epsilon \nabla E(q),
    \quad i = 1, \dots, n

Each of these moves one of the two by a function of the other, so that a step preserves volume,
whatever the numbers and however the gradient is rounded; it is reversible where they read the same
from both ends. The last kick of a step and the first one of the next are made as one.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

from ..compiled import engine
from ..potential.rest import Rest
from ..step_sizes.metric import METRICS

rest = kick = drift = slope = kicks = drifts = engine.bound_later


class Integrator(NamedTuple):
    """A step as parts of the step size.

    Attributes
    ----------
    kicks : tuple of float
        Of the momentum, one more than drifts; they read the same from both ends.
    drifts : tuple of float
        Of the position, as many as gradients of a step; they too.
    """

    kicks: tuple[float, ...]
    drifts: tuple[float, ...]


def composed(parts: tuple[float, ...]) -> Integrator:
    """Return leapfrog steps of different lengths as one step.

    Parameters
    ----------
    parts : tuple of float
        The lengths; they read the same from both ends.

    Returns
    -------
    Integrator

    Examples
    --------
    >>> from pymc_bnn.samplers.dynamics.integrators import composed
    >>> composed((1.0,))
    Integrator(kicks=(0.5, 0.5), drifts=(1.0,))
    """
    halves = [0.5 * part for part in parts]
    between = [before + after for before, after in pairwise(halves)]
    return Integrator((halves[0], *between, halves[-1]), parts)


LEAPFROG = composed((1.0,))
_OUTER = 1.0 / (2.0 - 2.0 ** (1.0 / 3.0))
INTEGRATORS = {
    "leapfrog": LEAPFROG,
    # whose error is of fourth order (Creutz & Gocksch 1989), for three gradients
    "fourth-order": composed((_OUTER, 1.0 - 2.0 * _OUTER, _OUTER)),
}


def full_slope(q, gradient, size, mean, precision, workspace):
    """Fill ``gradient`` with that of the whole potential; return the energy of the rest.

    A template for :func:`.engine.bind`, which binds ``rest``.
    """
    energy = rest(q, gradient, workspace)
    for i in range(size):
        gradient[i] += precision[i] * (q[i] - mean[i])
    return energy


def stride(q, p, gradient, first, sign, size, metric, mean, precision, workspace):
    """Take a step but for its last kick, in place; return the energy of the rest at its end.

    A template for :func:`.engine.bind`, which binds ``kick``, ``drift``, ``slope``, ``kicks`` and
    ``drifts``. ``first`` is the first kick, with the last one of the step before if that is due;
    ``sign`` is that of time. Vectors are views (see :class:`.Rest`), of ``size`` numbers.
    """
    kick(p, gradient, first * sign, size, metric)
    drift(q, p, drifts[0] * sign, size, metric)
    energy = slope(q, gradient, size, mean, precision, workspace)
    for stage in range(1, len(drifts)):
        kick(p, gradient, kicks[stage] * sign, size, metric)
        drift(q, p, drifts[stage] * sign, size, metric)
        energy = slope(q, gradient, size, mean, precision, workspace)
    return energy


def bind_steps(
    rest: Rest, metric: str = "diag", integrator: Integrator = LEAPFROG
) -> dict[str, Any]:
    """Compile what trajectories are made of, for the potential of a block.

    Parameters
    ----------
    rest : Rest
        Its compiled energy, with gradient.
    metric : {"diag", "dense", "unit"}
        Kind of metric.
    integrator : Integrator
        The integrator.

    Returns
    -------
    dict
        By the names under which templates use them: ``allocate``, ``exact`` and ``view`` of the
        rest, ``slope``, ``kick``, ``stride``, and ``kicks``.
    """
    slope = engine.bind_inline(full_slope, rest=rest.evaluate)
    made = bind_stride(slope, *METRICS[metric], integrator)
    of_rest = {"allocate": rest.allocate, "exact": rest.exact, "view": rest.view}
    return {"slope": slope, **of_rest, **made}


def bind_stride(
    slope: Callable, kick: Callable, drift: Callable, integrator: Integrator = LEAPFROG
) -> dict[str, Any]:
    """Compile :func:`stride` from its parts; see :func:`bind_steps`."""
    parts: dict[str, Any] = {"kick": kick, "kicks": integrator.kicks}
    step = engine.bind_inline(stride, drift=drift, slope=slope, drifts=integrator.drifts, **parts)
    return {"stride": step, **parts}

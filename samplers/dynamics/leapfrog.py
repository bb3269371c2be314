r"""Leapfrog trajectories of Hamiltonian dynamics, whole ones in compiled code.

The potential energy is split into a quadratic part, the conditionally normal priors of the block,
and the rest. Step sizes differ by component, with the masses absorbed into them (Choo 2000,
Eqs. 2.19-2.20).
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytensor
import pytensor.tensor as pt
from pymc.pytensorf import compile as compile_with_pymc
from pytensor.graph.replace import graph_replace

from ...models.simd.kernels import copy_into, quadratic
from ..compiled import engine
from ..compiled.templates import interpreted, rebound
from ..potential.graphs.graph_rest import differentiate
from ..step_sizes.metric import METRICS
from . import integrators
from .integrators import LEAPFROG, Integrator, bind_steps

if TYPE_CHECKING:
    from ..potential.conditional import Conditional
    from ..potential.rest import Rest

allocate = exact = view = slope = run = stride = kick = kicks = engine.bound_later


class Trajectory(NamedTuple):
    """End of a trajectory.

    Attributes
    ----------
    position : ndarray, shape (size,)
        Position after the last step.
    momentum : ndarray, shape (size,)
        Momentum after the last step.
    initial_potential, final_potential : float
        Potential energies at both ends.
    steps : int
        Leapfrog steps taken: fewer than asked for if the energy became infinite or undefined.
    """

    position: np.ndarray
    momentum: np.ndarray
    initial_potential: float
    final_potential: float
    steps: int


class Followed(NamedTuple):
    """The energy of the rest after the last step, and how many were taken."""

    energy: float
    steps: int


def follow(q, p, gradient, n_leapfrog, size, metric, mean, precision, workspace):
    """Follow Hamiltonian dynamics in place for ``n_leapfrog`` steps, from a known gradient.

    A template for :func:`.engine.bind`; see :func:`.integrators.bind_steps`. Vectors are views.
    """
    energy, steps, first = 0.0, 0, kicks[0]
    while steps < n_leapfrog and np.isfinite(energy):
        energy = stride(q, p, gradient, first, 1.0, size, metric, mean, precision, workspace)
        steps += 1
        first = kicks[0] + kicks[-1]
    kick(p, gradient, kicks[-1], size, metric)
    return Followed(energy, steps)


def leapfrog(q, momentum, metric, n_leapfrog, mean, precision, data):
    r"""Follow Hamiltonian dynamics for ``n_leapfrog`` steps, at least one.

    .. math::
        \tilde p_i &\leftarrow \tilde p_i - \tfrac{\epsilon_i}{2} \partial_i E(q) \\
        q_i &\leftarrow q_i + \epsilon_i \tilde p_i \\
        \tilde p_i &\leftarrow \tilde p_i - \tfrac{\epsilon_i}{2} \partial_i E(q)

    (Choo 2000, Eq. 2.20), with
    :math:`E(q) = \tfrac12 \sum_i \tau_i (q_i - m_i)^2 + E_\mathrm{rest}(q)`.

    Where the gradient is computed in single precision, the energies at both ends are computed
    again in double precision, so that the accept test stays exact. Where single precision overflows
    the trajectory ends and has failed, from whichever end it comes, whatever the energy is in
    double precision.

    A template for :func:`.engine.specialize`; see :func:`bind_leapfrog`.
    """
    position, p, gradient = q.copy(), momentum.copy(), np.empty(q.size)
    workspace = allocate(data)
    at, its_slope, size = view(position), view(gradient), q.size
    m, tau = view(mean), view(precision)
    energy = slope(at, its_slope, size, m, tau, workspace)
    initial = exact(position, energy, data) + quadratic(position, mean, precision)
    steps = 0
    if np.isfinite(energy):
        energy, steps = run(
            at, view(p), its_slope, n_leapfrog, size, view(metric.reshape(-1)), m, tau, workspace
        )
    final = exact(position, energy, data) + quadratic(position, mean, precision)
    if not np.isfinite(energy) and np.isfinite(final):
        final = np.inf
    copy_into(gradient, p)  # whose memory a view of it does not keep
    return Trajectory(position, p, initial, final, steps)


def bind_leapfrog(
    rest: Rest, metric: str = "diag", integrator: Integrator = LEAPFROG
) -> dict[str, Any]:
    """Compile what :func:`leapfrog` is made of, by the names under which it calls them.

    Parameters
    ----------
    rest, metric, integrator
        As for :func:`.integrators.bind_steps`.

    Returns
    -------
    dict
    """
    steps = bind_steps(rest, metric, integrator)
    run = engine.bind(follow, **{name: steps[name] for name in ("stride", "kick", "kicks")})
    outer = {name: steps[name] for name in ("allocate", "exact", "view", "slope")}
    return {"run": run, **outer}


def compile_leapfrog(
    conditional: Conditional,
    rest: Rest,
    metric: str = "diag",
    integrator: Integrator = LEAPFROG,
) -> Callable[..., Trajectory]:
    """Compile :func:`leapfrog` for the potential of a block.

    Parameters
    ----------
    conditional : Conditional
        The block.
    rest, metric, integrator
        As for :func:`.integrators.bind_steps`.

    Returns
    -------
    callable
        ``(q, momentum, metric, n_leapfrog, mean, precision, data)`` to a :class:`Trajectory`.
    """
    if engine.available() or metric == "dense":
        return engine.specialize(leapfrog, **bind_leapfrog(rest, metric, integrator))
    return scan_leapfrog(conditional, integrator)


def scan_leapfrog(
    conditional: Conditional, integrator: Integrator = LEAPFROG
) -> Callable[..., Trajectory]:
    """Build a trajectory from PyTensor's public API alone, as a ``scan`` over :func:`.stride`.

    Parameters
    ----------
    conditional, integrator
        As for :func:`compile_leapfrog`.

    Returns
    -------
    callable
        As from there, for metrics without correlations; all steps are always taken.
    """
    q, p, step_sizes, mean, precision = pt.dvectors("q", "p", "step_sizes", "mean", "precision")
    n_leapfrog = pt.lscalar("n_leapfrog")
    energy, slope = differentiate(conditional.energy(q), q)
    energy += 0.5 * (precision * (q - mean) ** 2).sum()

    def fill(position, gradient, workspace):
        there, gradient[0] = graph_replace([energy, slope], {q: position[0]}, strict=False)
        return there

    (kick, drift), kicks = map(interpreted, METRICS["diag"]), integrator.kicks
    full_slope = rebound(integrators.full_slope, {"rest": fill})
    parts = {**integrator._asdict(), "kick": kick, "drift": drift, "slope": full_slope}
    one_step = rebound(integrators.stride, parts)

    def step(*state):  # a vector of ours is here a list of one number, which is a symbolic vector
        at, along, its_slope, _ = ([given] for given in state)
        numbers = 1, [step_sizes]
        final = one_step(at, along, its_slope, kicks[0], 1.0, *numbers, [mean], [precision], None)
        kick(along, its_slope, kicks[-1], *numbers)
        return *at, *along, *its_slope, final

    start = [q, p, slope + precision * (q - mean), energy]
    ends = pytensor.scan(step, outputs_info=start, n_steps=n_leapfrog, return_updates=False)
    outputs = [ends[0][-1], ends[1][-1], energy, ends[3][-1], n_leapfrog]
    inputs = [q, p, step_sizes, n_leapfrog, mean, precision, *conditional.held]
    function = compile_with_pymc(inputs, outputs, on_unused_input="ignore")

    def run(*arguments: Any) -> Trajectory:
        position, momentum, initial, final, steps = function(*arguments[:-1], *arguments[-1])
        return Trajectory(position, momentum, float(initial), float(final), int(steps))

    return run

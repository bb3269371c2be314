r"""Leapfrog trajectories of Hamiltonian dynamics, whole ones in compiled code.

The potential energy is split into a quadratic part, the conditionally normal priors of the block,
and the rest. Step sizes differ by component, with the masses absorbed into them (Choo 2000,
Eqs. 2.19-2.20).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytensor
import pytensor.tensor as pt
from pymc.pytensorf import compile as compile_with_pymc
from pytensor.graph.basic import Variable
from pytensor.graph.replace import graph_replace
from pytensor.tensor.variable import TensorVariable

from ...models.simd.kernels import quadratic
from ..compiled import engine
from ..potential.rest import differentiate

if TYPE_CHECKING:
    from ..potential.conditional import Conditional
    from ..potential.rest import Rest

allocate = rest = exact = engine.bound_later


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


def leapfrog(q, momentum, step_sizes, n_leapfrog, mean, precision, data):
    r"""Follow Hamiltonian dynamics for ``n_leapfrog`` steps, at least one.

    .. math::
        \tilde p_i &\leftarrow \tilde p_i - \tfrac{\epsilon_i}{2} \partial_i E(q) \\
        q_i &\leftarrow q_i + \epsilon_i \tilde p_i \\
        \tilde p_i &\leftarrow \tilde p_i - \tfrac{\epsilon_i}{2} \partial_i E(q)

    (Choo 2000, Eq. 2.20), with consecutive half steps of the momentum merged, and
    :math:`E(q) = \tfrac12 \sum_i \tau_i (q_i - m_i)^2 + E_\mathrm{rest}(q)`.

    Where the gradient is computed in single precision, the energies at both ends are computed
    again in double precision. Each half of a step moves positions by a function of the momenta,
    or momenta by a function of the positions, so that the map is reversible and preserves volume
    whatever rounding does to the gradient, and the accept test stays exact.

    A template for :func:`.engine.specialize`, which binds ``allocate``, ``rest`` and ``exact``.
    """
    size = q.size
    q = q.copy()
    p = momentum.copy()
    gradient = np.empty(size)
    workspace = allocate(data)
    rest_energy = rest(q, gradient, workspace, data)
    initial = exact(q, rest_energy, data) + quadratic(q, mean, precision)
    for i in range(size):
        p[i] -= 0.5 * step_sizes[i] * (gradient[i] + precision[i] * (q[i] - mean[i]))
    steps = 0
    while steps < n_leapfrog and np.isfinite(rest_energy):
        for i in range(size):
            q[i] += step_sizes[i] * p[i]
        rest_energy = rest(q, gradient, workspace, data)
        steps += 1
        weight = 1.0 if steps < n_leapfrog else 0.5
        for i in range(size):
            slope = gradient[i] + precision[i] * (q[i] - mean[i])
            p[i] -= weight * step_sizes[i] * slope
    final = exact(q, rest_energy, data) + quadratic(q, mean, precision)
    return q, p, initial, final, steps


def compile_leapfrog(conditional: Conditional, rest: Rest) -> Callable[..., Any]:
    """Compile :func:`leapfrog` for the potential of a block.

    Parameters
    ----------
    conditional : Conditional
        The block.
    rest : Rest
        Its compiled energy, with gradient.

    Returns
    -------
    callable
        ``(q, momentum, step_sizes, n_leapfrog, mean, precision, data)`` to the fields of
        :class:`Trajectory`.
    """
    if engine.available():
        return engine.specialize(
            leapfrog, allocate=rest.allocate, rest=rest.evaluate, exact=rest.exact
        )
    return scan_leapfrog(conditional)


def scan_leapfrog(conditional: Conditional) -> Callable[..., Any]:
    """Build a trajectory from PyTensor's public API alone, as a ``scan`` over its steps.

    Parameters
    ----------
    conditional : Conditional
        The block.

    Returns
    -------
    callable
        As :func:`compile_leapfrog`; all steps are always taken.
    """
    q, p, step_sizes, mean, precision = pt.dvectors("q", "p", "step_sizes", "mean", "precision")
    n_leapfrog = pt.lscalar("n_leapfrog")
    energy, slope = differentiate(conditional.energy(q), q)
    energy += 0.5 * (precision * (q - mean) ** 2).sum()
    slope += precision * (q - mean)

    def at(position: TensorVariable, *graphs: TensorVariable) -> list[Variable]:
        return graph_replace(list(graphs), {q: position}, strict=False)

    def step(position, momentum, gradient, final):
        momentum = momentum - 0.5 * step_sizes * gradient
        position = position + step_sizes * momentum
        final, gradient = at(position, energy, slope)
        return position, momentum - 0.5 * step_sizes * gradient, gradient, final

    ends = pytensor.scan(
        step, outputs_info=[q, p, slope, energy], n_steps=n_leapfrog, return_updates=False
    )
    outputs = [ends[0][-1], ends[1][-1], energy, ends[3][-1], n_leapfrog]
    inputs = [q, p, step_sizes, n_leapfrog, mean, precision, *conditional.held]
    function = compile_with_pymc(inputs, outputs, on_unused_input="ignore")
    return lambda *arguments: function(*arguments[:-1], *arguments[-1])

r"""Trajectories that follow the gradient of some cases at a time (Neal 1995, 3.5).

With the cases in :math:`K` batches, the potential is :math:`E(q) = E_0(q) + \sum_k E_k(q)`, where
:math:`E_0` is that of the prior. Step :math:`i` is one of

.. math:: q \leftarrow q + \tfrac{\epsilon}{2} p, \qquad
    p \leftarrow p - \epsilon \nabla [E_0 + K E_k](q), \qquad q \leftarrow q + \tfrac{\epsilon}{2} p

with the batches in the order :math:`1, \dots, K, K, \dots, 1` again and again. Each step preserves
volume and turns around with the momentum, and the order of a multiple of :math:`2 K` steps reads
the same from both ends: such a trajectory is reversible. Its end is accepted by the energy of all
cases, so that nothing is biased, however different the batches are. A step costs the gradient of
:math:`1 / K` of the cases. Where these tell much the same, its size may be that of leapfrog steps.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable

import numpy as np

from ...models.data.choices import is_whole
from ...models.simd.kernels import copy_into, jit, quadratic
from ...models.simd.lane_memory import pointer
from ..compiled import engine
from ..compiled.words import integers_at
from ..potential.rest import called_alone, called_with_gradient, start_of
from ..step_sizes.metric import METRICS
from .integrators import full_slope
from .leapfrog import Trajectory

slope = kick = drift = engine.bound_later


def check_batches(count: int, n_leapfrog: int, window: int, integrator: str) -> None:
    """Refuse batches whose trajectories could not be reversed, or that have others.

    Parameters
    ----------
    count : int
        Number of batches; 1 is for plain trajectories.
    n_leapfrog, window, integrator
        As for :class:`pymc_bnn.samplers.StaticHMC`.

    Raises
    ------
    ValueError
        If they do not go together.

    Examples
    --------
    >>> from pymc_bnn.samplers.dynamics.partial_gradients import check_batches
    >>> check_batches(5, 100, window=1, integrator="leapfrog")
    """
    if not is_whole(count, 1):
        raise ValueError(f"partial_gradients={count!r}: give a positive whole number.")
    if count > 1 and (window > 1 or integrator != "leapfrog"):
        raise ValueError(
            f"partial_gradients={count!r} has trajectories of its own; leave window and "
            "integrator out."
        )
    if count > 1 and n_leapfrog % (2 * count):
        raise ValueError(
            f"n_leapfrog={n_leapfrog!r}: with partial_gradients={count!r} give a multiple of "
            f"{2 * count}, for trajectories that can be reversed."
        )


@jit
def batch_of(step, batches):
    """Which batch a step follows: there and back again."""
    turn = step % (2 * batches)
    return turn if turn < batches else 2 * batches - 1 - turn


def partial_leapfrog(q, momentum, metric, n_leapfrog, mean, precision, data):
    """Follow the gradients of batches in turn for ``n_leapfrog`` steps, at least one.

    A template for :func:`.engine.specialize`; see :func:`compile_partial`. Energies at both ends
    are those of all cases, in double precision.
    """
    position, p, gradient = q.copy(), momentum.copy(), np.empty(q.size)
    at, velocity, its_slope = start_of(position), start_of(p), start_of(gradient)
    scales, m, tau = start_of(metric.reshape(-1)), start_of(mean), start_of(precision)
    whole, batches = pointer(data.words, 0), pointer(data.batches, 0)
    initial = called_alone(at, whole) + quadratic(position, mean, precision)
    energy, steps, size = 0.0, 0, q.size
    drift(at, velocity, 0.5, size, scales)
    while steps < n_leapfrog and np.isfinite(energy):
        words = integers_at(batches, batch_of(steps, data.batches.size))
        energy = slope(at, its_slope, size, m, tau, words)
        kick(velocity, its_slope, 1.0, size, scales)
        steps += 1
        drift(at, velocity, 1.0 if steps < n_leapfrog else 0.5, size, scales)
    final = called_alone(at, whole) + quadratic(position, mean, precision)
    copy_into(gradient, p)  # whose memory a view of it does not keep
    return Trajectory(position, p, initial, final, steps)


def compile_partial(metric: str = "diag") -> Callable[..., Trajectory]:
    """Compile :func:`partial_leapfrog`, once for all models.

    Parameters
    ----------
    metric : {"diag", "dense", "unit"}
        Kind of metric.

    Returns
    -------
    callable
        ``(q, momentum, metric, n_leapfrog, mean, precision, data)`` to a
        :class:`.leapfrog.Trajectory`; data are :class:`.batches_of_cases.BatchedData`.
    """
    kick, drift = METRICS[metric]
    slope = engine.bind_inline(full_slope, rest=called_with_gradient)
    return engine.specialize(partial_leapfrog, slope=slope, kick=kick, drift=drift)

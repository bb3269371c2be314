r"""Trajectories between two windows of states, whole ones in compiled code.

The window method of Neal (1994; Lau 2018, 2.2). A trajectory of :math:`L` leapfrog steps visits
:math:`L + 1` states. Its first :math:`W` are the reject window :math:`R`, its last the accept
window :math:`A`, and chance says which state of :math:`R` the current one is.

One state of each window is kept while a trajectory grows, a new one by its share of all weights so
far. With :math:`W = L + 1` states a state is chosen so from the whole trajectory. That is what Lau
(2018, Algorithm 3) is after; drawing the direction of each step, as printed, puts the start into
the middle too often, and does not leave a distribution alone.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...models.simd.kernels import copy_into, dot, quadratic
from ..compiled import engine
from ..potential.rest import Rest
from .integrators import LEAPFROG, Integrator, bind_steps
from .metropolis import acceptance_probability, diverges, log_sum

allocate = exact = view = slope = stride = kick = kicks = engine.bound_later


class Windows(NamedTuple):
    """The two windows of a trajectory: first the reject window, then the accept window.

    Attributes
    ----------
    positions : ndarray, shape (2, size)
        Position chosen from each window.
    potentials, errors : ndarray, shape (2,)
        Its potential energy, and its total energy less that of the start: infinite where no
        state could be chosen.
    log_weights : ndarray, shape (2,)
        Logarithm of the sum of :math:`e^{-H}` over each window, with the start's energy as zero.
    start_energy : float
        Total energy of the start.
    acceptance : float
        Mean probability with which states of the accept window would be accepted by themselves.
    steps : int
        Leapfrog steps taken: fewer than asked for if the energy became infinite or undefined.
    diverging : bool
        Whether that happened, or energy grew by 1000 to a state of a window.
    """

    positions: np.ndarray
    potentials: np.ndarray
    errors: np.ndarray
    log_weights: np.ndarray
    start_energy: float
    acceptance: float
    steps: int
    diverging: bool


def windowed(start, momentum, metric, n_leapfrog, window, offset, uniforms, mean, precision, data):
    r"""Follow a trajectory and choose a state from each of its windows.

    .. math::
        P(i \mid W) = e^{-H_i} \big/ \sum_{j \in W} e^{-H_j}, \qquad
        P(A) = \min\Bigl(1, \sum_{i \in A} e^{-H_i} \big/ \sum_{i \in R} e^{-H_i}\Bigr)

    for the choice of a state within the window that is chosen, and of the accept window (Lau
    2018, 2.2). A trajectory goes back from the start to its first state, then on to its last. It
    ends early where its energy is infinite or undefined; as all states that can be reached from
    each other find the same end, what lies beyond has no weight in any of them. Energies are
    those of double precision.

    A template for :func:`.engine.specialize`; see :func:`.integrators.bind_steps`.

    Parameters
    ----------
    start, momentum : ndarray, shape (size,)
        The current state.
    metric : ndarray, shape (size,) or (size, size)
        What kicks and drifts take; the step size is in it.
    n_leapfrog, window : int
        Leapfrog steps, and states of each window.
    offset : int
        Place of the start in its window, from 0 to ``window - 1``.
    uniforms : ndarray, shape (2 * window - 1,)
        Random numbers from [0, 1); this uses all but the first.
    mean, precision : ndarray, shape (size,)
        Of the normal priors.
    data : tuple
        What the rest needs besides the block.
    """
    size = start.size
    workspace = allocate(data)
    q, p = start.copy(), momentum.copy()
    start_gradient, gradient = np.empty(size), np.empty(size)
    lengths, m, tau = view(metric.reshape(-1)), view(mean), view(precision)
    start_rest = slope(view(q), view(start_gradient), size, m, tau, workspace)
    potential = exact(q, start_rest, data) + quadratic(q, mean, precision)
    start_energy = potential + 0.5 * dot(p, p)
    accept_from = n_leapfrog + 1 - window
    positions = np.empty((2, size))
    potentials, errors = np.full(2, potential), np.full(2, np.inf)
    log_weights, visited = np.full(2, -np.inf), np.zeros(2, np.int64)
    for choice in range(2):
        copy_into(positions[choice], start)
        if choice == 0 or offset >= accept_from:
            errors[choice] = log_weights[choice] = 0.0
            visited[choice] = 1
    others = window - visited[1]
    acceptance = 0.0
    steps = 0
    diverging = not np.isfinite(start_rest)
    for direction in range(2):
        index, last = offset, direction * n_leapfrog
        sign = 2.0 * direction - 1.0
        copy_into(q, start)
        copy_into(p, momentum)
        copy_into(gradient, start_gradient)
        rest_energy, pending = start_rest, kicks[0]
        while index != last and np.isfinite(rest_energy):
            at, momenta, its_slope = view(q), view(p), view(gradient)
            rest_energy = stride(
                at, momenta, its_slope, pending, sign, size, lengths, m, tau, workspace
            )
            steps += 1
            index += 2 * direction - 1
            rejects, accepts = index < window, index >= accept_from
            if not (rejects or accepts):
                pending = kicks[0] + kicks[-1]
                continue
            pending = kicks[0]
            kick(momenta, its_slope, kicks[-1] * sign, size, lengths)
            potential = exact(q, rest_energy, data) + quadratic(q, mean, precision)
            error = potential + 0.5 * dot(p, p) - start_energy
            if not np.isfinite(rest_energy):  # in single precision; the energy may be finite
                error = np.inf
            diverging |= diverges(error)
            if not np.isfinite(error):
                continue
            if accepts:
                acceptance += acceptance_probability(error)
            for choice in range(2):
                if accepts if choice == 1 else rejects:
                    log_weight = log_weights[choice]
                    total = log_sum(log_weight, -error)
                    uniform = uniforms[choice * (window - 1) + visited[choice]]
                    if log_weight == -np.inf or np.log(uniform) < -error - total:
                        copy_into(positions[choice], q)
                        potentials[choice], errors[choice] = potential, error
                    log_weights[choice] = total
                    visited[choice] += 1
        if not np.isfinite(rest_energy):
            diverging = True
    return Windows(
        positions,
        potentials,
        errors,
        log_weights,
        start_energy,
        acceptance / others,
        steps,
        diverging,
    )


def compile_windowed(
    rest: Rest, metric: str, integrator: Integrator = LEAPFROG
) -> Callable[..., Windows]:
    """Compile :func:`windowed` for the potential of a block.

    Parameters
    ----------
    rest, metric, integrator
        As for :func:`.integrators.bind_steps`.

    Returns
    -------
    callable
        From the arguments of :func:`windowed` to :class:`Windows`.
    """
    return engine.specialize(windowed, **bind_steps(rest, metric, integrator))

r"""Langevin and Hamiltonian dynamics with noisy gradients, many updates in compiled code.

Nothing is accepted or rejected, so that the draws are biased: by the step size, and by the noise
of the gradients. The energy of the whole data is computed once, at the end.
"""

import numpy as np

from ...models.simd.kernels import copy_into, quadratic
from ..compiled import engine

allocate = rest = estimate = engine.bound_later
energy_of = langevin_updates = momentum_updates = engine.bound_later


def langevin(rng, q, step_sizes, mean, precision, batch):
    r"""Update the position once for each step size, in place; return how many were made.

    .. math:: q \leftarrow q - \tfrac{\epsilon_t}{2} \nabla \tilde E(q) + N(0, \epsilon_t)

    (Welling & Teh 2011, Eq. 4; Lau 2018, 3.3). It stops where the energy is not finite. A
    template for :func:`.engine.bind`, which binds ``allocate`` and ``estimate``.
    """
    workspace = allocate(batch.data)
    gradient = np.empty(q.size)
    updates = 0
    for epsilon in step_sizes:
        energy = estimate(rng, q, gradient, workspace, batch, mean, precision)
        if not np.isfinite(energy):
            break
        noise_sd = np.sqrt(epsilon)
        for i in range(q.size):
            q[i] += noise_sd * rng.standard_normal() - 0.5 * epsilon * gradient[i]
        updates += 1
    return updates


def langevin_draw(rng, q, step_sizes, mean, precision, batch, data):
    """Move to the next recorded draw of :func:`langevin`.

    A template for :func:`.engine.specialize`.

    Returns
    -------
    position : ndarray, shape (size,)
        Where the updates led; ``q`` if the energy is not finite there.
    potential : float
        Potential energy of all cases there.
    updates : int
        How many were made.
    diverging : bool
        Whether the energy is not finite at the end of the updates.
    """
    end = q.copy()
    updates = langevin_updates(rng, end, step_sizes, mean, precision, batch)
    potential, diverging = energy_of(q, end, mean, precision, data)
    return end, potential, updates, diverging


def momentum(rng, q, learning_rates, n_leapfrog, dynamics, mean, precision, batch):
    r"""Follow trajectories of ``n_leapfrog`` updates; position in place, return the count.

    .. math::
        q &\leftarrow q + v \\
        v &\leftarrow (1 - \alpha) v - \eta \nabla \tilde E(q)
           + N(0, 2 (\alpha - \hat\beta) \eta T)

    (Chen, Fox & Guestrin 2014, Eq. 15; Lau 2018, Algorithm 16). ``dynamics`` holds
    :math:`\alpha`, :math:`\hat\beta`, the temperature :math:`T`, and the standard deviation of
    the velocity that a trajectory starts with, 0 for :math:`\sqrt{\eta T}`. A template for
    :func:`.engine.bind`, which binds ``allocate`` and ``estimate``.
    """
    friction, noise_estimate, temperature, given_sd = dynamics
    workspace = allocate(batch.data)
    gradient, velocity = np.empty(q.size), np.empty(q.size)
    updates = 0
    for eta in learning_rates:
        if updates % n_leapfrog == 0:
            start_sd = given_sd if given_sd > 0.0 else np.sqrt(eta * temperature)
            for i in range(q.size):
                velocity[i] = start_sd * rng.standard_normal()
        for i in range(q.size):
            q[i] += velocity[i]
        energy = estimate(rng, q, gradient, workspace, batch, mean, precision)
        if not np.isfinite(energy):
            break
        noise_sd = np.sqrt(2.0 * (friction - noise_estimate) * eta * temperature)
        for i in range(q.size):
            noise = noise_sd * rng.standard_normal()
            velocity[i] += noise - friction * velocity[i] - eta * gradient[i]
        updates += 1
    return updates


def momentum_draw(rng, q, learning_rates, n_leapfrog, dynamics, mean, precision, batch, data):
    """Move to the next recorded draw of :func:`momentum`; see :func:`langevin_draw`."""
    end = q.copy()
    updates = momentum_updates(
        rng, end, learning_rates, n_leapfrog, dynamics, mean, precision, batch
    )
    potential, diverging = energy_of(q, end, mean, precision, data)
    return end, potential, updates, diverging


def potential_energy(start, end, mean, precision, data):
    """Potential energy of all cases at ``end``, which goes back to ``start`` if not finite.

    A template for :func:`.engine.bind`, which binds ``allocate`` and ``rest``.
    """
    workspace = allocate(data)
    potential = rest(end, workspace) + quadratic(end, mean, precision)
    diverging = not np.isfinite(potential)
    if diverging:
        copy_into(end, start)
        potential = rest(end, workspace) + quadratic(end, mean, precision)
    return potential, diverging

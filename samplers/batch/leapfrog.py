"""Leapfrog trajectories of eight chains at once.

As :mod:`.leapfrog`, but without energies on the way: a chain whose energy overflows carries
infinite or undefined numbers to the end, where it is rejected, and the others do not notice.
"""

from ...models.simd.lane_memory import number
from ..compiled import engine
from .network.registers import load, repeat, store

add_gradient = engine.bound_later


def leapfrog(q, p, steps, n_leapfrog, weights, mean, precision, noise, gradient, room, network):
    """Follow Hamiltonian dynamics for ``n_leapfrog`` steps, in place.

    A template for :func:`.engine.bind`, which binds ``add_gradient``. Arrays are given as
    pointers.

    Parameters
    ----------
    q, p : ndarray of vectors, shape (weights,)
        Positions and momenta.
    steps, precision : ndarray of vectors, shape (weights,)
        Step sizes and prior precisions.
    n_leapfrog : int
        Number of steps, at least one.
    weights : int
        Their number.
    mean : ndarray, shape (weights,)
        Prior means, the same for all chains.
    noise : ndarray of vectors, shape (outputs,)
        Noise precisions.
    gradient, room : ndarray of vectors
        Working memory: of shape (weights,), and a workspace of the potential.
    network : Network
        The data.
    """
    zero = repeat(0.0)
    for i in range(weights):
        store(gradient, i, zero)
    add_gradient(q, noise, room, network, gradient)
    for step in range(n_leapfrog):
        weight = -0.5 if step == 0 else -1.0
        for i in range(weights):
            at, size = load(q, i), load(steps, i)
            slope = load(gradient, i) + load(precision, i) * (at - number(mean, i))
            momentum = load(p, i) + weight * size * slope
            store(p, i, momentum)
            store(q, i, at + size * momentum)
            store(gradient, i, zero)
        add_gradient(q, noise, room, network, gradient)
    for i in range(weights):
        slope = load(gradient, i) + load(precision, i) * (load(q, i) - number(mean, i))
        store(p, i, load(p, i) - 0.5 * load(steps, i) * slope)

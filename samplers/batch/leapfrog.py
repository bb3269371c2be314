"""What leapfrog trajectories of eight chains at once are made of.

The loops are those of one chain (:func:`.dynamics.leapfrog.follow`, :func:`.integrators.stride`).
There are no energies on the way: a chain whose energy overflows carries infinite or undefined
numbers to the end, where it is rejected, and the others do not notice. Arrays are pointers.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable

from ...models.simd.kernels import jit
from ...models.simd.lane_memory import number
from ...models.simd.registers import load, store
from ..compiled import engine
from ..dynamics.integrators import bind_stride
from ..dynamics.leapfrog import follow

add_gradient = engine.bound_later


@jit
def kick(momentum, gradient, factor, size, metric):
    """Change momenta in place by ``-factor * metric * gradient``."""
    for i in range(size):
        store(momentum, i, load(momentum, i) - factor * load(metric, i) * load(gradient, i))


@jit
def drift(position, momentum, factor, size, metric):
    """Change positions in place by ``factor * metric * momentum``."""
    for i in range(size):
        store(position, i, load(position, i) + factor * load(metric, i) * load(momentum, i))


def slope(q, gradient, size, mean, precision, workspace):
    """Fill ``gradient`` with that of the whole potential; return no energy.

    A template for :func:`.engine.bind`, which binds ``add_gradient``. The workspace consists of
    noise precisions, room for the network, and the network.
    """
    noise, room, network = workspace
    for i in range(size):
        store(gradient, i, load(precision, i) * (load(q, i) - number(mean, i)))
    add_gradient(q, noise, room, network, gradient)
    return 0.0


def bind_leapfrog(add_gradient: Callable) -> dict[str, Callable]:
    """Compile the slope and :func:`.follow` of eight chains, for the gradient of a likelihood."""
    at = engine.bind(slope, add_gradient=add_gradient)
    steps = bind_stride(at, kick, drift)
    return {"slope": at, "follow": engine.bind(follow, **steps)}

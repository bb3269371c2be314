"""A register with one number of each of eight chains.

Arithmetic is the same for every chain, so all of it runs in SIMD registers. An array that holds
such registers, or vectors for short, has the chains along its last axis; it is flat, and vector
``i`` holds the numbers ``8 i`` to ``8 i + 7``.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from . import lane_memory
from .kernels import jit
from .lanes import WIDTH as WIDTHS

WIDTH = WIDTHS["float64"]
TILE = 4  # cases that kernels of all chains keep in registers together


@jit
def load(array, i):
    """Vector ``i``."""
    return lane_memory.load(array, i * WIDTH)


@jit
def store(array, i, vector):
    """Set vector ``i``."""
    lane_memory.store(array, i * WIDTH, vector)


@jit
def repeat(number):
    """One number for all chains."""
    return lane_memory.splat(number)

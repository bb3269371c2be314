"""A register with one number of each of eight chains.

Arithmetic is the same for every chain, so all of it runs in SIMD registers. An array that holds
such registers, or vectors for short, has the chains along its last axis; it is flat, and vector
``i`` holds the numbers ``8 i`` to ``8 i + 7``.
"""

import numpy as np
from numba import types

from ....models.simd import lane_memory
from ....models.simd.kernels import jit
from ....models.simd.lanes import WIDTH as WIDTHS
from ....models.simd.lanes import cgutils, instruction
from ...potential.blocks import aligned

WIDTH = WIDTHS["float64"]


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


def _as_pointers(kind):
    if isinstance(kind, types.Array):
        return types.CPointer(kind.dtype)
    if isinstance(kind, types.BaseNamedTuple):
        return types.NamedTuple([_as_pointers(part) for part in kind], kind.instance_class)
    return kind


def _pointer_value(context, builder, kind, value):
    if isinstance(kind, types.Array):
        return context.make_array(kind)(context, builder, value).data
    if isinstance(kind, types.BaseNamedTuple):
        parts = cgutils.unpack_tuple(builder, value)
        parts = [_pointer_value(context, builder, *each) for each in zip(kind, parts, strict=True)]
        return context.make_tuple(builder, _as_pointers(kind), parts)
    return value


@instruction
def pointers(typing_context, arrays):
    """Pointers to the numbers of an array, or of all arrays of a named tuple.

    They go from function to function without references being counted, which takes longer than
    a small layer. The arrays have to stay alive; nothing checks an index.
    """

    def codegen(context, builder, signature, args):
        return _pointer_value(context, builder, arrays, args[0])

    return _as_pointers(arrays)(arrays), codegen


def room_for(vectors: int) -> np.ndarray:
    """Allocate an array of vectors that share no cache line.

    Parameters
    ----------
    vectors : int
        How many.

    Returns
    -------
    ndarray, shape (8 * vectors,)
        Zeros.

    Examples
    --------
    >>> from pymc_bnn.samplers.batch.network.registers import room_for
    >>> room_for(3).size, room_for(3).ctypes.data % 64
    (24, 0)
    """
    room = aligned(vectors * WIDTH, "float64")
    room[:] = 0.0
    return room

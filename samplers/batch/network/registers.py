"""Arrays of the :mod:`registers <pymc_bnn.models.simd.registers>` of eight chains.

They are made here, and handed to compiled code as pointers.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types

from ....models.simd.lanes import cgutils, instruction
from ....models.simd.registers import WIDTH
from ...potential.blocks import aligned


def _as_pointers(kind):
    if isinstance(kind, types.Array):
        return types.CPointer(kind.dtype)
    if isinstance(kind, types.BaseNamedTuple):
        return types.NamedTuple([_as_pointers(part) for part in kind], kind.instance_class)
    return kind


def _pointer_value(context, builder, kind, value, row=None):
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        if row is None:
            return array.data
        stride = cgutils.unpack_tuple(builder, array.strides)[0]
        return cgutils.pointer_add(builder, array.data, builder.mul(row, stride))
    if isinstance(kind, types.BaseNamedTuple):
        parts = zip(kind, cgutils.unpack_tuple(builder, value), strict=True)
        found = [_pointer_value(context, builder, *each, row) for each in parts]
        return context.make_tuple(builder, _as_pointers(kind), found)
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


@instruction
def pointers_of_row(typing_context, arrays, row):
    """Pointers to the numbers of one row of each array of a named tuple; see :func:`pointers`."""

    def codegen(context, builder, signature, args):
        row = context.cast(builder, args[1], signature.args[1], types.intp)
        return _pointer_value(context, builder, arrays, args[0], row)

    return _as_pointers(arrays)(arrays, row), codegen


def stacked[T: tuple](parts: Sequence[T]) -> T:
    """Stack named tuples of arrays, which have an axis more then; numbers have to be the same.

    Parameters
    ----------
    parts : sequence of named tuple
        Of the same type and shapes.

    Returns
    -------
    named tuple
        Arrays of vectors share no cache line, as those of :func:`room_for`.

    Examples
    --------
    >>> import numpy as np
    >>> from typing import NamedTuple
    >>> from pymc_bnn.samplers.batch.network.registers import stacked
    >>> class Two(NamedTuple):
    ...     vector: np.ndarray
    ...     size: int
    >>> stacked([Two(np.zeros(8), 1), Two(np.ones(8), 1)]).vector.shape
    (2, 8)
    """
    first = parts[0]
    found = [_stack([part[i] for part in parts]) for i in range(len(first))]
    return type(first)(*found)


def _stack(values: Sequence[Any]) -> Any:
    if isinstance(values[0], tuple):
        return stacked(values)
    if not isinstance(values[0], np.ndarray):
        return values[0]
    together = np.stack(values)
    room = aligned(together.size, str(together.dtype)).reshape(together.shape)
    room[...] = together
    return room


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

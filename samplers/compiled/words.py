"""What a function that is called by its address reads: an array of 64-bit numbers, its words.

They are addresses, counts, and floating point numbers by their bits. Compiled code sees the same
type whatever they stand for. Words keep the arrays alive whose addresses they hold.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, types

from ...models.simd.lanes import instruction, signature


def written(numbers: Sequence[int], alive: Any) -> np.ndarray:
    """Return words.

    Parameters
    ----------
    numbers : sequence of int
        The words.
    alive : object
        What has to live as long as they do.

    Returns
    -------
    ndarray of int64, shape (words,)

    Examples
    --------
    >>> from pymc_bnn.samplers.compiled.words import written
    >>> written([1, 2], None)
    array([1, 2])
    """
    memory: Any = (ctypes.c_int64 * len(numbers))(*numbers)
    memory.alive = alive
    return np.frombuffer(memory, np.int64)


def copied(words: np.ndarray, alive: Any) -> np.ndarray:
    """Return a copy of words that keeps something alive."""
    memory: Any = (ctypes.c_int64 * words.size).from_buffer_copy(words)
    memory.alive = alive
    return np.frombuffer(memory, np.int64)


def address(array: np.ndarray) -> int:
    """Address of an array's numbers."""
    if array.size and array.flags.c_contiguous and array.flags.writeable:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # in a third of the time
    return array.__array_interface__["data"][0]


def bits(number: float) -> int:
    """Bits of a floating point number."""
    return int(np.float64(number).view(np.int64))


def described(array: np.ndarray) -> list[int]:
    """Words that :func:`arrays_from` makes an array of, which nobody owns."""
    return [0, 0, array.size, array.itemsize, address(array), *array.shape, *array.strides]


def array_type(dtype: str, ndim: int) -> types.Array:
    """Type in compiled code of an array whose numbers lie in a row."""
    return types.Array(from_dtype(np.dtype(dtype)), ndim, "C")


@cache
def arrays_from(first: int, kinds: tuple[types.Array, ...]) -> Callable:
    """Make a function for compiled code that reads arrays from words.

    Parameters
    ----------
    first : int
        Where the words of the first array begin; see :func:`described`.
    kinds : tuple of numba array type
        What they are.

    Returns
    -------
    callable
        ``(words) -> arrays``, a tuple.
    """

    @instruction
    def read(typing_context, words):
        def codegen(context, builder, found, values):
            at, arrays = first, []
            for kind in kinds:
                here = builder.gep(values[0], [ir.IntType(64)(at)])
                model = context.get_value_type(kind).as_pointer()
                arrays.append(builder.load(builder.bitcast(here, model)))
                at += 5 + 2 * kind.ndim
            return context.make_tuple(builder, types.Tuple(kinds), arrays)

        return signature(types.Tuple(kinds), words), codegen

    return read


def _pointers_to(dtype: types.Type) -> Callable:
    kind = types.CPointer(dtype)

    @instruction
    def read(typing_context, words, index):
        """Read an address as a pointer."""

        def codegen(context, builder, found, values):
            word = builder.load(builder.gep(values[0], [values[1]]))
            return builder.inttoptr(word, context.get_value_type(kind))

        return signature(kind, words, index), codegen

    return read


doubles_at = _pointers_to(types.float64)
singles_at = _pointers_to(types.float32)
integers_at = _pointers_to(types.int64)


@instruction
def real_at(typing_context, words, index):
    """Read a floating point number."""

    def codegen(context, builder, found, values):
        word = builder.load(builder.gep(values[0], [values[1]]))
        return builder.bitcast(word, ir.DoubleType())

    return signature(types.float64, words, index), codegen

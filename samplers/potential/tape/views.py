"""Where arrays of a tape lie in their buffers, and how they are repeated."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple, cast

import numpy as np
from pytensor.graph.basic import Variable

EXACT = 2**53  # integers up to which real numbers hold all


class UntranslatedError(Exception):
    """A graph does what no instruction does."""


def is_inexact(array: np.ndarray) -> bool:
    """Whether numbers change when they are written as real ones."""
    if array.dtype.kind not in "iu" or array.size == 0:
        return False
    return bool(array.max() > EXACT or array.min() < -EXACT)


class View(NamedTuple):
    """An array in part of a buffer.

    Attributes
    ----------
    buffer : int
        Which buffer.
    offset : int
        Where it begins.
    shape, strides : tuple of int
        As of an array, in numbers.
    """

    buffer: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def contiguous(self) -> bool:
        """Whether the numbers lie in a row, in the order of the array."""
        pairs = zip(self.shape, self.strides, row_strides(self.shape), strict=True)
        return all(size == 1 or found == expected for size, found, expected in pairs)

    def broadcast(self, shape: tuple[int, ...]) -> "View":
        """Return the view as one of a larger shape."""
        missing = len(shape) - len(self.shape)
        own = (1,) * missing + self.shape
        strides = (0,) * missing + self.strides
        if any(size not in (1, wide) for size, wide in zip(own, shape, strict=True)):
            raise UntranslatedError(f"{self.shape} as {shape}")
        kept = zip(own, shape, strides, strict=True)
        found = tuple(0 if size != wide else stride for size, wide, stride in kept)
        return self._replace(shape=shape, strides=found)

    def without(self, axis: int) -> "View":
        """Return the view without an axis of length 1."""
        shape, strides = (own[:axis] + own[axis + 1 :] for own in (self.shape, self.strides))
        return self._replace(shape=shape, strides=strides)

    def ordered(self, axes: Sequence[int]) -> "View":
        """Return the view with its axes in another order."""
        shape, strides = (tuple(own[k] for k in axes) for own in (self.shape, self.strides))
        return self._replace(shape=shape, strides=strides)

    def reshaped(self, shape: tuple[int, ...]) -> "View":
        """Return the numbers, which lie in a row, in another shape."""
        return self._replace(shape=shape, strides=row_strides(shape))


def row_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides of an array whose numbers lie in a row."""
    return tuple(prod(shape[i + 1 :]) for i in range(len(shape)))


type Value = View | np.ndarray  # the latter is known beforehand


def check_repeated(given: Variable, own: tuple[int, ...], wide: tuple[int, ...]) -> None:
    """Refuse lengths of 1 that PyTensor does not know of, which it does not repeat.

    Parameters
    ----------
    given : Variable
        What is to be repeated.
    own, wide : tuple of int
        Its shape, and the one that it is given.

    Raises
    ------
    UntranslatedError
        If there is such a length.
    """
    known = cast(Any, given.type).shape
    ends = wide[len(wide) - len(own) :]
    if any(a == 1 != b and size != 1 for a, b, size in zip(own, ends, known, strict=True)):
        raise UntranslatedError("a length of 1 that was not known")

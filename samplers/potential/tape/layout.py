"""Arrays of a tape: where they lie in its memory, and the instructions between them."""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from .code import Row
from .instructions import CUMULATED
from .views import UntranslatedError, View, is_inexact, row_strides

LONGEST = 5_000  # instructions, for whose code the compiler takes some seconds


class Instruction(NamedTuple):
    """What is done, in how many rows and columns, and to what: (buffer, offset, strides)."""

    kind: str
    rows: int
    columns: int
    operands: tuple[tuple[int, int, int, int], ...]


class Layout:
    """Buffers of a tape and its instructions, before anything has a place in its memory."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.values: dict[int, np.ndarray] = {}
        self.instructions: list[Instruction] = []
        self._constants: dict[bytes, int] = {}

    def new(self, shape: tuple[int, ...]) -> View:
        """Make room for an array."""
        self.sizes.append(prod(shape))
        return View(len(self.sizes) - 1, 0, shape, row_strides(shape))

    def constant(self, value: np.ndarray) -> View:
        """Keep an array that never changes."""
        if is_inexact(value):
            raise UntranslatedError("integers that real numbers are not near to")
        value = np.asarray(value, float)
        key = value.tobytes()
        if key not in self._constants:
            self._constants[key] = self.new((value.size,)).buffer
            self.values[self._constants[key]] = value.ravel()
        return View(self._constants[key], 0, value.shape, row_strides(value.shape))

    def copied(self, view: View) -> View:
        """Copy an array whose numbers do not lie in a row."""
        if view.contiguous:
            return view
        out = self.new(view.shape)
        self.emit("Identity", out, view)
        return out

    def emit(self, kind: str, out: View, *given: View) -> None:
        """Add what computes an array from others number by number."""
        views = [out, *(view.broadcast(out.shape) for view in given)]
        shape, strides = merged(out.shape, [view.strides for view in views])
        self._add(kind, shape, strides, views)

    def reduce(self, kind: str, view: View, axis: int) -> View:
        """Add what reduces one axis of an array."""
        kept = [i for i in range(len(view.shape)) if i != axis]
        out = self.new(tuple(view.shape[i] for i in kept))
        over = tuple(view.strides[i] for i in kept)
        shape, strides = merged(out.shape, [out.strides, over])
        own = [(*strides[0], 0), (*strides[1], view.strides[axis])]
        self._add(kind, (*shape, view.shape[axis]), own, [out, view])
        return out

    def reduced(self, kind: str, view: View, axes: Sequence[int]) -> View:
        """Reduce some axes of an array, by the sum or another instruction."""
        for axis in sorted(axes, reverse=True):
            one = view.shape[axis] == 1
            view = view.without(axis) if one else self.reduce(kind, view, axis)
        return view

    def cumulated(self, view: View, axis: int) -> View:
        """Add what sums the numbers up to each along one axis of an array."""
        out = self.new(view.shape)
        others = [i for i in range(len(view.shape)) if i != axis]
        strides = [tuple(each.strides[i] for i in others) for each in (out, view)]
        shape, found = merged(tuple(view.shape[i] for i in others), strides)
        own = [(*a, each.strides[axis]) for a, each in zip(found, (out, view), strict=True)]
        self._add(CUMULATED, (*shape, view.shape[axis]), own, [out, view])
        return out

    def move(self, kind: str, to: View, places: View, source: View, columns: int) -> None:
        """Add what copies or adds rows from or to places that an array says."""
        views = zip((to, places, source), ((columns, 1), (1, 0), (columns, 1)), strict=True)
        operands = tuple((view.buffer, view.offset, *strides) for view, strides in views)
        self.instructions.append(Instruction(kind, prod(places.shape), columns, operands))

    def _add(
        self,
        kind: str,
        shape: tuple[int, ...],
        strides: list[tuple[int, ...]],
        views: Sequence[View],
    ) -> None:
        """Go through all but the last two axes, and add an instruction for these."""
        shape = (1,) * (2 - len(shape)) + shape
        strides = [(0,) * (len(shape) - len(own)) + own for own in strides]
        for place in np.ndindex(*shape[:-2]):
            operands = tuple(
                (view.buffer, view.offset + int(np.dot(place, own[:-2])), own[-2], own[-1])
                for view, own in zip(views, strides, strict=True)
            )
            self.instructions.append(Instruction(kind, shape[-2], shape[-1], operands))
        if len(self.instructions) > LONGEST:
            raise UntranslatedError("too long")


def merged(
    shape: tuple[int, ...], strides: Sequence[tuple[int, ...]]
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Leave out axes of length 1, and make one of neighbours that lie in a row in all arrays."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for size, apart in zip(shape, zip(*strides, strict=True), strict=True):
        if size == 1:
            continue
        if found and all(
            before == size * now for before, now in zip(found[-1][1], apart, strict=True)
        ):
            found[-1] = (found[-1][0] * size, apart)
        else:
            found.append((size, apart))
    sizes = tuple(size for size, _ in found)
    return sizes, [tuple(apart[k] for _, apart in found) for k in range(len(strides))]


class Placed(NamedTuple):
    """A tape whose arrays have their places.

    Attributes
    ----------
    memory : ndarray of float64
        Constants where they lie; room for all else.
    rows : tuple
        The instructions, see :func:`.code.tape_entry`.
    starts : list of int
        Where each buffer begins.
    """

    memory: np.ndarray
    rows: tuple[Row, ...]
    starts: list[int]


def placed(layout: Layout, kept: Sequence[int]) -> Placed:
    """Give each buffer its place, those in turn that are not needed at the same time.

    Parameters
    ----------
    layout : Layout
        Buffers and instructions.
    kept : sequence of int
        Buffers that are given or asked for and share their place with no other.

    Returns
    -------
    Placed
    """
    starts, total = [-1] * len(layout.sizes), 0
    for buffer in (*kept, *layout.values):
        if starts[buffer] < 0:
            starts[buffer], total = total, total + layout.sizes[buffer]
    fixed = {buffer for buffer, start in enumerate(starts) if start >= 0}
    last = {b: i for i, step in enumerate(layout.instructions) for b, *_ in step.operands}
    free: dict[int, list[int]] = {}
    for i, step in enumerate(layout.instructions):
        used = {buffer for buffer, *_ in step.operands}
        for buffer in used:
            if starts[buffer] < 0:
                size = layout.sizes[buffer]
                if free.get(size):
                    starts[buffer] = free[size].pop()
                else:
                    starts[buffer], total = total, total + size
        for buffer in used - fixed:
            if last[buffer] == i:
                free.setdefault(layout.sizes[buffer], []).append(starts[buffer])
    memory = np.zeros(total + 1)
    for buffer, value in layout.values.items():
        memory[starts[buffer] : starts[buffer] + value.size] = value
    return Placed(memory, _rows(layout.instructions, starts), starts)


def _rows(instructions: Sequence[Instruction], starts: Sequence[int]) -> tuple[Row, ...]:
    return tuple(
        (
            kind,
            count,
            columns,
            tuple((starts[buffer] + at, by_row, by) for buffer, at, by_row, by in operands),
        )
        for kind, count, columns, operands in instructions
    )

"""Parts of arrays by arrays of indices, and arrays that are split."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from pytensor.graph.basic import Apply
from pytensor.tensor.basic import Split
from pytensor.tensor.subtensor import (
    AdvancedIncSubtensor,
    AdvancedSubtensor,
    indices_from_subtensor,
)

from .instructions import ADDED, GATHERED, PUT
from .operations import Value, check_repeated, instruct
from .views import UntranslatedError, View

if TYPE_CHECKING:
    from .translation import Translation


class Places(NamedTuple):
    """Which rows of an array arrays of indices say, once the indexed axes are its first ones.

    Attributes
    ----------
    starts : ndarray
        How far each row lies from the beginning.
    order : tuple of int
        The axes of the array, the indexed ones first.
    before : int
        How many axes come before these.
    rest : tuple of int
        Shape of a row.
    """

    starts: np.ndarray
    order: tuple[int, ...]
    before: int
    rest: tuple[int, ...]

    @property
    def found(self) -> tuple[int, ...]:
        """Axes of the rows that are found, those of the indices where the indexed ones were."""
        own, all_axes = self.starts.ndim, self.starts.ndim + len(self.rest)
        before = range(own, own + self.before)
        return (*before, *range(own), *range(own + self.before, all_axes))


@instruct.register(AdvancedSubtensor)
def _(op: AdvancedSubtensor, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    view = tape.view(given[0])
    places = _places(op, view.shape, given[1:])
    rows = tape.layout.copied(view.ordered(places.order))
    out = tape.layout.new(places.starts.shape + places.rest)
    starts = tape.layout.constant(places.starts)
    tape.layout.move(GATHERED, out, starts, rows, prod(places.rest))
    return [out.ordered(places.found)]


@instruct.register(AdvancedIncSubtensor)
def _(
    op: AdvancedIncSubtensor, node: Apply, given: Sequence[Value], tape: Translation
) -> list[Value]:
    kinds = {str(variable.type.dtype) for variable in (*node.inputs[:2], *node.outputs)}
    if kinds != {"float64"} or op.ignore_duplicates:
        raise UntranslatedError("integers that are added to")
    base, value = map(tape.view, given[:2])
    places = _places(op, base.shape, given[2:])
    shape = places.starts.shape + places.rest
    wide = tuple(shape[axis] for axis in places.found)
    check_repeated(node.inputs[1], value.shape, wide)
    first = base.ordered(places.order)
    out = tape.layout.new(first.shape)
    tape.layout.emit("Identity", out, first)
    rows = tape.layout.copied(value.broadcast(wide).ordered(_opposite(places.found)))
    kind = PUT if op.set_instead_of_inc else ADDED
    starts = tape.layout.constant(places.starts)
    tape.layout.move(kind, out, starts, rows, prod(places.rest))
    return [out.ordered(_opposite(places.order))]


def _opposite(order: Sequence[int]) -> tuple[int, ...]:
    """Return the order that undoes one of axes."""
    return tuple(int(axis) for axis in np.argsort(order))


def _places(op: Any, shape: tuple[int, ...], indices: Sequence[Value]) -> Places:
    """Read known arrays of integers for neighbouring axes; all others are taken as a whole."""
    if not all(isinstance(index, np.ndarray) for index in indices):
        raise UntranslatedError("indices that are computed")
    given = indices_from_subtensor(cast(Any, tuple(indices)), op.idx_list)
    found: list[Any] = [*given, *[slice(None)] * (len(shape) - len(given))]
    axes = [k for k, index in enumerate(found) if isinstance(index, np.ndarray)]
    if any(isinstance(one, slice) and one != slice(None) for one in found):
        raise UntranslatedError("indices beside slices of a part")
    if axes != list(range(axes[0], axes[-1] + 1)):
        raise UntranslatedError("indices of axes that are no neighbours")
    if any(found[k].dtype.kind not in "iu" or found[k].dtype == np.uint64 for k in axes):
        raise UntranslatedError("truth values as indices, or numbers beyond int64")
    order = (*axes, *(k for k in range(len(shape)) if k not in axes))
    first, rest = (tuple(shape[k] for k in part) for part in (axes, order[len(axes) :]))
    signed = [found[k].astype(np.int64) for k in axes]
    numbers = [np.where(k < 0, k + size, k) for k, size in zip(signed, first, strict=True)]
    try:
        starts = np.ravel_multi_index(np.broadcast_arrays(*numbers), first)
    except ValueError as error:
        raise UntranslatedError("indices that do not fit") from error
    return Places(np.asarray(starts) * prod(rest), order, axes[0], rest)


@instruct.register(Split)
def _(op: Split, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    view, sizes = tape.view(given[0]), given[1]
    if not isinstance(sizes, np.ndarray) or sizes.min(initial=0) < 0:
        raise UntranslatedError("lengths that are computed")
    if sizes.sum() != view.shape[op.axis]:
        raise UntranslatedError("lengths that do not fit")
    found, at = list[Value](), 0
    for size in map(int, sizes):
        shape = (*view.shape[: op.axis], size, *view.shape[op.axis + 1 :])
        offset = view.offset + at * view.strides[op.axis]
        found.append(View(view.buffer, offset, shape, view.strides))
        at += size
    return found

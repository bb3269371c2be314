"""Parts of arrays by arrays of indices, and arrays that are split."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple, cast

import numpy as np
from pytensor.graph.basic import Apply, Variable
from pytensor.tensor.basic import Split
from pytensor.tensor.subtensor import (
    AdvancedIncSubtensor,
    AdvancedSubtensor,
    indices_from_subtensor,
)

from .instructions import ADDED, ALL, GATHERED, PUT
from .translation import Translation, instruct
from .views import UntranslatedError, Value, View, check_repeated


class Places(NamedTuple):
    """Which rows of an array arrays of indices say, once the indexed axes are its first ones.

    Attributes
    ----------
    starts : View
        How far each row lies from the beginning.
    inside : View or None
        Whether each index is one of the array; None where that is known.
    order : tuple of int
        The axes of the array, the indexed ones first.
    before : int
        How many axes come before these.
    rest : tuple of int
        Shape of a row.
    """

    starts: View
    inside: View | None
    order: tuple[int, ...]
    before: int
    rest: tuple[int, ...]

    @property
    def found(self) -> tuple[int, ...]:
        """Axes of the rows that are found, those of the indices where the indexed ones were."""
        own = len(self.starts.shape)
        before = range(own, own + self.before)
        return (*before, *range(own), *range(own + self.before, own + len(self.rest)))


@instruct.register(AdvancedSubtensor)
def _(op: AdvancedSubtensor, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    view = tape.view(given[0])
    places = _places(op, view.shape, node.inputs[1:], given[1:], tape)
    rows = tape.layout.copied(view.ordered(places.order))
    out = tape.layout.new(places.starts.shape + places.rest)
    tape.layout.move(GATHERED, out, places.starts, rows, prod(places.rest))
    if (inside := places.inside) is not None:
        once = (1,) * len(places.rest)
        inside = inside._replace(shape=inside.shape + once, strides=inside.strides + once)
        out = _marked(out, inside, tape)
    return [out.ordered(places.found)]


@instruct.register(AdvancedIncSubtensor)
def _(
    op: AdvancedIncSubtensor, node: Apply, given: Sequence[Value], tape: Translation
) -> list[Value]:
    kinds = {str(variable.type.dtype) for variable in (*node.inputs[:2], *node.outputs)}
    if kinds != {"float64"} or op.ignore_duplicates:
        raise UntranslatedError("integers that are added to")
    base, value = map(tape.view, given[:2])
    places = _places(op, base.shape, node.inputs[2:], given[2:], tape)
    shape = places.starts.shape + places.rest
    wide = tuple(shape[axis] for axis in places.found)
    check_repeated(node.inputs[1], value.shape, wide)
    first = base.ordered(places.order)
    out = tape.layout.new(first.shape)
    tape.layout.emit("Identity", out, first)
    rows = tape.layout.copied(value.broadcast(wide).ordered(_opposite(places.found)))
    kind = PUT if op.set_instead_of_inc else ADDED
    tape.layout.move(kind, out, places.starts, rows, prod(places.rest))
    if (inside := places.inside) is not None:
        out = _marked(out, tape.layout.reduced(ALL, inside, range(len(inside.shape))), tape)
    return [out.ordered(_opposite(places.order))]


def _marked(view: View, inside: View, tape: Translation) -> View:
    """Put what is no number where an index is none of the array, for which PyTensor fails."""
    out, nothing = tape.layout.new(view.shape), tape.layout.constant(np.array(np.nan))
    tape.layout.emit("Switch", out, inside, view, nothing)
    return out


def _opposite(order: Sequence[int]) -> tuple[int, ...]:
    """Return the order that undoes one of axes."""
    return tuple(int(axis) for axis in np.argsort(order))


def _places(
    op: Any,
    shape: tuple[int, ...],
    variables: Sequence[Variable],
    indices: Sequence[Value],
    tape: Translation,
) -> Places:
    """Read arrays of integers for neighbouring axes; all others are taken as a whole."""
    taken = indices_from_subtensor(cast(Any, tuple(range(len(indices)))), op.idx_list)
    found: list[Any] = [*taken, *[slice(None)] * (len(shape) - len(taken))]
    axes = [k for k, index in enumerate(found) if not isinstance(index, slice)]
    if any(isinstance(one, slice) and one != slice(None) for one in found):
        raise UntranslatedError("indices beside slices of a part")
    if axes != list(range(axes[0], axes[-1] + 1)):
        raise UntranslatedError("indices of axes that are no neighbours")
    kinds = [np.dtype(cast(Any, variables[found[k]].type).dtype) for k in axes]
    if any(kind.kind not in "iu" or kind == np.uint64 for kind in kinds):
        raise UntranslatedError("truth values as indices, or numbers beyond int64")
    order = (*axes, *(k for k in range(len(shape)) if k not in axes))
    first, rest = (tuple(shape[k] for k in part) for part in (axes, order[len(axes) :]))
    own = [indices[found[k]] for k in axes]
    if all(isinstance(index, np.ndarray) for index in own):
        known = tape.layout.constant(_known_starts(cast(Any, own), first) * prod(rest))
        return Places(known, None, order, axes[0], rest)
    strides = [prod((*first[k + 1 :], *rest)) for k in range(len(axes))]
    named = [variables[found[k]] for k in axes]
    starts, inside = _computed_starts(named, [*map(tape.view, own)], first, strides, tape)
    return Places(starts, inside, order, axes[0], rest)


def _known_starts(indices: Sequence[np.ndarray], sizes: Sequence[int]) -> np.ndarray:
    """Number of each part, counted in the order of the array."""
    signed = [index.astype(np.int64) for index in indices]
    numbers = [np.where(k < 0, k + size, k) for k, size in zip(signed, sizes, strict=True)]
    try:
        return np.asarray(np.ravel_multi_index(np.broadcast_arrays(*numbers), tuple(sizes)))
    except ValueError as error:
        raise UntranslatedError("indices that do not fit") from error


def _computed_starts(
    variables: Sequence[Variable],
    indices: Sequence[View],
    sizes: Sequence[int],
    strides: Sequence[int],
    tape: Translation,
) -> tuple[View, View]:
    """Add what finds how far each part lies from the beginning, and whether there is one."""
    try:
        wide = np.broadcast_shapes(*(index.shape for index in indices))
    except ValueError as error:
        raise UntranslatedError("indices that do not fit") from error

    def computed(kind: str, *given: View | int) -> View:
        out = tape.layout.new(wide)
        views = [tape.layout.constant(np.array(v)) if isinstance(v, int) else v for v in given]
        tape.layout.emit(kind, out, *views)
        return out

    starts, inside = (tape.layout.constant(np.full(wide, number)) for number in (0.0, 1.0))
    for variable, index, size, stride in zip(variables, indices, sizes, strides, strict=True):
        check_repeated(variable, index.shape, wide)
        place = computed("Switch", computed("LT", index, 0), computed("Add", index, size), index)
        fits = computed("AND", computed("GE", place, 0), computed("LT", place, size))
        far = computed("Mul", computed("Switch", fits, place, 0), stride)
        starts, inside = computed("Add", starts, far), computed("AND", inside, fits)
    return starts, inside


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

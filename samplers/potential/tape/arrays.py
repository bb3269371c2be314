"""Operations on shapes, parts and axes of arrays."""

from collections.abc import Sequence
from math import prod
from typing import Any, cast

import numpy as np
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.tensor.basic import Alloc, Join, MakeVector, ScalarFromTensor, TensorFromScalar
from pytensor.tensor.elemwise import CAReduce, DimShuffle
from pytensor.tensor.extra_ops import CumOp
from pytensor.tensor.math import All, Max, Min, Sum
from pytensor.tensor.math import Any as AnyOf
from pytensor.tensor.shape import Reshape, SpecifyShape
from pytensor.tensor.subtensor import IncSubtensor, Subtensor, indices_from_subtensor
from pytensor.tensor.type_other import NoneTypeT

from ..graphs.parts import Joined
from .instructions import ALL, ANY, LARGEST, SMALLEST, SUM
from .translation import Translation, instruct
from .views import UntranslatedError, Value, View, check_repeated

REDUCED = {Sum: SUM, All: ALL, AnyOf: ANY, Max: LARGEST, Min: SMALLEST}


@instruct.register(DimShuffle)
def _(op: DimShuffle, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    [view] = map(tape.view, given)
    axes = [None if axis == "x" else int(axis) for axis in op.new_order]
    if any(view.shape[axis] != 1 for axis in set(range(len(view.shape))) - set(axes)):
        raise UntranslatedError("an axis left out that is not of length 1")
    shape = tuple(1 if axis is None else view.shape[axis] for axis in axes)
    strides = tuple(0 if axis is None else view.strides[axis] for axis in axes)
    return [view._replace(shape=shape, strides=strides)]


@instruct.register(CAReduce)
def _(op: CAReduce, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    [view] = map(tape.view, given)
    kind = next((kind for of, kind in REDUCED.items() if isinstance(op, of)), None)
    if kind is None:
        raise UntranslatedError(type(op).__name__)
    if kind == SUM and str(node.outputs[0].type.dtype) != "float64":
        raise UntranslatedError("a sum of integers")
    axes = range(len(view.shape)) if op.axis is None else op.axis
    if kind in (LARGEST, SMALLEST) and 0 in [view.shape[axis] for axis in axes]:
        raise UntranslatedError("the largest of no numbers")
    return [tape.layout.reduced(kind, view, axes)] if axes else [view]


@instruct.register(CumOp)
def _(op: CumOp, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    if op.mode != "add" or str(node.outputs[0].type.dtype) != "float64":
        raise UntranslatedError("products that are cumulated, or integers")
    return [tape.layout.cumulated(tape.view(given[0]), op.axis)]


def _part(op: Any, view: View, indices: Sequence[Value]) -> View:
    """Part of an array that constant indices and slices say."""
    if not all(isinstance(index, np.ndarray) for index in indices):
        raise UntranslatedError("an index that is computed")
    numbers = [int(cast(np.ndarray, index)) for index in indices]
    offset, shape, strides = view.offset, list[int](), list[int]()
    places = indices_from_subtensor(cast(Any, numbers), op.idx_list)
    whole = [slice(None)] * (len(view.shape) - len(places))
    for index, size, stride in zip([*places, *whole], view.shape, view.strides, strict=True):
        if isinstance(index, slice):
            chosen = range(size)[index]
            offset += chosen.start * stride if chosen else 0
            shape.append(len(chosen))
            strides.append(stride * chosen.step)
        else:
            offset += range(size)[cast(int, index)] * stride
    return View(view.buffer, offset, tuple(shape), tuple(strides))


@instruct.register(Subtensor)
def _(op: Subtensor, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    return [_part(op, tape.view(given[0]), given[1:])]


@instruct.register(IncSubtensor)
def _(op: IncSubtensor, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    base, value = map(tape.view, given[:2])
    kinds = [str(variable.type.dtype) for variable in (*node.inputs[:2], *node.outputs)]
    if kinds[-1] != "float64" and (not op.set_instead_of_inc or len(set(kinds)) > 1):
        raise UntranslatedError("integers that are added to")
    out = tape.layout.new(base.shape)
    tape.layout.emit("Identity", out, base)
    part = _part(op, out, given[2:])
    if op.set_instead_of_inc:
        tape.layout.emit("Identity", part, value)
    else:
        tape.layout.emit("Add", part, part, value)
    return [out]


@instruct.register(MakeVector)
def _(op: MakeVector, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    out = tape.layout.new((len(given),))
    for k, value in enumerate(given):
        tape.layout.emit("Identity", out._replace(offset=k, shape=(), strides=()), tape.view(value))
    return [out]


@instruct.register(Reshape)
def _(op: Reshape, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    view, shape = tape.layout.copied(tape.view(given[0])), given[1]
    if not isinstance(shape, np.ndarray):
        raise UntranslatedError("a shape that is computed")
    sizes = [int(size) for size in shape]
    known = prod(size for size in sizes if size != -1)
    total = prod(view.shape)
    filled = tuple(total // max(known, 1) if size == -1 else size for size in sizes)
    if prod(filled) != total:
        raise UntranslatedError("another number of numbers")
    return [view.reshaped(filled)]


@instruct.register(Alloc)
def _(op: Alloc, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    if not all(isinstance(size, np.ndarray) for size in given[1:]):
        raise UntranslatedError("a shape that is computed")
    view, shape = tape.view(given[0]), tuple(int(cast(Any, size)) for size in given[1:])
    check_repeated(node.inputs[0], view.shape, shape)
    return [view.broadcast(shape)]


@instruct.register(Joined)
def _(op: Joined, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    views = [tape.view(value) for value in given]
    out, at = tape.layout.new((sum(prod(view.shape) for view in views),)), 0
    for view in views:
        tape.layout.emit("Identity", out.reshaped(view.shape)._replace(offset=at), view)
        at += prod(view.shape)
    return [out]


@instruct.register(Join)
def _(op: Join, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    views, axis = [tape.view(value) for value in given], op.axis
    if len({view.shape[:axis] + view.shape[axis + 1 :] for view in views}) > 1:
        raise UntranslatedError("shapes that do not fit")
    length = sum(view.shape[axis] for view in views)
    out, at = tape.layout.new((*views[0].shape[:axis], length, *views[0].shape[axis + 1 :])), 0
    for view in views:
        offset = at * out.strides[axis]
        tape.layout.emit("Identity", out._replace(offset=offset, shape=view.shape), view)
        at += view.shape[axis]
    return [out]


@instruct.register(SpecifyShape)
def _(op: SpecifyShape, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    expected = [
        None if isinstance(v.type, NoneTypeT) else given[i] for i, v in enumerate(node.inputs)
    ][1:]
    for size, wanted in zip(given[0].shape, expected, strict=True):
        if wanted is not None and not (isinstance(wanted, np.ndarray) and size == wanted):
            raise UntranslatedError("another shape than is said")
    return [given[0]]


@instruct.register(ScalarFromTensor)
@instruct.register(TensorFromScalar)
def _(op: Op, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    return [given[0]]

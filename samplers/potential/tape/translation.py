"""From a graph of PyTensor to the instructions of a tape, given the shapes of its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from math import prod
from typing import Any, cast

import numpy as np
from pytensor.compile.builders import OpFromGraph
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.op import Op
from pytensor.scalar import basic as scalars
from pytensor.tensor.basic import Alloc, Join, MakeVector, ScalarFromTensor, TensorFromScalar
from pytensor.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from pytensor.tensor.math import All, Sum
from pytensor.tensor.shape import Reshape, Shape, Shape_i, SpecifyShape
from pytensor.tensor.subtensor import IncSubtensor, Subtensor, indices_from_subtensor

from ..graphs.network_energy import NetworkEnergy
from ..graphs.parts import Joined
from ..network_plan import OUTPUTS
from .instructions import ALL, ELEMENTWISE, PASS, SUM
from .layout import Instruction, Layout, UntranslatedError, View

type Value = View | np.ndarray  # the latter is known beforehand

# truth values and small integers are exact, but sums and products of them mean something else
ARITHMETIC = (scalars.Add, scalars.Mul, scalars.Sub, scalars.Neg, scalars.Abs, scalars.Sqr)
LOGICAL = (scalars.AND, scalars.OR, scalars.Invert)


class Translation:
    """A graph being translated.

    Parameters
    ----------
    graph : FunctionGraph
        The graph.
    shapes : mapping of Variable to tuple of int
        Shapes of its inputs that are numbers.
    network : ndarray of int64 or None
        Words of the network whose energy is in the graph.
    """

    def __init__(
        self,
        graph: FunctionGraph,
        shapes: Mapping[Variable, tuple[int, ...]],
        network: np.ndarray | None,
    ):
        self.layout, self.network = Layout(), network
        self.found: dict[Variable, Value] = {}
        for variable, shape in shapes.items():
            self.found[variable] = self.layout.new(shape)
        for node in graph.toposort():
            self._translate(node)
        self.outputs = [self.view(self._value(output)) for output in graph.outputs]

    def view(self, value: Value) -> View:
        """Put a value that is known into the memory."""
        return self.layout.constant(value) if isinstance(value, np.ndarray) else value

    def _value(self, variable: Variable) -> Value:
        if isinstance(variable, Constant):
            return np.asarray(variable.data)
        return self.found[variable]

    def _translate(self, node: Apply) -> None:
        if isinstance(node.op, NetworkEnergy):
            outputs: Sequence[Value] = self._network(node)
        else:
            given = [self._value(variable) for variable in node.inputs]
            if isinstance(node.op, Shape):
                outputs = [np.array(given[0].shape)]
            elif isinstance(node.op, Shape_i):
                outputs = [np.array(given[0].shape[node.op.i])]
            elif _is_known(node, given):
                outputs = _computed(node, given)
            else:
                outputs = instruct(node.op, node, given, self)
        self.found.update(zip(node.outputs, outputs, strict=True))

    def _network(self, node: Apply) -> list[View]:
        """Pass through the network; the slopes by its precisions come after those."""
        assert self.network is not None
        layout, outputs = self.layout, int(self.network[OUTPUTS])
        weights = layout.copied(self.view(self._value(node.inputs[0])))
        precision = self.view(self._value(node.inputs[1]))
        energy, slopes, noise = (
            layout.new(()),
            layout.new(weights.shape),
            layout.new((2 * outputs,)),
        )
        layout.emit("Identity", noise._replace(shape=(outputs,)), _flat(precision))
        operands = tuple((v.buffer, v.offset, 0, 0) for v in (energy, weights, slopes, noise))
        size = prod(weights.shape)
        layout.instructions.append(Instruction(PASS, outputs, size, operands))
        by_precision = noise._replace(offset=outputs, shape=(outputs,))
        if prod(precision.shape) == 1:
            by_precision = layout.reduce(SUM, by_precision, 0)
        return [energy, slopes, by_precision.reshaped(precision.shape)][: len(node.outputs)]


def _flat(view: View) -> View:
    if not view.contiguous:
        raise UntranslatedError("precisions that do not lie in a row")
    return view.reshaped((prod(view.shape),))


def _is_known(node: Apply, given: Sequence[Value]) -> bool:
    """Whether what a node computes can be computed beforehand."""
    return all(isinstance(value, np.ndarray) for value in given) and not isinstance(
        node.op, OpFromGraph
    )


def _computed(node: Apply, given: Sequence[Value]) -> list[np.ndarray]:
    cells: list[list[Any]] = [[None] for _ in node.outputs]
    node.op.perform(node, list(given), cast(Any, cells))
    return [np.asarray(cell[0]) for cell in cells]


@singledispatch
def instruct(op: Op, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    """Translate one operation, by its class.

    Parameters
    ----------
    op : Op
        The operation.
    node : Apply
        Where it is applied.
    given : sequence of View or ndarray
        Its inputs; some are known beforehand.
    tape : Translation
        What the instructions are added to.

    Returns
    -------
    list of View or ndarray
        Its outputs.

    Raises
    ------
    UntranslatedError
        If no instruction does this.
    """
    raise UntranslatedError(type(op).__name__)


@instruct.register
def _(op: Elemwise, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    views = [tape.view(value) for value in given]
    shape = np.broadcast_shapes(*(view.shape for view in views))
    dtypes = [str(variable.type.dtype) for variable in (*node.inputs, *node.outputs)]
    return _scalar(op.scalar_op, views, dtypes, shape, tape)


def _scalar(
    op: Any, views: Sequence[View], dtypes: Sequence[str], shape: tuple[int, ...], tape: Translation
) -> list[Value]:
    """Translate a function of numbers, which may be composed of others."""
    if isinstance(op, scalars.Composite):
        return _composed(op, views, shape, tape)
    kind = type(op)
    if kind is scalars.Second:
        kind, views = scalars.Identity, views[1:]
    if kind not in ELEMENTWISE or not _means_the_same(kind, dtypes):
        raise UntranslatedError(type(op).__name__)
    if len(views) > 2 and kind is not scalars.Switch:
        return [_folded(kind.__name__, views, tape)]
    out = tape.layout.new(shape)
    tape.layout.emit(kind.__name__, out, *views)
    return [out]


def _folded(kind: str, views: Sequence[View], tape: Translation) -> View:
    """Add or multiply more than two arrays, small ones first, as those are done soon."""
    first, *others = sorted(views, key=lambda view: prod(view.shape))
    for other in others:
        out = tape.layout.new(np.broadcast_shapes(first.shape, other.shape))
        tape.layout.emit(kind, out, first, other)
        first = out
    return first


def _means_the_same(kind: type, dtypes: Sequence[str]) -> bool:
    """Whether an operation on these types is that on real numbers."""
    *inputs, output = dtypes
    if output in ("float32", "float16"):
        return kind in (scalars.Switch, scalars.Identity)  # all else rounds
    if kind in ARITHMETIC:
        return output in ("float64", "int64")
    if kind in LOGICAL:
        return set(inputs) == {"bool"}
    if kind is scalars.Cast:
        return output == "float64" or inputs == ["bool"] or inputs[0][:3] == output[:3] == "int"
    return True


def _composed(
    op: Any, views: Sequence[View], shape: tuple[int, ...], tape: Translation
) -> list[Value]:
    found: dict[Any, View] = dict(zip(op.fgraph.inputs, views, strict=True))

    def value(variable: Any) -> View:
        if isinstance(variable, Constant):
            return tape.layout.constant(np.asarray(variable.data))
        return found[variable]

    for node in op.fgraph.toposort():
        dtypes = [variable.type.dtype for variable in (*node.inputs, *node.outputs)]
        outputs = _scalar(node.op, [value(v) for v in node.inputs], dtypes, shape, tape)
        found.update(zip(node.outputs, cast(Any, outputs), strict=True))
    return [value(variable) for variable in op.fgraph.outputs]


@instruct.register
def _(op: DimShuffle, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    [view] = map(tape.view, given)
    axes = [None if axis == "x" else int(axis) for axis in op.new_order]
    shape = tuple(1 if axis is None else view.shape[axis] for axis in axes)
    strides = tuple(0 if axis is None else view.strides[axis] for axis in axes)
    return [view._replace(shape=shape, strides=strides)]


@instruct.register
def _(op: CAReduce, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    [view] = map(tape.view, given)
    if not isinstance(op, Sum | All):
        raise UntranslatedError(type(op).__name__)
    if isinstance(op, Sum) and str(node.outputs[0].type.dtype) != "float64":
        raise UntranslatedError("a sum of integers")
    axes = range(len(view.shape)) if op.axis is None else op.axis
    if not axes:
        return [view]
    return [tape.layout.sums(SUM if isinstance(op, Sum) else ALL, view, axes)]


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


@instruct.register
def _(op: Subtensor, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    return [_part(op, tape.view(given[0]), given[1:])]


@instruct.register
def _(op: IncSubtensor, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    base, value = map(tape.view, given[:2])
    out = tape.layout.new(base.shape)
    tape.layout.emit("Identity", out, base)
    part = _part(op, out, given[2:])
    if op.set_instead_of_inc:
        tape.layout.emit("Identity", part, value)
    else:
        tape.layout.emit("Add", part, part, value)
    return [out]


@instruct.register
def _(op: MakeVector, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    out = tape.layout.new((len(given),))
    for k, value in enumerate(given):
        tape.layout.emit("Identity", out._replace(offset=k, shape=(), strides=()), tape.view(value))
    return [out]


@instruct.register
def _(op: Reshape, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    view, shape = tape.layout.copied(tape.view(given[0])), given[1]
    if not isinstance(shape, np.ndarray):
        raise UntranslatedError("a shape that is computed")
    sizes = [int(size) for size in shape]
    known = prod(size for size in sizes if size != -1)
    total = prod(view.shape)
    return [view.reshaped(tuple(total // known if size == -1 else size for size in sizes))]


@instruct.register
def _(op: Alloc, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    if not all(isinstance(size, np.ndarray) for size in given[1:]):
        raise UntranslatedError("a shape that is computed")
    return [tape.view(given[0]).broadcast(tuple(int(cast(Any, size)) for size in given[1:]))]


@instruct.register
def _(op: Joined, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    views = [tape.view(value) for value in given]
    out, at = tape.layout.new((sum(prod(view.shape) for view in views),)), 0
    for view in views:
        tape.layout.emit("Identity", out.reshaped(view.shape)._replace(offset=at), view)
        at += prod(view.shape)
    return [out]


@instruct.register
def _(op: Join, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    views, axis = [tape.view(value) for value in given], op.axis
    length = sum(view.shape[axis] for view in views)
    out, at = tape.layout.new((*views[0].shape[:axis], length, *views[0].shape[axis + 1 :])), 0
    for view in views:
        offset = at * out.strides[axis]
        tape.layout.emit("Identity", out._replace(offset=offset, shape=view.shape), view)
        at += view.shape[axis]
    return [out]


@instruct.register(SpecifyShape)
@instruct.register(ScalarFromTensor)
@instruct.register(TensorFromScalar)
def _(op: Op, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    return [given[0]]


def is_translated(op: Op) -> bool:
    """Whether there are instructions for an operation of this class."""
    return instruct.dispatch(type(op)) is not instruct.dispatch(object)

"""From a graph of PyTensor to the instructions of a tape, given the shapes of its inputs.

How an operation becomes instructions is registered by its class, in modules that the package
imports, and that import this one.
"""

from collections.abc import Mapping, Sequence
from functools import singledispatch
from math import prod
from typing import Any, cast

import numpy as np
from pytensor.compile.builders import OpFromGraph, SymbolicOp
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.graph.fg import AbstractFunctionGraph, FunctionGraph
from pytensor.graph.op import Op
from pytensor.tensor.shape import Shape, Shape_i

from ...compiled.entries import Entry
from ..graphs.network_energy import NetworkEnergy
from ..network_plan import OUTPUTS
from .instructions import CALL, PASS, SUM
from .layout import Instruction, Layout
from .views import UntranslatedError, Value, View


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
        self.entries: list[Entry] = []
        for variable, shape in shapes.items():
            self.found[variable] = self.layout.new(shape)
        for node in graph.toposort():
            self._translate(node)
        self.outputs = [self.view(self._value(output)) for output in graph.outputs]

    def view(self, value: Value) -> View:
        """Put a value that is known into the memory."""
        return self.layout.constant(value) if isinstance(value, np.ndarray) else value

    def call(self, entry: Entry, *operands: View) -> None:
        """Call a function that reads and writes operands, each of up to two axes, in the memory."""
        if entry not in self.entries:
            self.entries.append(entry)
        shapes = [(*view.shape, 1, 1) for view in operands]
        given = tuple(
            (view.buffer, view.offset, rows, columns)
            for view, (rows, columns, *_) in zip(operands, shapes, strict=True)
        )
        self.layout.instructions.append(Instruction(CALL, self.entries.index(entry), 0, given))

    def inlined(self, graph: AbstractFunctionGraph, given: Sequence[Value]) -> list[Value]:
        """Translate a graph within the graph, and return its outputs.

        PyTensor gives the inputs of all such graphs the same variables, by their number and type.
        """
        around, self.found = self.found, dict(zip(graph.inputs, given, strict=True))
        try:
            for node in graph.toposort():
                self._translate(node)
            return [self._value(output) for output in graph.outputs]
        finally:
            self.found = around

    def _value(self, variable: Variable) -> Value:
        if isinstance(variable, Constant):
            return np.asarray(variable.data)
        return self.found[variable]

    def _translate(self, node: Apply) -> None:
        if isinstance(node.op, NetworkEnergy):
            outputs: Sequence[Value] = self._network(node)
        else:
            given = [self._value(variable) for variable in node.inputs]
            _check_types(node)
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
    try:
        node.op.perform(node, list(given), cast(Any, cells))
    except Exception as error:  # some have no Python code; the others tell it when compiled
        raise UntranslatedError(type(node.op).__name__) from error
    return [np.asarray(cell[0]) for cell in cells]


def _check_types(node: Apply) -> None:
    """Refuse what is no real number, integer or truth value."""
    for variable in (*node.inputs, *node.outputs):
        dtype = getattr(variable.type, "dtype", None)
        if dtype is not None and np.dtype(dtype).kind not in "fiub":
            raise UntranslatedError(str(dtype))


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


@instruct.register(SymbolicOp)
def _(op: SymbolicOp, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    """Refuse what has other code than its graph, where nothing is said about it."""
    raise UntranslatedError(type(op).__name__)


def is_translated(op: Op) -> bool:
    """Whether there are instructions for an operation of this class."""
    return instruct.dispatch(type(op)) not in map(instruct.dispatch, (object, SymbolicOp))

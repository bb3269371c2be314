"""Graphs as functions that Python calls."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from math import prod
from threading import Lock
from typing import Any

import numpy as np
from pymc.pytensorf import compile as compile_with_pymc
from pytensor.compile.builders import SymbolicOp
from pytensor.graph.basic import Variable
from pytensor.graph.op import Op
from pytensor.graph.traversal import ancestors

from ....models.simd.lane_memory import pointer
from ...compiled import engine
from ..graphs.parts import Parts
from ..graphs.without_slope import WithoutSlope
from ..rest import ALONE, called_alone
from .graph_tape import GraphTape, Prepared
from .translation import is_translated
from .views import UntranslatedError

_ALONE = Lock()
REWRITTEN = (Parts, WithoutSlope)  # to operations of PyTensor


def call_tape(memory, words):
    """Call the code of a tape that takes nothing but what is in its memory."""
    return called_alone(memory, pointer(words, 0))


class TapeFunction(GraphTape):
    """A graph as a function of arrays; threads wait for each other.

    Parameters
    ----------
    outputs, inputs : sequence of Variable
        The graph.
    """

    def __init__(self, outputs: Sequence[Variable], inputs: Sequence[Variable]):
        super().__init__(outputs, inputs)
        self._call = engine.specialize(call_tape)
        self._ready: dict[int, tuple[np.ndarray, list[np.ndarray]]] = {}
        self._types = [str(variable.type.dtype) for variable in outputs]

    def __call__(self, *values: Any) -> list[np.ndarray]:
        """Evaluate the graph."""
        arrays, _ = self._given(values)
        with _ALONE:
            prepared = self._prepared(tuple(array.shape for array in arrays), None)
            if id(prepared) not in self._ready:
                self._ready[id(prepared)] = self._room(prepared)
            words, outputs = self._ready[id(prepared)]
            self._fill(prepared.memory, 0, arrays)
            self._call(prepared.memory, words)
            return [view.astype(kind) for view, kind in zip(outputs, self._types, strict=True)]

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what has an address in this process."""
        return {**vars(self), "_ready": {}, "_known": {}}

    def _room(self, prepared: Prepared) -> tuple[np.ndarray, list[np.ndarray]]:
        """Words, and the outputs as parts of the memory."""
        memory = prepared.memory
        outputs = [
            memory[view.offset : view.offset + prod(view.shape)].reshape(view.shape)
            for view in prepared.outputs
        ]
        return self._words(prepared, memory, None, ALONE), outputs


def evaluated(
    inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> Callable[..., Sequence[np.ndarray]]:
    """Return a function that evaluates a graph, by a tape if it can be.

    Parameters
    ----------
    inputs, outputs : sequence of Variable
        The graph.

    Returns
    -------
    callable
        Takes arrays and returns arrays.

    Examples
    --------
    >>> import numpy as np
    >>> import pytensor.tensor as pt
    >>> from pymc_bnn.samplers.potential.tape.function import evaluated
    >>> x = pt.dvector("x")
    >>> evaluated([x], [x.sum(), pt.exp(x)])(np.zeros(2))
    [array(0.), array([1., 1.])]
    """
    if not engine.available():
        return _compiled(inputs, outputs)
    tape, compiled = TapeFunction(outputs, inputs), cache(lambda: _in_parts(inputs, outputs))

    def evaluate(*values: Any) -> Sequence[np.ndarray]:
        if tape.translates:
            with suppress(UntranslatedError):
                return tape(*values)
        return compiled()(*values)

    return evaluate


def _in_parts(
    inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> Callable[..., Sequence[np.ndarray]]:
    """Evaluate what has kernels compiled, and all else by a tape if it can be."""
    kernels = [output for output in outputs if _has_kernel(output)]
    others = [output for output in outputs if output not in kernels]
    if kernels and others:
        return _in_order(outputs, {True: kernels, False: others}, inputs)
    return _compiled(inputs, outputs)


def _has_kernel(output: Variable) -> bool:
    """Whether a graph has an operation with a kernel of its own."""
    ops = {v.owner.op for v in ancestors([output]) if v.owner is not None}
    ours = (op for op in ops if not isinstance(op, REWRITTEN) and not _is_of_a_library(op))
    return any(isinstance(op, SymbolicOp) or not is_translated(op) for op in ours)


def _is_of_a_library(op: Op) -> bool:
    return type(op).__module__.partition(".")[0] in ("pytensor", "pymc")


def _in_order(
    outputs: Sequence[Variable],
    parts: Mapping[bool, Sequence[Variable]],
    inputs: Sequence[Variable],
) -> Callable[..., Sequence[np.ndarray]]:
    """Evaluate two parts of a graph's outputs by themselves."""
    functions = {True: _compiled(inputs, parts[True]), False: evaluated(inputs, parts[False])}

    def evaluate(*values: Any) -> Sequence[np.ndarray]:
        found = {has: iter(function(*values)) for has, function in functions.items()}
        return [next(found[output in parts[True]]) for output in outputs]

    return evaluate


@engine.compiles  # perhaps long after the graph was made, and outside what compiles
def _compiled(
    inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> Callable[..., Sequence[np.ndarray]]:
    options: dict[str, Any] = {"on_unused_input": "ignore", "trust_input": True}
    return compile_with_pymc(list(inputs), list(outputs), mode=engine.graph_mode(), **options)

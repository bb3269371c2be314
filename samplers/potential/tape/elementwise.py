"""Operations number by number, and what is composed of them."""

from collections.abc import Sequence
from math import prod
from typing import Any, cast

import numpy as np
from pytensor.graph.basic import Apply, Constant
from pytensor.scalar import basic as scalars
from pytensor.tensor.elemwise import Elemwise

from .instructions import ELEMENTWISE, ROUNDED
from .translation import Translation, instruct
from .views import UntranslatedError, Value, View, check_repeated

# of integers and truth values these mean something else
ARITHMETIC = (
    scalars.Add,
    scalars.Mul,
    scalars.Sub,
    scalars.Neg,
    scalars.Abs,
    scalars.Sqr,
    scalars.Pow,
    scalars.Mod,
)
LOGICAL = (scalars.AND, scalars.OR, scalars.Invert)


@instruct.register(Elemwise)
def _(op: Elemwise, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    views = [tape.view(value) for value in given]
    shape = _common_shape(node, views)
    dtypes = [str(variable.type.dtype) for variable in (*node.inputs, *node.outputs)]
    return _scalar(op.scalar_op, views, dtypes, shape, tape)


def _common_shape(node: Apply, views: Sequence[View]) -> tuple[int, ...]:
    """Shape of what comes out; lengths of 1 that PyTensor does not know of are not repeated."""
    try:
        shape = np.broadcast_shapes(*(view.shape for view in views))
    except ValueError as error:
        raise UntranslatedError("shapes that do not fit") from error
    for variable, view in zip(node.inputs, views, strict=True):
        check_repeated(variable, view.shape, shape)
    return shape


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
    if len(views) > 2 and kind not in (scalars.Switch, scalars.Clip):
        return [_folded(kind.__name__, views, tape)]
    out = tape.layout.new(shape)
    tape.layout.emit(kind.__name__, out, *views)
    if dtypes[-1] == "float32" and kind not in (scalars.Switch, scalars.Identity):
        tape.layout.emit(ROUNDED, out, out)
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
    if output in ("float32", "float16") and kind in (scalars.Switch, scalars.Identity):
        return True
    if output == "float16":
        return False  # all else rounds
    if output == "float32":
        # constants such as 0.1, and what follows from them; what comes out is rounded again
        return set(inputs) == {"float32"} and len(inputs) <= 2
    if kind in ARITHMETIC:
        return output == "float64"
    if kind in LOGICAL:
        return set(inputs) == {"bool"}
    if kind is scalars.Cast:
        return output == "float64" or (
            np.dtype(inputs[0]).kind in "iub" and np.can_cast(inputs[0], output)
        )
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
    return [value(variable).broadcast(shape) for variable in op.fgraph.outputs]

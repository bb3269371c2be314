"""Products of small matrices, and operations that PyTensor composes of others."""

from collections.abc import Sequence

from pytensor.compile.builders import OpFromGraph
from pytensor.graph.basic import Apply
from pytensor.tensor.math import Dot
from pytensor.tensor.special import LogSoftmax, Softmax

from .instructions import PRODUCT
from .layout import Instruction
from .translation import Translation, instruct
from .views import UntranslatedError, Value, View

MOST_PRODUCTS = 2**9  # of numbers; for more of them libraries are faster


@instruct.register(Dot)
def _(op: Dot, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    left, right = map(tape.view, given)
    if {str(variable.type.dtype) for variable in (*node.inputs, *node.outputs)} != {"float64"}:
        raise UntranslatedError("products of integers")
    if len(left.shape) != 2 or len(right.shape) != 2 or left.shape[1] != right.shape[0]:
        raise UntranslatedError("matrices that do not fit")
    (rows, inner), columns = left.shape, right.shape[1]
    if rows * inner * columns > MOST_PRODUCTS:
        raise UntranslatedError("a product of large matrices")
    out = tape.layout.new((rows, columns))
    if rows < columns:  # fewer instructions, each with more to do
        out_turned, first, second = (view.ordered((1, 0)) for view in (out, right, left))
        _multiply(out_turned, first, second, tape)
    else:
        _multiply(out, left, right, tape)
    return [out]


def _multiply(out: View, left: View, right: View, tape: Translation) -> None:
    """Add an instruction for each column."""
    for j in range(right.shape[1]):
        operands = (
            (out.buffer, out.offset + j * out.strides[1], out.strides[0], 0),
            (left.buffer, left.offset, left.strides[0], left.strides[1]),
            (right.buffer, right.offset + j * right.strides[1], 0, right.strides[0]),
        )
        tape.layout.instructions.append(
            Instruction(PRODUCT, left.shape[0], left.shape[1], operands)
        )


@instruct.register(Softmax)
@instruct.register(LogSoftmax)
@instruct.register(OpFromGraph)
def _(op: OpFromGraph, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    return tape.inlined(op.fgraph, given)

r"""Powers of a variable in PyTensor expressions, read off the graph.

An expression is a power of a variable if it is :math:`c\,\tau^p`, elementwise, with a constant
:math:`p` and factors :math:`c` that do not depend on :math:`\tau`. The graph decides, not values at
points: ``maximum(tau, 0.01)`` is no power, however far from 0.01 one looks.
"""

from collections.abc import Callable, Collection
from typing import Any, cast

import numpy as np
from pytensor import scalar as ps
from pytensor.compile.ops import DeepCopyOp, ViewOp
from pytensor.graph.basic import Variable
from pytensor.raise_op import CheckAndRaise
from pytensor.tensor.basic import (
    Alloc,
    Join,
    MakeVector,
    ScalarFromTensor,
    TensorFromScalar,
    get_underlying_scalar_constant_value,
)
from pytensor.tensor.elemwise import DimShuffle, Elemwise
from pytensor.tensor.shape import Reshape, Shape, Shape_i, SpecifyShape
from pytensor.tensor.subtensor import AdvancedSubtensor, Subtensor

_RESHAPING = (
    Alloc,
    AdvancedSubtensor,
    CheckAndRaise,
    DeepCopyOp,
    DimShuffle,
    Reshape,
    ScalarFromTensor,
    SpecifyShape,
    Subtensor,
    TensorFromScalar,
    ViewOp,
)
_SAME = (ps.Identity, ps.Cast)
# of a positive variable
_MULTIPLE = {ps.Sqrt: 0.5, ps.Sqr: 2.0, ps.Reciprocal: -1.0, ps.Abs: 1.0, ps.Sign: 0.0}


class Powers:
    """Powers of one variable in expressions.

    Parameters
    ----------
    variable : Variable
        The variable, which is positive.
    held : collection of Variable
        Variables whose own ancestors are left out of account.

    Examples
    --------
    >>> import pytensor.tensor as pt
    >>> from pymc_bnn.samplers.precisions.powers import Powers
    >>> tau, c = pt.dvector("tau"), pt.dvector("c")
    >>> of = Powers(tau)
    >>> of(c * tau[:, None] ** -0.5), of(pt.exp(-0.5 * pt.log(tau))), of(c + 1)
    (-0.5, -0.5, 0.0)
    >>> of(pt.maximum(tau, 0.01)), of(tau + 1e-6)
    (None, None)
    """

    def __init__(self, variable: Variable, held: Collection[Variable] = ()):
        self.variable, self.held = variable, held

    def __call__(self, expression: Variable) -> float | None:
        """Power of the variable in an expression, 0 if it is not in it; None if it is no power."""
        if expression is self.variable:
            return 1.0
        if self._is_independent(expression):
            return 0.0
        node = cast(Any, expression.owner)
        if isinstance(node.op, Elemwise):
            return self._of_elementwise(node.op.scalar_op, node.inputs)
        return self._carried_over(node, self)

    def _is_independent(self, expression: Variable) -> bool:
        reached, waiting = set(self.held) - {self.variable}, [expression]
        while waiting:
            here = waiting.pop()
            if here is self.variable:
                return False
            # a shape does not depend on values
            if here in reached or here.owner is None or isinstance(here.owner.op, Shape | Shape_i):
                continue
            reached.add(here)
            waiting += here.owner.inputs
        return True

    def _of_elementwise(self, op: Any, inputs: list[Variable]) -> float | None:
        if isinstance(op, ps.Mul):
            return _total([self(factor) for factor in inputs])
        if isinstance(op, ps.TrueDiv):
            return _total([self(inputs[0]), _times(self(inputs[1]), -1.0)])
        if isinstance(op, ps.Pow):
            exponent = _number(inputs[1])
            return None if exponent is None else _times(self(inputs[0]), exponent)
        if type(op) in _MULTIPLE:
            return _times(self(inputs[0]), _MULTIPLE[type(op)])
        if isinstance(op, _SAME):
            return self(inputs[0])
        if isinstance(op, ps.Second):  # the shape of the first, filled with the second
            return self(inputs[1])
        return self._slope(inputs[0]) if isinstance(op, ps.Exp) else None

    def _slope(self, expression: Variable) -> float | None:
        """Slope of an expression that is linear in the variable's logarithm; None for others."""
        if self._is_independent(expression):
            return 0.0
        if expression is self.variable:
            return None
        node = cast(Any, expression.owner)
        if not isinstance(node.op, Elemwise):
            return self._carried_over(node, self._slope)
        op, inputs = node.op.scalar_op, node.inputs
        if isinstance(op, ps.Log):
            return self(inputs[0])
        if isinstance(op, ps.Add):
            return _total([self._slope(term) for term in inputs])
        if isinstance(op, ps.Sub):
            return _total([self._slope(inputs[0]), _times(self._slope(inputs[1]), -1.0)])
        if isinstance(op, ps.Neg):
            return _times(self._slope(inputs[0]), -1.0)
        if isinstance(op, ps.Mul):
            return self._of_multiple(inputs)
        if isinstance(op, ps.TrueDiv):
            divisor = _number(inputs[1])
            return None if not divisor else _times(self._slope(inputs[0]), 1 / divisor)
        return self._slope(inputs[0]) if isinstance(op, _SAME) else None

    def _of_multiple(self, factors: list[Variable]) -> float | None:
        dependent = [factor for factor in factors if not self._is_independent(factor)]
        numbers = [_number(factor) for factor in factors if factor not in dependent]
        if len(dependent) > 1 or any(number is None for number in numbers):
            return None
        return _times(self._slope(dependent[0]), float(np.prod(cast(Any, numbers))))

    def _carried_over(self, node: Any, of: Callable[[Variable], float | None]) -> float | None:
        """Power or slope of what only arranges elements, all of them of the same one."""
        if isinstance(node.op, Join | MakeVector):
            parts = node.inputs
        elif isinstance(node.op, _RESHAPING) and all(map(self._is_independent, node.inputs[1:])):
            parts = node.inputs[:1]
        else:
            return None
        found = {of(part) for part in parts}
        return found.pop() if len(found) == 1 else None


def _number(expression: Variable) -> float | None:
    """Value of a constant of equal elements."""
    found = get_underlying_scalar_constant_value(
        cast(Any, expression), raise_not_constant=False, elemwise=True
    )
    return None if isinstance(found, Variable) else float(found)


def _times(power: float | None, factor: float) -> float | None:
    return None if power is None else power * factor


def _total(powers: list[float | None]) -> float | None:
    return None if None in powers else float(sum(cast(Any, powers)))

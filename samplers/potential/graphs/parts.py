"""A vector as the variables that it joins, and variables joined to a vector, in PyTensor's graphs.

PyTensor's gradient by a vector of which an expression uses slices adds a vector of zeros for each
slice. Here it joins the gradients by the slices, in one operation.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import Any, cast

import numpy as np
import pytensor.tensor as pt
from numba import literal_unroll
from pytensor.compile.builders import SymbolicOp
from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from pytensor.tensor.variable import TensorVariable

from ....models.declaration import check_precision
from ....models.simd.function_digest import function_digest
from ....models.simd.internals import register_funcify_and_cache_key
from ....models.simd.kernels import jit

type Shapes = tuple[tuple[int, ...], ...]


class CompiledOp(Op):
    """An operation that numba alone compiles."""

    def perform(self, node: Apply, inputs: Sequence[Any], outputs: Any) -> None:
        """Compute nothing in Python; whoever uses it compiles it."""
        raise NotImplementedError(f"{type(self).__name__} is compiled by numba alone")


class Parts(SymbolicOp):
    """The parts of a vector, in their shapes: slices of it in what PyTensor compiles."""

    __props__ = ("shapes",)
    inline = True
    shapes: Shapes

    def build_inner_graph(self, *inputs: TensorVariable) -> list[Variable]:
        """Build the parts from PyTensor's own operations."""
        ends = accumulate((int(np.prod(shape)) for shape in self.shapes), initial=0)
        slices = (inputs[0][start:stop] for start, stop in pairwise(ends))
        return [part.reshape(shape) for part, shape in zip(slices, self.shapes, strict=True)]

    def pullback(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        cotangents: Sequence[Variable],
    ) -> list[Variable]:
        """Join the cotangents of all parts, which are zero for those that are not used."""
        known = [
            pt.zeros(shape) if isinstance(slope.type, DisconnectedType) else slope
            for slope, shape in zip(cotangents, self.shapes, strict=True)
        ]
        return [joined(known, self.shapes)]


class Joined(SymbolicOp):
    """Variables joined to a vector."""

    __props__ = ("shapes",)
    shapes: Shapes

    def build_inner_graph(self, *inputs: TensorVariable) -> list[Variable]:
        """Build the vector from PyTensor's own operations."""
        sizes = (int(np.prod(shape)) for shape in self.shapes)
        return [pt.concatenate([v.reshape((n,)) for v, n in zip(inputs, sizes, strict=True)])]

    def pullback(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        cotangents: Sequence[Variable],
    ) -> list[Variable]:
        """Take the vector's cotangent apart."""
        if isinstance(cotangents[0].type, DisconnectedType):
            return list(cotangents) * len(inputs)
        return parts_of(cast(TensorVariable, cotangents[0]), self.shapes)


def parts_of(vector: TensorVariable, shapes: Shapes) -> list[Variable]:
    """Take a vector apart.

    Parameters
    ----------
    vector : TensorVariable, shape (size,)
        The vector.
    shapes : tuple of tuple of int
        Shapes of its parts, which make up the whole of it.

    Returns
    -------
    list of TensorVariable

    Examples
    --------
    >>> import numpy as np
    >>> import pytensor.tensor as pt
    >>> from pymc_bnn.samplers.potential.graphs.parts import parts_of
    >>> q = pt.vector("q", shape=(3,))
    >>> [part.eval({q: np.arange(3.0)}).tolist() for part in parts_of(q, ((), (2, 1)))]
    [0.0, [[1.0], [2.0]]]
    """
    check_precision()
    return Parts(shapes=shapes)(vector, return_list=True)


def joined(parts: Sequence[Variable], shapes: Shapes) -> Variable:
    """Join variables to a vector.

    Parameters
    ----------
    parts : sequence of TensorVariable
        The variables.
    shapes : tuple of tuple of int
        Their shapes.

    Returns
    -------
    TensorVariable, shape (size,)

    Examples
    --------
    >>> import numpy as np
    >>> import pytensor.tensor as pt
    >>> from pymc_bnn.samplers.potential.graphs.parts import joined
    >>> x, y = pt.dscalar("x"), pt.dmatrix("y")
    >>> joined([x, y], ((), (1, 2))).eval({x: 1.0, y: np.array([[2.0, 3.0]])})
    array([1., 2., 3.])
    """
    return Joined(shapes=shapes)(*parts)


@jit
def join(*parts):
    """Join arrays of any shapes to a vector."""
    size = 0
    for part in literal_unroll(parts):
        size += part.size
    vector = np.empty(size)
    at = 0
    for part in literal_unroll(parts):
        for value in part.flat:
            vector[at] = value
            at += 1
    return vector


@cache
def with_digest(kernel: Callable) -> tuple[Callable, str | None]:
    """Return what PyTensor is to take for an operation, by its digest on disk."""
    return kernel, function_digest(kernel)


@register_funcify_and_cache_key(Joined)
def _compile_joined(op: Joined, node=None, **kwargs):
    return with_digest(join)

r"""One layer of a network, :math:`h = \phi(x W + b)`, as a single PyTensor operation.

On the C, JAX and Python backends the operation is its PyTensor graph. On numba, and so inside
``pm.sample``, nutpie and our own samplers, it is a fused kernel (see :mod:`.kernels`): an affine
map, a vectorised activation, and a pullback that reads the slope from the layer's output.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable, Sequence
from functools import cache

import pytensor.tensor as pt
from pytensor.compile.builders import SymbolicOp
from pytensor.gradient import DisconnectedType, disconnected_type
from pytensor.graph.basic import Variable
from pytensor.tensor.variable import TensorVariable

from .activations import activation as find_activation
from .simd import kernels
from .simd.disk_cache import mend
from .simd.function_digest import function_digest
from .simd.internals import register_funcify_and_cache_key

mend()


class Layer(SymbolicOp):
    """The layer as an operation on ``(x, weights)`` or ``(x, weights, bias)``."""

    __props__ = ("activation",)
    activation: str

    def build_inner_graph(self, *inputs: TensorVariable) -> list[Variable]:
        """Build the layer from PyTensor's own operations."""
        affine = inputs[0] @ inputs[1]
        if len(inputs) == 3:
            affine = affine + inputs[2]
        return [find_activation(self.activation).symbolic(affine)]

    def pullback(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        cotangents: Sequence[Variable],
    ) -> list[Variable]:
        """Vector-Jacobian product, with the slope read from the layer's output."""
        if isinstance(cotangents[0].type, DisconnectedType):
            return [disconnected_type() for _ in inputs]
        x, weights = inputs[:2]
        pullback = LayerPullback(activation=self.activation)
        d_affine, d_weights, d_bias = pullback(x, outputs[0], cotangents[0])
        d_x = InputPullback()(d_affine, weights)
        return [d_x, d_weights, d_bias][: len(inputs)]


class LayerPullback(SymbolicOp):
    """Cotangents of pre-activation, weights and bias from ``(x, output, cotangent)``."""

    __props__ = ("activation",)
    activation: str

    def build_inner_graph(self, *inputs: TensorVariable) -> list[Variable]:
        """Build the pullback from PyTensor's own operations."""
        x, output, cotangent = inputs
        d_affine = cotangent * find_activation(self.activation).symbolic_slope(output)
        return [d_affine, x.T @ d_affine, d_affine.sum(axis=0)]


class InputPullback(SymbolicOp):
    """Cotangent of a layer's input from ``(cotangent of the pre-activation, weights)``.

    It is apart from :class:`LayerPullback` because nobody asks for the cotangent of the data.
    """

    __props__ = ()

    def build_inner_graph(self, *inputs: TensorVariable) -> list[Variable]:
        """Build the pullback from PyTensor's own operations."""
        return [inputs[0] @ inputs[1].T]


def layer(
    x: TensorVariable, weights: TensorVariable, bias: TensorVariable | None, activation: str
) -> TensorVariable:
    r"""Output of one layer, :math:`h = \phi(x W + b)` (Choo 2000, Eqs. 3.1-3.2).

    Parameters
    ----------
    x : TensorVariable
        Inputs of the layer, shape (cases, source units).
    weights : TensorVariable
        Weights, shape (source units, target units).
    bias : TensorVariable or None
        Biases, shape (target units,), if the layer has any.
    activation : {"tanh", "relu", "logistic", "softplus", "identity", "step"}
        What the units compute.

    Returns
    -------
    TensorVariable
        Outputs of the layer, shape (cases, target units).

    Raises
    ------
    ValueError
        If the activation is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> import pytensor.tensor as pt
    >>> from pymc_bnn.models.layer import layer
    >>> h = layer(pt.as_tensor(np.eye(2)), pt.as_tensor(np.ones((2, 1))), None, "relu")
    >>> h.eval().ravel()
    array([1., 1.])
    """
    op = Layer(activation=find_activation(activation).name)
    inputs = [pt.as_tensor(v) for v in (x, weights, bias) if v is not None]
    return op(*inputs)


@cache
def _with_digest(kernel: Callable) -> tuple[Callable, str | None]:
    return kernel, function_digest(kernel)


@register_funcify_and_cache_key(Layer)
def _compile_layer(op: Layer, node, **kwargs):
    biases = len(node.inputs) == 3
    return _with_digest(kernels.layer_forward(find_activation(op.activation), biases))


@register_funcify_and_cache_key(LayerPullback)
def _compile_layer_pullback(op: LayerPullback, node=None, **kwargs):
    return _with_digest(kernels.layer_pullback(find_activation(op.activation)))


@register_funcify_and_cache_key(InputPullback)
def _compile_input_pullback(op: InputPullback, node=None, **kwargs):
    return _with_digest(kernels.input_pullback)

"""Log posterior and gradient of a model by PyTensor alone, without our operations."""

from collections.abc import Callable

import numpy as np
import pytensor
import pytensor.tensor as pt
from pymc_bnn import models
from pymc_bnn.models.layer import Layer
from pytensor.graph.replace import graph_replace
from pytensor.graph.traversal import ancestors
from pytensor.tensor.variable import TensorVariable

from .block import Block, Point, interpreted

ACTIVATIONS: dict[str, Callable[[TensorVariable], TensorVariable]] = {
    "tanh": pt.tanh,
    "relu": lambda g: pt.switch(g > 0, g, 0.0),
    "logistic": pt.sigmoid,
    "softplus": pt.softplus,
    "identity": lambda g: g,
    "step": lambda g: pt.switch(g > 0, np.float64(1), np.float64(-1)),
}


def expanded(graph: TensorVariable) -> TensorVariable:
    """Replace every layer of a graph by PyTensor's own operations."""
    while True:
        owners = (v for v in ancestors([graph]) if v.owner is not None)
        layers = [v for v in owners if isinstance(v.owner.op, Layer)]
        if not layers:
            return graph
        output = layers[0]
        x, weights, *bias = output.owner.inputs
        affine = x @ weights + bias[0] if bias else x @ weights
        plain = ACTIVATIONS[output.owner.op.activation](affine)
        graph = graph_replace(graph, {output: plain}, strict=False)


def log_posterior(model: models.BNN) -> TensorVariable:
    """Sum the terms one by one: PyMC's own sum has more operands than the interpreter takes."""
    *priors, likelihood = model.logp(sum=False)
    return sum((term.sum() for term in [*priors, expanded(likelihood)]), pt.zeros(()))


def log_posterior_and_gradient(block: Block, point: Point) -> list:
    """Log posterior at a point, then its gradient by each variable of the block."""
    model = block.model
    values = {variable.name: variable for variable in model.value_vars}
    logp = log_posterior(model)
    outputs = [logp, *pytensor.grad(logp, [values[name] for name in block.layout.names])]
    with interpreted():
        function = pytensor.function(list(values.values()), outputs, on_unused_input="ignore")
        return function(*[point[name] for name in values])

"""What the kernel of a network works on, and where it lies."""

from typing import Any, NamedTuple

import numpy as np

from ..models.kernels import jit
from ..models.lane_memory import pointer
from .blocks import aligned


class Plan(NamedTuple):
    """Where the kernel finds its numbers, as pointers into the arrays of its ``data``.

    Attributes
    ----------
    X, y, precision : pointer
        Inputs and targets in blocks of cases, and the precision of each output's noise.
    sizes, weights_at, bias_at : pointer
        Units of each layer, and where its weights and biases start in the block's vector.
    layers, outputs, weights, cases, block, x_step, y_step : int
        Counts, and how many numbers of X and y a block has.
    units, below, above, spare, rounded : pointer
        Room for all layers' outputs, two cotangents, a product, and weights.
    """

    X: Any
    y: Any
    precision: Any
    sizes: Any
    weights_at: Any
    bias_at: Any
    layers: int
    outputs: int
    weights: int
    cases: int
    block: int
    x_step: int
    y_step: int
    units: Any
    below: Any
    above: Any
    spare: Any
    rounded: Any


def workspace(sizes: np.ndarray, weights: int, block: int, dtype: str) -> tuple[np.ndarray, ...]:
    """Room that a kernel needs: all units, two cotangents, a product of BLAS, and the weights.

    The product is that of two layers, or of a hidden layer with itself.

    Parameters
    ----------
    sizes : ndarray of int
        Units of each layer, inputs first.
    weights : int
        Number of all weights and biases.
    block : int
        Cases of a block.
    dtype : {"float64", "float32"}
        Precision of the kernel.

    Returns
    -------
    tuple of five ndarray
        Each begins with a line of the cache, so that no register spans two.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.network_plan import workspace
    >>> [room.size for room in workspace(np.array([2, 8, 1]), 33, 16, "float64")]
    [144, 128, 128, 64, 33]
    """
    widest = block * sizes[1:].max()
    largest = max((sizes[1:] * sizes[:-1]).max(), (sizes[1:-1] ** 2).max(initial=0))
    counts = (block * sizes[1:].sum(), widest, widest, largest, weights)
    return tuple(aligned(int(count), dtype) for count in counts)


@jit
def plan(data):
    """Pointers to everything in ``data``."""
    X, y, precision, sizes, weights_at, bias_at, cases, block, y_rows = data[:9]
    units, below, above, spare, rounded = data[9:14]
    return Plan(
        pointer(X, 0),
        pointer(y, 0),
        pointer(precision, 0),
        pointer(sizes, 0),
        pointer(weights_at, 0),
        pointer(bias_at, 0),
        sizes.size - 1,
        precision.size,
        rounded.size,
        cases,
        block,
        sizes[0] * block,
        y_rows * block,
        pointer(units, 0),
        pointer(below, 0),
        pointer(above, 0),
        pointer(spare, 0),
        pointer(rounded, 0),
    )

"""What the kernel of a network works on, and where it lies."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...models.bnn import BNN
from ...models.simd.kernels import jit
from ...models.simd.lane_memory import pointer
from .blocks import aligned

type NetworkLayout = tuple[np.ndarray, np.ndarray, np.ndarray]


class NetworkData(NamedTuple):
    """What the kernel of a network needs besides its weights.

    Attributes
    ----------
    X, y : ndarray
        Inputs and targets in blocks of cases (see :mod:`.blocks`), targets of a classifier as one
        row of codes.
    curvature : ndarray, shape (outputs,)
        Second derivative of a case's energy by each output; of Gaussian noise its precision.
    sizes : ndarray of int
        Units of each layer, inputs first.
    weights_at, bias_at : ndarray of int
        Where each layer's weights and biases start in the block's vector; -1 if it has none.
    cases, block, y_rows : int
        Number of cases, of those in a block, and of rows of y.
    units, below, above, spare, rounded : ndarray
        What :func:`workspace` returns.
    inverse_temperature : float
        Power of the likelihood.
    constants : ndarray
        Settings of the likelihood (see :func:`.likelihood_kernels.constants_of`). For a noise
        precision that is integrated out they are degrees of freedom :math:`m_0` and sum of squares
        :math:`s_0` of its prior (Neal 1992, Eq. 32).
    exact : NetworkData or empty tuple
        The same in double precision, if this is in single precision.
    """

    X: np.ndarray
    y: np.ndarray
    curvature: np.ndarray
    sizes: np.ndarray
    weights_at: np.ndarray
    bias_at: np.ndarray
    cases: int
    block: int
    y_rows: int
    units: np.ndarray
    below: np.ndarray
    above: np.ndarray
    spare: np.ndarray
    rounded: np.ndarray
    inverse_temperature: float
    constants: np.ndarray
    exact: Any = ()


class Plan(NamedTuple):
    """Where the kernel finds its numbers, as pointers into the arrays of its data.

    Attributes
    ----------
    X, y, precision : pointer
        Inputs and targets in blocks of cases, and the precision of each output's noise.
    power : float
        Inverse temperature of the likelihood.
    constants : pointer
        Settings of the likelihood.
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
    power: float
    constants: Any
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


def network_layout(model: BNN, starts: Mapping[str, int]) -> NetworkLayout:
    """Units of each layer, and where its weights and biases start (-1: none)."""
    sizes = [len(model.inputs), *model.hidden, len(model.output_units)]
    weights = [starts[f"w{i}"] for i in range(len(sizes) - 1)]
    biases = [starts.get(f"b{i}", -1) for i in range(len(sizes) - 1)]
    return np.array(sizes), np.array(weights), np.array(biases)


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
    >>> from pymc_bnn.samplers.potential.network_plan import workspace
    >>> [room.size for room in workspace(np.array([2, 8, 1]), 33, 16, "float64")]
    [144, 128, 128, 64, 33]
    """
    widest = block * sizes[1:].max()
    largest = max((sizes[1:] * sizes[:-1]).max(), (sizes[1:-1] ** 2).max(initial=0))
    counts = (block * sizes[1:].sum(), widest, widest, largest, weights)
    return tuple(aligned(int(count), dtype) for count in counts)


@jit
def plan(data, precision):
    """Pointers to everything in ``data``, with ``precision`` instead of its curvature."""
    return Plan(
        pointer(data.X, 0),
        pointer(data.y, 0),
        pointer(precision, 0),
        data.inverse_temperature,
        pointer(data.constants, 0),
        pointer(data.sizes, 0),
        pointer(data.weights_at, 0),
        pointer(data.bias_at, 0),
        data.sizes.size - 1,
        data.curvature.size,
        data.rounded.size,
        data.cases,
        data.block,
        data.sizes[0] * data.block,
        data.y_rows * data.block,
        pointer(data.units, 0),
        pointer(data.below, 0),
        pointer(data.above, 0),
        pointer(data.spare, 0),
        pointer(data.rounded, 0),
    )


@jit
def plan_of(data):
    """Pointers to everything in ``data``."""
    return plan(data, data.curvature)

r"""Linear regression on the last hidden layer of eight chains, with its weights integrated out.

The numbers of :mod:`...precisions.output_regression` in the form of the weights' matrix
:math:`A = I + \tau D^{1/2} \Phi^\top \Phi D^{1/2}`, with the chains along the last axis. The
matrices are small, so that each is factorized within its lane.

The compiled functions take pointers, see :func:`.registers.pointers`.
"""

from typing import NamedTuple

import numpy as np

from ....models.simd.elementary import log
from ....models.simd.kernels import jit
from ....models.simd.lane_memory import number
from ....models.simd.lanes import square_root
from ...compiled import engine
from .kernels import TILE
from .potential import Network
from .registers import load, repeat, room_for, store

run_forward = engine.bound_later


class Regression(NamedTuple):
    """Room of a pack for the regression of its outputs; arrays of vectors.

    Attributes
    ----------
    gram, factor : ndarray, shape (weights, weights)
        Products of features, summed over the cases, and the Cholesky factor; lower triangles.
    projected : ndarray, shape (outputs, weights)
        Products of targets and features, summed over the cases.
    scale, solved, inverse : ndarray, shape (weights,)
        Prior standard deviations of an output's weights, solution of the factor's equations, and
        one over the factor's diagonal.
    squares, sums : ndarray of numbers, shape (outputs,)
        Sums of squared targets, and of targets.
    weights : int
        Weights of an output, with its bias; 0 if nothing is integrated out.
    """

    gram: np.ndarray
    factor: np.ndarray
    projected: np.ndarray
    scale: np.ndarray
    solved: np.ndarray
    inverse: np.ndarray
    squares: np.ndarray
    sums: np.ndarray
    weights: int


def regression_of(network: Network, collapsed: bool) -> Regression:
    """Allocate a pack's room for the regression of its outputs.

    Parameters
    ----------
    network : Network
        The data.
    collapsed : bool
        Whether the last layer is integrated out; otherwise there is no room.
    """
    rows = network.rows if collapsed else 0
    weights = 0
    if collapsed:
        weights = int(network.sizes[-2]) + int(network.bias_at[-1] >= 0)
    y = network.y.reshape(network.tiles, -1, TILE)[:, :rows]
    return Regression(
        room_for(weights**2),
        room_for(weights**2),
        room_for(rows * weights),
        room_for(weights),
        room_for(weights),
        room_for(weights),
        np.einsum("tkc,tkc->k", y, y),
        np.einsum("tkc->k", y),
        weights,
    )


def summarize(q, room, network, regression):
    """Sum products of the last hidden layer's units, and of targets with them, over the cases.

    A template for :func:`.engine.bind`, which binds ``run_forward``.
    """
    n, units, outputs = regression.weights, network.sizes[network.layers - 1], network.outputs
    gram, projected = regression.gram, regression.projected
    for i in range(n * n):
        store(gram, i, repeat(0.0))
    for i in range(outputs * n):
        store(projected, i, repeat(0.0))
    for tile in range(network.tiles):
        at, y_at = run_forward(q, room, network, tile) - units * TILE, tile * outputs * TILE
        there = min(TILE, network.cases - tile * TILE)
        for k in range(units):
            _add_products(room, at, k, there, gram, k * n)
            if n > units:
                store(gram, units * n + k, load(gram, units * n + k) + _sum(room, at, k, there))
            for output in range(outputs):
                total, first = load(projected, output * n + k), y_at + output * TILE
                for c in range(there):
                    total += load(room, at + k * TILE + c) * number(network.y, first + c)
                store(projected, output * n + k, total)
    if n > units:
        store(gram, n * n - 1, repeat(1.0 * network.cases))
        for output in range(outputs):
            store(projected, output * n + units, repeat(number(regression.sums, output)))


@jit
def _add_products(room, at, k, there, gram, row):
    """Add the products of a unit with those before it and with itself to a row."""
    for other in range(k + 1):
        total = load(gram, row + other)
        for c in range(there):
            total += load(room, at + k * TILE + c) * load(room, at + other * TILE + c)
        store(gram, row + other, total)


@jit
def _sum(room, at, k, there):
    total = repeat(0.0)
    for c in range(there):
        total += load(room, at + k * TILE + c)
    return total


@jit
def factorize(regression, output, tau):
    """Factorize the weights' matrices of an output into ``L @ L.T``, and solve for its targets.

    Returns
    -------
    half_log_determinant, explained : vector
        Of the matrices, and the sum of squares of the solution; undefined in a lane whose matrix
        is not positive definite.
    """
    n, gram, factor = regression.weights, regression.gram, regression.factor
    scale, solved, inverse = regression.scale, regression.solved, regression.inverse
    half, explained = repeat(0.0), repeat(0.0)
    for i in range(n):
        row, multiple = i * n, tau * load(scale, i)
        right = load(regression.projected, output * n + i) * load(scale, i)
        diagonal = load(gram, row + i) * load(scale, i) * multiple + 1.0
        for j in range(i):
            total, other = load(gram, row + j) * load(scale, j) * multiple, j * n
            for k in range(j):
                total -= load(factor, row + k) * load(factor, other + k)
            total *= load(inverse, j)
            store(factor, row + j, total)
            diagonal -= total * total
            right -= total * load(solved, j)
        root = square_root(diagonal)
        half += log(root)
        store(factor, row + i, root)
        store(inverse, i, 1.0 / root)
        right /= root
        store(solved, i, right)
        explained += right * right
    return half, explained


@jit
def solve_transposed(regression):
    """Solve ``L.T @ x = solved`` in place."""
    n, factor, solved = regression.weights, regression.factor, regression.solved
    for i in range(n - 1, -1, -1):
        total = load(solved, i)
        for k in range(i + 1, n):
            total -= load(factor, k * n + i) * load(solved, k)
        store(solved, i, total * load(regression.inverse, i))

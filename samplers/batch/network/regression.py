r"""Linear regression on the last hidden layer of eight chains, with its weights integrated out.

The numbers of :mod:`...precisions.output_regression`, by the weights' matrix
:math:`A = I + \tau D^{1/2} \Phi^\top \Phi D^{1/2}` or that of the cases,
:math:`K = I + \tau\, \Phi D \Phi^\top`, with the chains along the last axis. The matrices are
small, so that each is factorized within its lane.

The compiled functions take pointers, see :func:`.registers.pointers`.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from typing import NamedTuple

import numpy as np

from ....models.simd.elementary import log
from ....models.simd.kernels import jit
from ....models.simd.lanes import square_root
from ....models.simd.registers import TILE, load, repeat, store
from .potential import Network
from .registers import room_for


class Regression(NamedTuple):
    """Room of a pack for the regression of its outputs; arrays of vectors.

    Attributes
    ----------
    gram : ndarray, shape (weights, weights)
        Products of features, summed over the cases, a lower triangle; if the weights' matrix is
        factorized.
    features : ndarray, shape (weights, cases)
        Values of the last hidden layer, and ones for the bias; if the cases' matrix is.
    projected : ndarray, shape (outputs, weights)
        Products of targets and features, summed over the cases.
    factor : ndarray, shape (order, order)
        The matrix to factorize, and then its Cholesky factor; a lower triangle.
    scale, drawn : ndarray, shape (weights,)
        Prior standard deviations of an output's weights, and a draw of the weights.
    solved, inverse : ndarray, shape (order,)
        Right-hand side, and then solution, of the factor's equations; one over its diagonal.
    squares, sums : ndarray of numbers, shape (outputs,)
        Sums of squared targets, and of targets.
    weights : int
        Weights of an output, with its bias; 0 if nothing is integrated out.
    order : int
        Of the matrix that is factorized.
    normals : int
        Random numbers that a draw of an output's weights takes.
    """

    gram: np.ndarray
    features: np.ndarray
    projected: np.ndarray
    factor: np.ndarray
    scale: np.ndarray
    drawn: np.ndarray
    solved: np.ndarray
    inverse: np.ndarray
    squares: np.ndarray
    sums: np.ndarray
    weights: int
    order: int
    normals: int


def regression_of(network: Network, form: str | None) -> Regression:
    """Allocate a pack's room for the regression of its outputs.

    Parameters
    ----------
    network : Network
        The data.
    form : {None, "weights", "cases"}
        Which matrix is factorized; None if nothing is integrated out, which takes no room.
    """
    rows = 0 if form is None else network.rows
    weights = 0 if form is None else int(network.sizes[-2]) + int(network.bias_at[-1] >= 0)
    by_cases = form == "cases"
    order = network.cases if by_cases else weights
    y = network.y.reshape(network.tiles, -1, TILE)[:, :rows]
    return Regression(
        gram=room_for(0 if by_cases else weights**2),
        features=room_for(weights * network.cases if by_cases else 0),
        projected=room_for(rows * weights),
        factor=room_for(order**2),
        scale=room_for(weights),
        drawn=room_for(weights),
        solved=room_for(order),
        inverse=room_for(order),
        squares=np.einsum("tkc,tkc->k", y, y),
        sums=np.einsum("tkc->k", y),
        weights=weights,
        order=order,
        normals=weights + (order if by_cases else 0),
    )


@jit
def eliminate(regression):
    """Factorize matrices into ``L @ L.T``, and solve ``L @ x = solved`` in place.

    Returns
    -------
    half_log_determinant, squares : vector
        Of the matrices, and the sum of squares of the solution.
    """
    n, factor = regression.order, regression.factor
    solved, inverse = regression.solved, regression.inverse
    half, squares = repeat(0.0), repeat(0.0)
    for i in range(n):
        row, right, diagonal = i * n, load(solved, i), load(factor, i * n + i)
        for j in range(i):
            total, other = load(factor, row + j), j * n
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
        squares += right * right
    return half, squares


@jit
def solve_lower(regression):
    """Solve ``L @ x = solved`` in place."""
    n, factor, solved = regression.order, regression.factor, regression.solved
    for i in range(n):
        total = load(solved, i)
        for j in range(i):
            total -= load(factor, i * n + j) * load(solved, j)
        store(solved, i, total * load(regression.inverse, i))


@jit
def solve_transposed(regression):
    """Solve ``L.T @ x = solved`` in place."""
    n, factor, solved = regression.order, regression.factor, regression.solved
    for i in range(n - 1, -1, -1):
        total = load(solved, i)
        for k in range(i + 1, n):
            total -= load(factor, k * n + i) * load(solved, k)
        store(solved, i, total * load(regression.inverse, i))

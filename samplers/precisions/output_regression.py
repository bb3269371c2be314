r"""Linear regression on the last hidden layer, with its weights integrated out.

With prior standard deviations :math:`s` of the weights, :math:`D = \operatorname{diag}(s^2)`, noise
precision :math:`\tau` and features :math:`\Phi`, targets have the density
:math:`N(0, \tau^{-1} K)`, :math:`K = I + \tau\, \Phi D \Phi^\top` (Rasmussen & Williams 2006, 2.1).
Either this matrix of the cases or the weights' matrix
:math:`A = I + \tau D^{1/2} \Phi^\top \Phi D^{1/2}` is factorized, whichever is less work; they have
the same determinant, and :math:`y^\top K^{-1} y = y^\top y - \tau\, y^\top \Phi D^{1/2} A^{-1}
D^{1/2} \Phi^\top y`. Rows of matrices are filled up to whole registers.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...models.simd.kernels import dot, jit
from ...models.simd.lane_memory import load, number, pointer, put, store, width, zeros

LARGEST = 64  # of the matrix to factorize; beyond, it takes longer than what it saves
LOG_BEFORE = 1e100  # products of pivots beyond it are turned into logarithms


class Room(NamedTuple):
    """What the values of the last hidden layer are, and room to work with them.

    Attributes
    ----------
    features : ndarray, shape (weights of an output, cases filled up)
        Values of the last hidden layer, and ones for the bias; zeros for what is no case.
    targets : ndarray, shape (outputs, cases filled up)
        Targets.
    gram : ndarray, shape (order, order filled up)
        Products of features, summed over the cases, if the weights' matrix is factorized.
    projected : ndarray, shape (outputs, weights filled up)
        Products of targets and features, summed over the cases.
    squares : ndarray, shape (outputs,)
        Sums of squared targets.
    factor : ndarray, shape (order, order filled up)
        Upper Cholesky factor of the matrix that is factorized.
    scale : ndarray, shape (weights filled up,)
        Prior standard deviations of an output's weights.
    solved, right : ndarray, shape (order filled up,)
        Solution of the factor's equations, and their right-hand side.
    cases : int
        Number of cases.
    """

    features: np.ndarray
    targets: np.ndarray
    gram: np.ndarray
    projected: np.ndarray
    squares: np.ndarray
    factor: np.ndarray
    scale: np.ndarray
    solved: np.ndarray
    right: np.ndarray
    cases: int


@jit
def eliminate(matrix, right, solved, n, stride):
    """Factorize a matrix into ``U.T @ U`` and solve ``U.T @ solved = right``.

    The upper triangle of ``matrix`` becomes that of ``U``; ``right`` is used up. An undefined
    result tells that the matrix was not positive definite.

    Returns
    -------
    half_log_determinant, squares : float
        Of the matrix, and the sum of squares of the solution.
    """
    half, product, squares = 0.0, 1.0, 0.0
    for j in range(n):
        at = j * stride
        root = np.sqrt(number(matrix, at + j))
        product *= root
        if not 1.0 / LOG_BEFORE < product < LOG_BEFORE:
            half, product = half + np.log(product), 1.0
        inverse = 1.0 / root
        value = number(right, j) * inverse
        put(solved, j, value)
        squares += value * value
        for c in range(j - j % width(matrix), n, width(matrix)):
            row = load(matrix, at + c) * inverse
            store(matrix, at + c, row)
            store(right, c, load(right, c) - row * value)
        for i in range(j + 1, n):
            multiple, below = number(matrix, at + i), i * stride
            for c in range(i - i % width(matrix), n, width(matrix)):
                rest = load(matrix, below + c) - load(matrix, at + c) * multiple
                store(matrix, below + c, rest)
    return half + np.log(product), squares


@jit
def solve_upper(factor, vector, n):
    """Solve ``U @ x = vector`` in place."""
    for i in range(n - 1, -1, -1):
        total = vector[i]
        for k in range(i + 1, n):
            total -= factor[i, k] * vector[k]
        vector[i] = total / factor[i, i]


@jit
def no_summary(room):
    """Leave the features as they are."""


@jit
def gram_of_weights(room):
    """Sum products of features and targets over the cases."""
    features, targets, gram, projected = room.features, room.targets, room.gram, room.projected
    for k in range(features.shape[0]):
        for other in range(k + 1):
            gram[k, other] = gram[other, k] = dot(features[k], features[other])
        for output in range(targets.shape[0]):
            projected[output, k] = dot(features[k], targets[output])


@jit
def factorize_weights(room, output, tau):
    """Factorize the weights' matrix; return half its log determinant and the squared residuals."""
    n, stride = room.gram.shape
    gram, factor, scale = pointer(room.gram, 0), pointer(room.factor, 0), pointer(room.scale, 0)
    right, solved = pointer(room.right, 0), pointer(room.solved, 0)
    projected = pointer(room.projected, output * stride)
    for k in range(n):
        at, multiple = k * stride, tau * number(scale, k)
        for c in range(k - k % width(factor), n, width(factor)):
            store(factor, at + c, load(gram, at + c) * load(scale, c) * multiple)
        put(factor, at + k, number(factor, at + k) + 1.0)
    for c in range(0, n, width(right)):
        store(right, c, load(projected, c) * load(scale, c))
    half, explained = eliminate(factor, right, solved, n, stride)
    return half, room.squares[output] - tau * explained


@jit
def factorize_cases(room, output, tau):
    """Factorize the cases' matrix; return half its log determinant and the squared residuals."""
    weights, stride = room.features.shape
    features, factor, scale = (
        pointer(room.features, 0),
        pointer(room.factor, 0),
        pointer(room.scale, 0),
    )
    right, solved = pointer(room.right, 0), pointer(room.solved, 0)
    targets, n = pointer(room.targets, output * stride), room.cases
    for row in range(n):
        at = row * stride
        for c in range(row - row % width(factor), n, width(factor)):
            total = zeros(factor)
            for k in range(weights):
                multiple = number(features, k * stride + row) * number(scale, k) ** 2
                total += load(features, k * stride + c) * multiple
            store(factor, at + c, total * tau)
        put(factor, at + row, number(factor, at + row) + 1.0)
    for c in range(0, n, width(right)):
        store(right, c, load(targets, c))
    return eliminate(factor, right, solved, n, stride)


@jit
def sample_by_weights(rng, room, output, tau):
    """Draw an output's weights where :func:`factorize_weights` was last called."""
    n, solved = room.gram.shape[0], room.solved
    noise = rng.standard_normal(n)
    for k in range(n):
        solved[k] = tau * solved[k] + noise[k]
    solve_upper(room.factor, solved, n)
    return room.scale[:n] * solved[:n]


@jit
def sample_by_cases(rng, room, output, tau):
    """Draw an output's weights where :func:`factorize_cases` was last called.

    A draw from the prior, of weights and noise, is shifted by what the targets differ from it.
    """
    features, scale, solved, factor = room.features, room.scale, room.solved, room.factor
    weights, cases = features.shape[0], room.cases
    found = scale[:weights] * rng.standard_normal(weights)
    noise = rng.standard_normal(cases)
    if tau == 0.0:  # at infinite temperature targets do not count
        return found
    for c in range(cases):
        solved[c] = room.targets[output, c] - noise[c] / np.sqrt(tau)
    for k in range(weights):
        for c in range(cases):
            solved[c] -= features[k, c] * found[k]
    for j in range(cases):
        solved[j] /= factor[j, j]
        for c in range(j + 1, cases):
            solved[c] -= factor[j, c] * solved[j]
    solve_upper(factor, solved, cases)
    for k in range(weights):
        found[k] += tau * scale[k] ** 2 * dot(features[k, :cases], solved[:cases])
    return found


@jit
def order_of_weights(weights, cases):
    """Order of the weights' matrix."""
    return weights


@jit
def order_of_cases(weights, cases):
    """Order of the cases' matrix."""
    return cases


FORMS: dict[str, dict[str, Callable]] = {
    "weights": {
        "order": order_of_weights,
        "summarize": gram_of_weights,
        "factorize": factorize_weights,
        "sample_weights": sample_by_weights,
    },
    "cases": {
        "order": order_of_cases,
        "summarize": no_summary,
        "factorize": factorize_cases,
        "sample_weights": sample_by_cases,
    },
}


def choose_form(weights: int, cases: int) -> str | None:
    """Say which matrix to factorize, if either is small enough.

    Parameters
    ----------
    weights : int
        Weights of an output, with its bias.
    cases : int
        Number of cases.

    Returns
    -------
    {"weights", "cases"} or None

    Examples
    --------
    >>> from pymc_bnn.samplers.precisions.output_regression import choose_form
    >>> choose_form(9, 392), choose_form(65, 8), choose_form(1000, 1000)
    ('weights', 'cases', None)
    """
    if min(weights, cases) > LARGEST:
        return None
    return "cases" if cases * 3**0.5 < weights else "weights"

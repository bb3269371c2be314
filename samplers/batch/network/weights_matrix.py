"""The regression on the last hidden layer of eight chains, by the matrix of an output's weights."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from ....models.simd.kernels import jit
from ....models.simd.lane_memory import number
from ....models.simd.registers import TILE, WIDTH, load, repeat, store
from ...compiled import engine
from .regression import eliminate, solve_transposed

run_forward = engine.bound_later


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
def factorize_weights(regression, network, output, tau):
    """Factorize the weights' matrices of an output.

    Returns
    -------
    half_log_determinant, squares : vector
        Of the matrices, and the squared residuals; undefined in a lane whose matrix is not
        positive definite.
    """
    n, gram, factor = regression.weights, regression.gram, regression.factor
    scale, solved = regression.scale, regression.solved
    for i in range(n):
        row, multiple = i * n, tau * load(scale, i)
        store(solved, i, load(regression.projected, output * n + i) * load(scale, i))
        for j in range(i):
            store(factor, row + j, load(gram, row + j) * load(scale, j) * multiple)
        store(factor, row + i, load(gram, row + i) * load(scale, i) * multiple + 1.0)
    half, explained = eliminate(regression)
    return half, number(regression.squares, output) - tau * explained


@jit
def draw_by_weights(regression, network, output, tau, normals, first, stride):
    """Draw an output's weights where :func:`factorize_weights` was last called.

    Lane ``i`` takes random numbers from ``first + i * stride`` on.
    """
    n, solved = regression.weights, regression.solved
    for k in range(n):
        store(solved, k, tau * load(solved, k))
        for chain in range(WIDTH):
            solved[k * WIDTH + chain] += normals[first + chain * stride + k]
    solve_transposed(regression)
    for k in range(n):
        store(regression.drawn, k, load(regression.scale, k) * load(solved, k))

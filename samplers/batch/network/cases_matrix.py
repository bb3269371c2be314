"""The regression on the last hidden layer of eight chains, by the matrix of the cases.

It is the smaller one where an output has many more weights than there are cases, and loses fewer
digits there.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from ....models.simd.kernels import jit
from ....models.simd.lane_memory import number
from ....models.simd.lanes import square_root
from ....models.simd.registers import TILE, WIDTH, load, repeat, store
from ...compiled import engine
from .regression import eliminate, solve_lower, solve_transposed

run_forward = engine.bound_later


def copy_features(q, room, network, regression):
    """Copy the values of the last hidden layer, case by case.

    A template for :func:`.engine.bind`, which binds ``run_forward``.
    """
    units, features, cases = network.sizes[network.layers - 1], regression.features, network.cases
    for tile in range(network.tiles):
        at = run_forward(q, room, network, tile) - units * TILE
        for k in range(units):
            for c in range(min(TILE, cases - tile * TILE)):
                store(features, k * cases + tile * TILE + c, load(room, at + k * TILE + c))
    for c in range((regression.weights - units) * cases):
        store(features, units * cases + c, repeat(1.0))


@jit
def factorize_cases(regression, network, output, tau):
    """Factorize the cases' matrices of an output; see :func:`.weights_matrix.factorize_weights`."""
    n, features, factor = regression.order, regression.features, regression.factor
    for i in range(n):
        row = i * n
        store(regression.solved, i, repeat(_target(network, output, i)))
        for j in range(i + 1):
            store(factor, row + j, repeat(1.0 if i == j else 0.0))
    for k in range(regression.weights):
        variance, first = tau * load(regression.scale, k) * load(regression.scale, k), k * n
        for i in range(n):
            row, multiple = i * n, load(features, first + i) * variance
            for j in range(i + 1):
                product = load(features, first + j) * multiple
                store(factor, row + j, load(factor, row + j) + product)
    return eliminate(regression)


@jit
def _target(network, output, case):
    tile, place = case // TILE, case % TILE
    return number(network.y, (tile * network.outputs + output) * TILE + place)


@jit
def draw_by_cases(regression, network, output, tau, normals, first, stride):
    """Draw an output's weights where :func:`factorize_cases` was last called.

    A draw from the prior, of weights and noise, is shifted by what the targets differ from it;
    at a noise precision of zero it stays. Random numbers are as of
    :func:`.weights_matrix.draw_by_weights`.
    """
    n, features, drawn = regression.order, regression.features, regression.drawn
    scale, solved, root = regression.scale, regression.solved, square_root(tau)
    for k in range(regression.weights):
        for chain in range(WIDTH):
            drawn[k * WIDTH + chain] = normals[first + chain * stride + k]
        store(drawn, k, load(scale, k) * load(drawn, k))
    for c in range(n):
        for chain in range(WIDTH):
            at = first + chain * stride + regression.weights + c
            solved[c * WIDTH + chain] = normals[at]
        store(solved, c, tau * _target(network, output, c) - root * load(solved, c))
    for k in range(regression.weights):
        multiple = tau * load(drawn, k)
        for c in range(n):
            store(solved, c, load(solved, c) - load(features, k * n + c) * multiple)
    solve_lower(regression)
    solve_transposed(regression)
    for k in range(regression.weights):
        total = repeat(0.0)
        for c in range(n):
            total += load(features, k * n + c) * load(solved, c)
        store(drawn, k, load(drawn, k) + load(scale, k) * load(scale, k) * total)

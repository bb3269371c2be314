"""Products of layers in blocks of cases: right for all sizes, and by the loops that are faster."""

from itertools import product

import numpy as np
import pytest
from numba import njit
from pymc_bnn.models.simd.lane_memory import pointer
from pymc_bnn.models.simd.lanes import WIDTH
from pymc_bnn.models.simd.processor import has_wide_registers
from pymc_bnn.samplers.potential import block_products, blocks

SIZES = [*product((1, 2, 3, 4, 5, 7, 8), (1, 2, 3, 4, 5, 6, 8)), (33, 35), (64, 41)]
FACTORS = (1, 3)  # registers of a block


@njit
def forward(x, w, b, out, sources, targets, block):
    """Product of a layer, its weights and biases in one vector."""
    units, weights = pointer(out, 0), pointer(w, 0)
    block_products.forward_product(
        pointer(x, 0), 0, weights, 0, b, units, 0, sources, targets, block
    )


@njit
def backward(w, d, out, sources, targets, block):
    """Cotangent of a layer's input."""
    cotangent = pointer(d, 0)
    block_products.backward_product(
        pointer(w, 0), 0, cotangent, pointer(out, 0), sources, targets, block
    )


@njit
def add(x, d, out, spare, sources, targets, block):
    """Cotangent of the weights, which begins at the second number."""
    rows, cotangent, found = pointer(x, 0), pointer(d, 0), pointer(out, 0)
    block_products.add_weights_cotangent(
        rows, 0, cotangent, found, 1, pointer(spare, 0), sources, targets, block
    )


@njit
def is_for_blas(x, weights, block):
    """Where a product is computed."""
    return block_products.is_for_blas(pointer(x, 0), weights, block)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("dtype", WIDTH)
def test_products_of_all_sizes(dtype: str, factor: int) -> None:
    block = factor * WIDTH[dtype]
    tolerance = 40 * np.finfo(dtype).eps
    for sources, targets in SIZES:
        rng = np.random.default_rng([sources, targets])
        x, d = (rng.normal(size=(n, block)).astype(dtype) for n in (sources, targets))
        w = rng.normal(size=(sources + 1, targets)).astype(dtype)
        weights, biases = w[:-1].astype(float), w[-1:].T.astype(float)
        up, down = np.zeros((targets, block), dtype), np.zeros((sources, block), dtype)
        begin = np.linspace(1, 2, sources * targets + 2)  # with a number before and one behind
        found, spare = begin.copy(), np.zeros(sources * targets, dtype)
        forward(x.ravel(), w.ravel(), sources * targets, up.ravel(), sources, targets, block)
        backward(w.ravel(), d.ravel(), down.ravel(), sources, targets, block)
        add(x.ravel(), d.ravel(), found, spare, sources, targets, block)
        cotangent = (x.astype(float) @ d.T.astype(float)).ravel()
        scale = np.sqrt(max(sources, targets, block))
        for ours, exact in (
            (up, weights.T @ x + biases),
            (down, weights @ d),
            (found - begin, [0, *cotangent, 0]),
        ):
            np.testing.assert_allclose(ours, exact, rtol=0, atol=tolerance * scale, err_msg=dtype)


def test_layers_that_are_not_huge_stay_loops_in_single_precision() -> None:
    """A choice by sizes alone, so that it is the same in every process of a machine."""
    double, single = np.zeros(8), np.zeros(16, np.float32)
    most = block_products.BLAS_FROM
    assert [is_for_blas(double, n, 1) for n in (most - 1, most)] == [False, True]
    below = blocks.LOOPS_BELOW["float32"]
    assert (below > 0) == has_wide_registers()
    assert is_for_blas(single, max(below, 1), most)
    if below:
        assert not is_for_blas(single, below - 1, most)


def room(sizes: tuple[int, ...], dtype: str) -> int:
    """Bytes of a block's units and cotangents, among very many cases."""
    block = blocks.block_size(10_000_000, np.array(sizes), dtype)
    return block * (sum(sizes) + 2 * max(sizes[1:])) * np.dtype(dtype).itemsize


@pytest.mark.parametrize(
    ("sizes", "double", "single"),
    [((8, 8, 1), 96, 96), ((20, 32, 1), 1024, 512), ((784, 200, 10), 1024, 1024)],
)
def test_blocks_of_loops_are_smaller_than_those_of_blas(
    sizes: tuple[int, ...], double: int, single: int
) -> None:
    """Those of double precision are what they were: others would sum in another order."""
    wide = has_wide_registers()
    kilobytes = {"float64": double, "float32": single if wide else double}
    for dtype, expected in kilobytes.items():
        assert room(sizes, dtype) / 1024 == pytest.approx(expected, rel=0.1)

"""Cases in blocks that stay in the processor's cache while a gradient is computed."""

import numpy as np

from ...models.simd.lanes import WIDTH
from ...models.simd.processor import has_wide_registers

CACHE_LINE = 64
LARGE_LAYER = 256  # weights
BLOCK_BYTES = 96 * 1024  # of a block's units and cotangents: mostly in the first-level cache
LARGE_BLOCK_BYTES = 1024 * 1024  # in the second: calls of BLAS should be few and large
# Weights of a layer below which loops in smaller blocks are faster than BLAS in large ones, by
# docs/small_products.csv: in single precision, which was measured with 512-bit registers alone.
# In double precision other blocks would sum in another order, and change the draws.
HUGE_LAYER = 20_000
LOOPS_BELOW = {"float64": 0, "float32": HUGE_LAYER if has_wide_registers() else 0}
LOOP_BLOCK_BYTES = 512 * 1024  # half of a second-level cache: sums are long, and X has room


def block_size(cases: int, sizes: np.ndarray, dtype: str) -> int:
    """Cases of a block: a multiple of the numbers in a register, and blocks of nearly one size.

    Parameters
    ----------
    cases : int
        Number of cases.
    sizes : ndarray of int
        Units of each layer, inputs first.
    dtype : {"float64", "float32"}
        Precision of the kernel.

    Returns
    -------
    int

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.potential.blocks import block_size
    >>> [block_size(n, np.array([2, 8, 1]), "float64") for n in (1, 8, 9, 1000)]
    [8, 8, 16, 336]
    """
    lanes = WIDTH[dtype]
    rows = sizes.sum() + 2 * sizes[1:].max()
    most = _block_bytes((sizes[1:] * sizes[:-1]).max(), dtype) // (rows * np.dtype(dtype).itemsize)
    blocks = -(-cases // max(most, lanes))
    return int(lanes * -(-cases // (blocks * lanes)))


def _block_bytes(weights: int, dtype: str) -> int:
    """Room for a block of a network whose largest layer has so many weights."""
    if weights < LARGE_LAYER:
        return BLOCK_BYTES
    return LOOP_BLOCK_BYTES if weights < LOOPS_BELOW[dtype] else LARGE_BLOCK_BYTES


def in_blocks(array: np.ndarray, block: int, dtype: str) -> np.ndarray:
    """Arrange cases in blocks, with a row of a block's cases for each column.

    Parameters
    ----------
    array : ndarray, shape (cases, columns)
        Inputs or targets.
    block : int
        Cases of a block.
    dtype : {"float64", "float32"}
        Precision of the kernel.

    Returns
    -------
    ndarray, shape (blocks * columns * block,)
        The last block is filled up with copies of the last case, which do not count.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.potential.blocks import in_blocks
    >>> in_blocks(np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]), 2, "float64")
    array([ 1.,  2., 10., 20.,  3.,  3., 30., 30.])
    """
    blocks = -(-len(array) // block)
    padded = array.take(np.arange(blocks * block), axis=0, mode="clip")
    arranged = aligned(padded.size, dtype)
    arranged[:] = padded.reshape(blocks, block, -1).swapaxes(1, 2).ravel()
    return arranged


def aligned(size: int, dtype: str) -> np.ndarray:
    """Vector that begins with a line of the cache, so that no register spans two.

    Parameters
    ----------
    size : int
        Its length.
    dtype : {"float64", "float32"}
        Of its numbers.

    Returns
    -------
    ndarray, shape (size,)
        Not initialised.

    Examples
    --------
    >>> from pymc_bnn.samplers.potential.blocks import aligned
    >>> aligned(3, "float64").ctypes.data % 64
    0
    """
    room = np.empty(size * np.dtype(dtype).itemsize + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    return room[start : start + size * np.dtype(dtype).itemsize].view(dtype)

"""The cases of a network in tiles, as kernels of eight chains go through them."""

import numpy as np

from ....models.simd.registers import TILE


def tiled(a: np.ndarray) -> np.ndarray:
    """Cut the cases of an array into tiles, and fill up the last one with zeros.

    Parameters
    ----------
    a : ndarray, shape (cases,) or (cases, columns)
        Inputs or targets.

    Returns
    -------
    ndarray
        Flat; its order is (tiles, columns, 4 cases).

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.batch.network.tiles import tiled
    >>> tiled(np.arange(1.0, 6.0))
    array([1., 2., 3., 4., 5., 0., 0., 0.])
    """
    cases = len(a)
    a = np.asarray(a, dtype=np.float64).reshape(cases, -1)
    full = np.zeros((-(-cases // TILE) * TILE, a.shape[1]))
    full[:cases] = a
    return full.reshape(-1, TILE, a.shape[1]).transpose(0, 2, 1).ravel()

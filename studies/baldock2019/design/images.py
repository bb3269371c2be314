"""Images to learn from and to predict (3.1)."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...tables.datasets import mnist_images

CLASSES = 10
IMAGES = 5000


class Cases(NamedTuple):
    """Training cases and those that are left for testing.

    Attributes
    ----------
    X, X_test : ndarray, shapes (cases, 256) and (others, 256)
        Pixels, in units of the standard deviation of all pixels of all images, less their mean.
    y, y_test : ndarray of int
        Digits.
    """

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


@lru_cache
def cases(size: int) -> Cases:
    """Draw as many images of each digit; the same ones for all calculations of a size.

    Parameters
    ----------
    size : int
        Training cases, a multiple of 10.

    Returns
    -------
    Cases
        All images that are not trained on are for testing.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.design.images import cases
    >>> found = cases(50)
    >>> found.X.shape, found.X_test.shape, np.bincount(found.y).tolist()
    ((50, 256), (4950, 256), [5, 5, 5, 5, 5, 5, 5, 5, 5, 5])
    """
    images, digits = mnist_images()
    pixels = ((images - images.mean()) / images.std()).reshape(len(images), -1)
    rng = np.random.default_rng(size)
    rows = [
        rng.choice(np.flatnonzero(digits == digit), size // CLASSES, replace=False)
        for digit in range(CLASSES)
    ]
    chosen = np.concatenate(rows)
    others = np.setdiff1d(np.arange(len(digits)), chosen)
    return Cases(pixels[chosen], digits[chosen], pixels[others], digits[others])

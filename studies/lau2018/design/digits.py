"""The digits of Lau (2018, 4.1): the first 500 images to learn from, the last 500 for testing.

The 797 between them are not in the thesis.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sklearn.datasets import load_digits

from ....models.data.choices import choose

CASES = 500  # for training, and as many for testing
CLASSES = 10
SIDE, GREYS = 8, 16  # pixels along an edge, grey level of a white one
DIRECTIONS, WINDOW = 8, 2  # of edges, and pixels along an edge of a pooling window
INPUTS = {
    "raw": "grey levels from 0 to 16, as scikit-learn has them",
    "unit": "grey levels over 16",
    "standardized": "each pixel less its mean, over its standard deviation",
    "centred": "each pixel less its mean, all over one standard deviation",
    "edges": "strength of edges in 8 directions, in windows of 2 x 2 pixels, centred",
}


@dataclass(frozen=True)
class Digits:
    """Images as inputs of a network, and what they show.

    Parameters
    ----------
    X, X_test : ndarray, shape (cases, inputs)
        Inputs for training and for testing.
    y, y_test : ndarray of int, shape (cases,)
        Which digit each is.
    X_between, y_between : ndarray
        The same of the images between the two sets.
    """

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    X_between: np.ndarray
    y_between: np.ndarray


@lru_cache
def digits(inputs: str = "raw") -> Digits:
    """Load the images; what scales them is learnt from the training cases only.

    Parameters
    ----------
    inputs : {"raw", "unit", "standardized", "centred", "edges"}
        What the network sees, from ``INPUTS``. The thesis does not say how it scales pixels.

    Returns
    -------
    Digits

    Raises
    ------
    ValueError
        If there are no such inputs.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.digits import digits
    >>> digits("raw").X.shape, digits("edges").X_test.shape
    ((500, 64), (500, 128))
    >>> float(digits("raw").X.max()), float(digits("unit").X.max())
    (16.0, 1.0)
    """
    choose("inputs", inputs, INPUTS)
    grey, y = load_digits(return_X_y=True)
    X = grey.astype(np.float64) / (1 if inputs == "raw" else GREYS)
    X = edges(X) if inputs == "edges" else X
    if inputs in ("standardized", "centred", "edges"):
        mean = X[:CASES].mean(axis=0)
        sd = X[:CASES].std(axis=0) if inputs == "standardized" else np.std(X[:CASES] - mean)
        X = (X - mean) / np.where(sd > 0, sd, 1.0)  # a pixel may never change
    between = slice(CASES, -CASES)
    return Digits(X[:CASES], y[:CASES], X[-CASES:], y[-CASES:], X[between], y[between])


def edges(X: np.ndarray) -> np.ndarray:
    r"""Filter images by a fixed layer of convolutions: how much of an edge runs where.

    With the gradient of the grey level :math:`g` by central differences, unit :math:`k` of a pixel
    is :math:`|g| \max(0, \cos(\angle g - 2 \pi k / 8))^2`. Units are summed over windows of
    2 x 2 pixels that do not overlap.

    Parameters
    ----------
    X : ndarray, shape (cases, 64)
        Grey levels.

    Returns
    -------
    ndarray, shape (cases, 128)

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.design.digits import edges
    >>> float(abs(edges(np.zeros((1, 64)))).max())
    0.0
    """
    image = np.pad(X.reshape(-1, SIDE, SIDE), ((0, 0), (1, 1), (1, 1)))
    across = image[:, 1:-1, 2:] - image[:, 1:-1, :-2]
    down = image[:, 2:, 1:-1] - image[:, :-2, 1:-1]
    strength, angle = np.hypot(across, down), np.arctan2(down, across)
    windows = SIDE // WINDOW
    units = []
    for k in range(DIRECTIONS):
        along = np.maximum(np.cos(angle - 2 * np.pi * k / DIRECTIONS), 0.0)
        unit = (strength * along**2).reshape(-1, windows, WINDOW, windows, WINDOW)
        units.append(unit.sum(axis=(2, 4)).reshape(len(X), -1))
    return np.concatenate(units, axis=1)

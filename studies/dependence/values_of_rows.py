"""A few numbers that stand for those of many rows, each with its share of them."""

import numpy as np

FEWEST = 3  # values: one that most rows share, and two of the others


def few_values(
    values: np.ndarray, points: int, fewest: int = FEWEST
) -> tuple[np.ndarray, np.ndarray]:
    """Quantiles of numbers, or all of them if these are few, with their shares of the rows.

    Quantiles are in the middle of shares of equal size, so that no point is at an extreme. Where
    nearly all of them are one value, that is a point with its own share, and the quantiles are
    those of the other rows.

    Parameters
    ----------
    values : ndarray, shape (rows,)
        Known numbers.
    points : int
        Most values; more than ``fewest``.
    fewest : int
        Fewest different values, of numbers that have so many.

    Returns
    -------
    found, shares : ndarray, shape (points,)
        Sorted; shares sum to one.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.dependence.values_of_rows import few_values
    >>> found, shares = few_values(np.r_[np.zeros(95), np.arange(1.0, 6.0)], points=4)
    >>> found.tolist(), shares.round(3).tolist()
    ([0.0, 1.0, 3.0, 5.0], [0.95, 0.017, 0.017, 0.017])
    """
    found, counts = np.unique(values, return_counts=True)
    if len(found) > points:
        common = found[counts.argmax()]
        levels = (np.arange(points) + 0.5) / points
        quantiles = np.quantile(values, levels, method="inverted_cdf")
        found, counts = np.unique(quantiles, return_counts=True)
        if len(found) < fewest:
            return _beside(common, values, points, fewest)
    return found, counts / counts.sum()


def _beside(
    common: float, values: np.ndarray, points: int, fewest: int
) -> tuple[np.ndarray, np.ndarray]:
    """One value with its share, and a few of the others."""
    others = values[values != common]
    found, shares = few_values(others, points - 1, fewest - 1)
    share = len(others) / len(values)
    place = int(np.searchsorted(found, common))
    return np.insert(found, place, common), np.insert(shares * share, place, 1 - share)

"""Autocorrelations of short series, and when they are gone."""

import numpy as np

SMALL = 0.1  # an autocorrelation that counts as none


def autocorrelation(series: np.ndarray) -> np.ndarray:
    """Autocorrelations of the columns of a series around their means.

    They are too small, as the mean follows the series: with a share m of the variance in the
    mean, which is about the time of correlation over the length, they are about
    (rho - m) / (1 - m) where rho is true. Late ones, of nothing, are about -m / (1 - m).

    Parameters
    ----------
    series : ndarray, shape (draws, columns)
        The series.

    Returns
    -------
    ndarray, shape (draws, columns)
        By lag; 0 where a column is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.trajectories.correlations import autocorrelation
    >>> autocorrelation(np.array([[1.0], [-1.0], [1.0], [-1.0]]))[:3, 0]
    array([ 1., -1.,  1.])
    """
    count = len(series)
    centred = series - series.mean(axis=0)
    found = np.array(
        [(centred[: count - k] * centred[k:]).sum(axis=0) / (count - k) for k in range(count)]
    )
    return np.divide(found, found[0], out=np.zeros_like(found), where=found[0] > 0)


def decorrelated(correlations: np.ndarray) -> np.ndarray:
    r"""First lag at which autocorrelations are at most 0.1.

    Along a trajectory of a normal posterior they are :math:`\cos \omega t`, and this is nearly a
    quarter of a period, from where a trajectory that ends there forgets its start.

    Parameters
    ----------
    correlations : ndarray, shape (lags, columns)
        As of :func:`autocorrelation`.

    Returns
    -------
    ndarray, shape (columns,)
        NaN where the first half of the lags, beyond which there are few pairs, has none.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.trajectories.correlations import decorrelated
    >>> lags = np.arange(100)[:, None]
    >>> decorrelated(np.cos(lags * np.array([np.pi / 20, np.pi / 1000])))
    array([10., nan])
    """
    low = correlations[: len(correlations) // 2] <= SMALL
    return np.where(low.any(axis=0), low.argmax(axis=0), np.nan)

"""Autocorrelations of short series."""

import numpy as np


def autocorrelation(series: np.ndarray) -> np.ndarray:
    """Autocorrelations of the columns of a series around their means.

    They are a little too small, by about the time of correlation over the length.

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
    >>> from pymc_bnn.studies.neal1995.numbers.correlations import autocorrelation
    >>> autocorrelation(np.array([[1.0], [-1.0], [1.0], [-1.0]]))[:3, 0]
    array([ 1., -1.,  1.])
    """
    count = len(series)
    centred = series - series.mean(axis=0)
    found = np.array(
        [(centred[: count - k] * centred[k:]).sum(axis=0) / (count - k) for k in range(count)]
    )
    return np.divide(found, found[0], out=np.zeros_like(found), where=found[0] > 0)

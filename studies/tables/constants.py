"""Numbers that are constant but for rounding, or too large or small to be scaled."""

import numpy as np

ROUNDINGS = 8  # of the largest number, by which equal numbers may differ once computed


def is_constant(values: np.ndarray, axis: int = 0) -> np.ndarray:
    """Whether numbers are the same in float64, but for rounding.

    Their standard deviation does not say it: that of equal numbers such as 0.1 is 1e-17, and what
    is divided by it becomes huge.

    Parameters
    ----------
    values : ndarray
        Numbers; those that are NaN are left out.
    axis : int
        Along which to compare.

    Returns
    -------
    ndarray of bool or bool
        One less dimension than ``values``; true where there is no number.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.tables.constants import is_constant
    >>> is_constant(np.array([[0.1, 1.0], [0.1, 2.0], [np.nan, 3.0]])).tolist()
    [True, False]
    >>> bool(is_constant(2**60 + np.arange(9)))
    True
    """
    numbers = np.asarray(values, np.float64)
    high = np.fmax.reduce(numbers, axis=axis, initial=-np.inf)
    low = np.fmin.reduce(numbers, axis=axis, initial=np.inf)
    rounding = ROUNDINGS * np.finfo(np.float64).eps * np.fmax(np.abs(high), np.abs(low))
    with np.errstate(over="ignore", invalid="ignore"):
        spread = high - low
    return (spread <= rounding) & (spread < np.inf)  # numbers beside infinite ones differ


def has_scale(mean: np.ndarray | float, sd: np.ndarray | float) -> np.ndarray:
    """Whether a mean and standard deviation are those of numbers whose squares float64 holds.

    Squares of 1e155 are infinite, and those of 1e-163 zero: what is divided by such a deviation
    becomes zero or infinite.

    Parameters
    ----------
    mean, sd : float or ndarray
        As NumPy computes them.

    Returns
    -------
    ndarray of bool

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.tables.constants import has_scale
    >>> numbers = np.array([1.0, 2.0, 4.0])
    >>> [bool(has_scale(0.0, (unit * numbers).std())) for unit in (1.0, 1e-300)]
    [True, False]
    """
    tiny = np.sqrt(np.finfo(np.float64).tiny)
    return np.isfinite(mean) & np.isfinite(sd) & (np.asarray(sd) > tiny)

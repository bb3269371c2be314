"""The unit in which a network sees numbers."""

import numpy as np

from ..tables.constants import has_scale


def centre_and_scale(values: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of columns; constant ones are only centred, at their number.

    Parameters
    ----------
    values : ndarray, shape (rows,) or (rows, columns)
        Finite numbers.
    name : str
        What an error calls them.

    Returns
    -------
    mean, sd : ndarray, shape () or (columns,)

    Raises
    ------
    ValueError
        If numbers are so large or small that float64 does not hold their squares.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.estimators.units import centre_and_scale
    >>> mean, sd = centre_and_scale(np.full(60, 0.1), "y")
    >>> float(mean), float(sd)
    (0.1, 1.0)
    """
    constant = (values == values[0]).all(axis=0)
    # rounding leaves a mean that is not the number, and a deviation that is not zero
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.where(constant, values[0], values.mean(axis=0))
        sd = np.where(constant, 1.0, values.std(axis=0))
    if not has_scale(mean, sd).all():
        raise ValueError(f"{name} has numbers whose squares float64 does not hold; rescale it.")
    return mean, sd

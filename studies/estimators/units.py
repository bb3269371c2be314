"""The unit in which a network sees numbers."""

import numpy as np


def centre_and_scale(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of columns; constant ones are only centred, at their number.

    Parameters
    ----------
    values : ndarray, shape (rows,) or (rows, columns)
        Finite numbers.

    Returns
    -------
    mean, sd : ndarray, shape () or (columns,)

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.estimators.units import centre_and_scale
    >>> mean, sd = centre_and_scale(np.full(60, 0.1))
    >>> float(mean), float(sd)
    (0.1, 1.0)
    """
    constant = (values == values[0]).all(axis=0)
    # rounding leaves a mean that is not the number, and a deviation that is not zero
    mean = np.where(constant, values[0], values.mean(axis=0))
    return mean, np.where(constant, 1.0, values.std(axis=0))

"""Rates and means with their intervals."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import beta

from .estimates import CHANCE, Estimate


class Rate(NamedTuple):
    """A rate with the 95% interval of Jeffreys' prior."""

    value: float
    low: float
    high: float


def rate(count: int, of: int) -> Rate:
    """Estimate a rate.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.rates import rate
    >>> [round(number, 3) for number in rate(0, 100)]
    [0.0, 0.0, 0.025]
    """
    shape = count + 0.5, of - count + 0.5
    low = float(beta.ppf(CHANCE / 2, *shape)) if count else 0.0
    high = float(beta.isf(CHANCE / 2, *shape)) if count < of else 1.0
    return Rate(count / of, low, high)


def mean_of(values: pd.Series | np.ndarray) -> Estimate:
    """Mean of independent numbers; without a standard error if there are fewer than two.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.reproduction.rates import mean_of
    >>> found = mean_of(np.array([1.0, 3.0]))
    >>> found.value, found.error, found.freedom
    (2.0, 1.0, 1)
    """
    numbers = np.asarray(values, float)
    numbers = numbers[np.isfinite(numbers)]
    if numbers.size < 2:
        return Estimate(float(numbers.mean()) if numbers.size else np.nan, np.inf)
    error = float(numbers.std(ddof=1) / np.sqrt(numbers.size))
    return Estimate(float(numbers.mean()), error, numbers.size - 1)

"""Rates and differences with intervals that know which runs share a seed."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import beta

from ...reproduction.estimates import CHANCE, Estimate


class Rate(NamedTuple):
    """A rate with the 95% interval of Jeffreys' prior."""

    value: float
    low: float
    high: float


def rate(count: int, of: int) -> Rate:
    """Estimate a rate.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.numbers.rates import rate
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
    >>> from pymc_bnn.studies.neal1992.numbers.rates import mean_of
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


def by_run(table: pd.DataFrame, name: str) -> pd.Series:
    """Mean of a column over all cells, for each seed."""
    return table.groupby("run")[name].mean()


def paired(table: pd.DataFrame, name: str, of: pd.Series, to: pd.Series) -> Estimate:
    """Mean of some rows less that of others, seed by seed.

    Runs of one seed share a data set and a start, so that seeds are what is independent.

    Parameters
    ----------
    table : DataFrame
        With a column ``run``.
    name : str
        Of the column.
    of, to : Series of bool
        Which rows.
    """
    return mean_of(by_run(table[of], name) - by_run(table[to], name))


def predicted(values: pd.Series) -> Estimate:
    """What one more number like these would be, with its standard deviation."""
    found = mean_of(values)
    count = found.freedom + 1.0
    return Estimate(found.value, found.error * float(np.sqrt(1.0 + count)), found.freedom)

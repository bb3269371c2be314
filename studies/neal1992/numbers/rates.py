"""Differences and rates whose intervals know which runs share a data set."""

import numpy as np
import pandas as pd

from ...reproduction.estimates import Estimate
from ...reproduction.rates import Rate, mean_of, rate


def by_set(table: pd.DataFrame, name: str) -> pd.Series:
    """Mean of a column over all runs on each data set."""
    return table.groupby("data set")[name].mean()


def paired(table: pd.DataFrame, name: str, of: pd.Series, to: pd.Series) -> Estimate:
    """Mean of some rows less that of others, seed by seed and then data set by data set.

    Runs of one seed share a start, and seeds share the data sets, which are what is independent.

    Parameters
    ----------
    table : DataFrame
        With columns ``run``, of seeds, and ``data set``.
    name : str
        Of the column.
    of, to : Series of bool
        Which rows.
    """
    each = [table[rows].groupby(["data set", "run"])[name].mean() for rows in (of, to)]
    return mean_of((each[0] - each[1]).groupby("data set").mean())


def rate_by_set(happened: pd.Series, sets: pd.Series) -> Rate:
    """How often something happens on a data set, with an interval by Student's t over these.

    Where it is as often on all of them, the interval is Jeffreys' for one run of each.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.neal1992.numbers.rates import rate_by_set
    >>> sets = pd.Series([0, 0, 1, 1, 2, 2])
    >>> found = rate_by_set(pd.Series([1, 1, 1, 0, 1, 1]), sets)
    >>> [round(number, 2) for number in found]
    [0.83, 0.12, 1.0]
    """
    each = happened.astype(float).groupby(sets.to_numpy()).mean()
    if each.nunique() == 1:
        return rate(round(each.sum()), len(each))
    found = mean_of(each)
    low, high = found.interval()
    return Rate(found.value, max(low, 0.0), min(high, 1.0))


def predicted(values: pd.Series) -> Estimate:
    """What one more number like these would be, with its standard deviation."""
    found = mean_of(values)
    count = found.freedom + 1.0
    return Estimate(found.value, found.error * float(np.sqrt(1.0 + count)), found.freedom)

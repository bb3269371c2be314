"""Differences with intervals that know which runs share a seed."""

import numpy as np
import pandas as pd

from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of


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

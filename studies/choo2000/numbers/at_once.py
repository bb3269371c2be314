"""Intervals that hold for several numbers at once (Bonferroni), from those of each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

NORMAL_90 = 1.6449  # standard errors from the middle of a 90% interval to its end
ENDS = ("low, at once", "high, at once")
MISSES = 0.05  # the chance that one of the intervals misses its number


def limit(among: Any) -> Any:
    """Standard errors from the middle to the ends of intervals that hold for so many at once.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.numbers.at_once import limit
    >>> [round(float(limit(among)), 2) for among in (1, 6)]
    [1.96, 2.64]
    """
    return norm.isf(MISSES / 2 / np.maximum(among, 1))


def widened(value: Any, end: Any, among: Any) -> Any:
    """Move an end of 90% intervals of ratios to where those end that hold for so many at once.

    Logarithms are taken as normal on either side of the estimate, so that an interval keeps its
    longer side.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.numbers.at_once import widened
    >>> [round(float(widened(0.02, end, 6)), 3) for end in (0.01, 0.04)]
    [0.007, 0.061]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return value * np.divide(end, value) ** (limit(among) / NORMAL_90)


def of_widths(
    table: pd.DataFrame, names: Sequence[str], by: Sequence[str]
) -> tuple[pd.Series, pd.Series]:
    """Ends of intervals that hold with 95% for all widths at once.

    Parameters
    ----------
    table : DataFrame
        With ``hidden units``.
    names : sequence of str
        Columns of estimates, and of both ends of their 90% intervals.
    by : sequence of str
        Columns that say what has these widths.

    Returns
    -------
    tuple of Series
        Lower and upper ends.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.numbers.at_once import of_widths
    >>> rows = [["A", 8, 1.0, 0.8, 1.25], ["A", 12, 1.0, 0.8, 1.25], ["B", 8, 1.0, 0.8, 1.25]]
    >>> table = pd.DataFrame(rows, columns=["method", "hidden units", "ratio", "low", "high"])
    >>> of_widths(table, ("ratio", "low", "high"), ["method"])[1].round(2).tolist()
    [1.36, 1.36, 1.3]
    """
    among = table.groupby(list(by), dropna=False)["hidden units"].transform("nunique")
    value, low, high = (table[name].astype(float) for name in names)
    return widened(value, low, among), widened(value, high, among)

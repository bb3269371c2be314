"""The numbers that the thesis printed, to set beside one's own."""

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from ...pages.published import published_table

TABLES = (
    "committees",
    "hyperparameter",
    "information_criterion",
    "layers",
    "metrics",
    "precision",
    "priors",
    "scaled_priors",
    "stochastic_gradients",
    "termination",
    "trajectories",
)
AGAIN = {"noise_as_printed": "stochastic_gradients"}  # of which printed table rows are another try


@lru_cache
def published(name: str) -> pd.DataFrame:
    r"""Load a table of Lau (2018, chapter 4).

    Parameters
    ----------
    name : str
        ``committees`` (Table 4.1), ``termination``: XHMC thresholds (4.2), ``hyperparameter``:
        Gibbs against joint sampling (4.3), ``priors`` (4.4), ``stochastic_gradients`` (4.5-4.8),
        ``scaled_priors`` (4.9), ``metrics`` (4.10), ``layers`` (4.11), ``precision`` (4.12),
        ``trajectories``: static against dynamic (4.13) or ``information_criterion`` (4.14).

    Returns
    -------
    DataFrame
        Its column ``table`` says which table of the thesis a row is from. ``test_error`` is in
        percent, ``seconds`` are of all chains; a cell that is empty is not a number there.

    Raises
    ------
    ValueError
        If there is no such table.

    Notes
    -----
    Kept as printed, and odd: Table 4.1 says 23.4% for XHMC with threshold 0.1, Table 4.2 says 28.6%
    for the same. NA in Tables 4.5-4.8 is ``diverged``. Tables 4.5 and 4.6 stand side by side above
    their captions, so which of them is which follows from their order only. The WAIC of Table
    4.14 grows in proportion to the number of weights, 11.4 to 11.8 for each, which no sum over 500
    cases does.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.published import published
    >>> published("layers")["test_error"].tolist()
    [16.4, 16.8, 49.8]
    """
    return published_table(__package__, name, TABLES)


def printed(name: str, **at: Any) -> pd.Series:
    """Row of a published table, undefined numbers if it has none.

    Parameters
    ----------
    name : str
        The table.
    **at
        Values of columns that pick the row; None picks an empty cell.

    Returns
    -------
    Series

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.published import printed
    >>> float(printed("committees", members=1000)["test_error"])
    19.2
    >>> float(printed("committees", members=3)["test_error"])
    nan
    """
    table = published(AGAIN.get(name, name))
    for column, value in at.items():
        table = table[table[column].isna() if value is None else table[column] == value]
    if table.empty:
        return pd.Series(np.nan, index=table.columns)
    return table.iloc[0]

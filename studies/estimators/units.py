"""The unit in which a network sees numbers."""

from typing import Any

import numpy as np
import pandas as pd

from ...models.data.numbers import kind_of, listed
from ..tables.constants import has_scale, is_constant

TIMES = ("dates", "durations")


def refuse_times(values: Any, argument: str) -> None:
    """Refuse dates and durations, which would become numbers in the unit they are kept in.

    Parameters
    ----------
    values : object
        Inputs or targets, as a user gave them.
    argument : str
        As what.

    Raises
    ------
    ValueError
        If there are some; it names their columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.estimators.units import refuse_times
    >>> refuse_times(pd.DataFrame({"sold": pd.date_range("2020", periods=3)}), "X")
    Traceback (most recent call last):
    ...
    ValueError: X has dates or durations in 'sold'; make numbers of them first, such as days.
    """
    table = values if isinstance(values, pd.DataFrame) else None
    columns = [table.iloc[:, i] for i in range(table.shape[1])] if table is not None else [values]
    known = [column for column in columns if hasattr(column, "dtype")]
    found = [column for column in known if kind_of(column) in TIMES]
    if found:
        named = listed([str(column.name) for column in found]) if table is not None else "it"
        raise ValueError(
            f"{argument} has dates or durations in {named}; make numbers of them first, such as "
            "days."
        )


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
    constant = is_constant(values)
    # rounding leaves a mean that is not the number, and a deviation that is not zero
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.where(constant, values[0], values.mean(axis=0))
        sd = np.where(constant, 1.0, values.std(axis=0))
    if not has_scale(mean, sd).all():
        raise ValueError(f"{name} has numbers whose squares float64 does not hold; rescale it.")
    return mean, sd

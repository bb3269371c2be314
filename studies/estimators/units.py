"""The unit in which a network sees numbers."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from ...models.data.numbers import kind_of, kinds_of, listed, unmasked
from ..tables.constants import has_scale, is_constant

TIMES = ("dates", "durations")


def refuse_times(values: Any, argument: str) -> None:
    """Refuse dates and durations, which would become numbers in the unit they are kept in.

    Masked values, too, which would become what lies beneath the mask.

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
    if values is None or issparse(values):  # as scikit-learn says itself
        return
    plain = unmasked(values, argument)
    found = [name for name, kind in kinds_of(plain).items() if kind in TIMES]
    found += _categories_of_times(plain)
    if found:
        named = [str(name) for name in found if name is not None]
        where = f" in {listed(named)}" if named else ""
        raise ValueError(
            f"{argument} has dates or durations{where}; make numbers of them first, such as days."
        )


def _categories_of_times(values: Any) -> list[Any]:
    """Columns of categories that are times, for which scikit-learn would put these."""
    table = values.to_frame() if isinstance(values, pd.Series) else values
    if isinstance(table, np.ndarray):
        return []
    return [
        name
        for name, column in table.items()
        if isinstance(column.dtype, pd.CategoricalDtype)
        and kind_of(column.cat.categories.to_series()) in TIMES
    ]


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

"""Names of targets, which predictions of them carry."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from ...models.data.numbers import labelled, scalar


def columns_of(y: Any) -> tuple:
    """Columns of a table of targets or inputs, or the name of a Series, whatever they are.

    Parameters
    ----------
    y : object
        Targets, or inputs, as a user gave them.

    Returns
    -------
    tuple
        Empty if there are none. Not all can name outputs, but all tell their order.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.estimators.target_names import columns_of
    >>> columns_of(pd.DataFrame({"speed": [1.0], 2024: [2.0]}))
    ('speed', 2024)
    >>> columns_of(pd.Series([1.0], name="speed")), columns_of([1.0])
    (('speed',), ())
    """
    y = labelled(y)
    if isinstance(y, pd.Series):
        return () if y.name is None else (scalar(y.name),)
    return tuple(map(scalar, y.columns)) if isinstance(y, pd.DataFrame) else ()


def check_columns(y: Any, known: Sequence | None) -> None:
    """Refuse targets in other columns than those of the fit, if both have several.

    Parameters
    ----------
    y : object
        Targets, as a user gave them.
    known : sequence or None
        As of :func:`columns_of`; estimators that were pickled before have a list, or None.

    Raises
    ------
    ValueError
        If columns or their order differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.estimators.target_names import check_columns
    >>> check_columns(pd.DataFrame({"b": [2.0], "a": [1.0]}), ("a", "b"))
    Traceback (most recent call last):
    ...
    ValueError: y has the columns ['b', 'a']: give ['a', 'b'], in this order, as to fit.
    """
    given, known = list(columns_of(y)), list(known or ())
    # an index also takes missing labels for the same, which are not equal to themselves
    if min(len(given), len(known)) > 1 and not pd.Index(given).equals(pd.Index(known)):
        raise ValueError(f"y has the columns {given}: give {known}, in this order, as to fit.")


def named_targets(y: np.ndarray, columns: tuple) -> np.ndarray | pd.DataFrame:
    """Give targets the names of their columns, if these are different texts.

    Numbers are taken for places of columns, and a saved fit holds no dates or pairs.

    Parameters
    ----------
    y : ndarray, shape (cases,) or (cases, outputs)
        Targets.
    columns : tuple
        As of :func:`columns_of`.

    Returns
    -------
    ndarray or DataFrame

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.estimators.target_names import named_targets
    >>> named_targets(np.zeros(2), ("speed",)).columns.tolist()
    ['speed']
    """
    texts = all(isinstance(name, str) for name in columns)
    if not columns or not texts or len(set(columns)) < len(columns):
        return y
    return pd.DataFrame(y.reshape(len(y), -1), columns=list(columns))


def name_of_classes(columns: Sequence | None, drawn: xr.DataArray) -> str:
    """Name for drawn classes: that of theirs, if a Dataset and files take it beside coordinates.

    Parameters
    ----------
    columns : sequence or None
        As of :func:`columns_of`; estimators that were pickled before have none.
    drawn : DataArray
        Drawn classes.

    Returns
    -------
    str

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn.studies.estimators.target_names import name_of_classes
    >>> drawn = xr.DataArray([0, 1], dims="draw", name="y")
    >>> name_of_classes(("way",), drawn), name_of_classes(("draw",), drawn)
    ('way', 'y')
    """
    name = next(iter(columns or ()), None)
    taken = {*drawn.dims, *drawn.coords}
    # a slash would be the path to a group
    if isinstance(name, str) and name and "/" not in name and name not in taken:
        return name
    return str(drawn.name)

"""Inputs and targets belong together case by case: by their labels if both have some."""

from typing import Any

import pandas as pd
import xarray as xr

from .numbers import as_pandas


def check_paired(X: Any, y: Any, cases: int, targets: int) -> None:
    """Refuse inputs and targets that are not of the same cases in the same order.

    Where only one of them has an index, or none, they are paired by position.

    Parameters
    ----------
    X, y : array, Series, DataFrame or DataArray
        Inputs and targets as a user gave them.
    cases, targets : int
        How many there are.

    Raises
    ------
    ValueError
        If their numbers differ, or their indexes.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.models.data.pairing import check_paired
    >>> y = pd.Series([1.0, 2.0], index=["a", "b"])
    >>> check_paired(y.to_frame()[::-1], y, 2, 2)
    Traceback (most recent call last):
    ...
    ValueError: X and y have the same index in another order; align them, as by y.loc[X.index].
    """
    if cases != targets:
        raise ValueError(f"X has {cases} cases and y has {targets}; they must match.")
    check_labels(*(labels_of(values, cases) for values in (X, y)))


def check_labels(labels: pd.Index | None, others: pd.Index | None) -> None:
    """Refuse labels of inputs and of targets, if both have some, that are not the same.

    Parameters
    ----------
    labels, others : Index, optional
        Of inputs and of as many targets.

    Raises
    ------
    ValueError
        If they differ, or their order does.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.models.data.pairing import check_labels
    >>> check_labels(pd.Index(["a", "b"]), None)
    """
    if labels is None or others is None or labels.equals(others):
        return
    if labels.is_unique and labels.sort_values().equals(others.sort_values()):
        raise ValueError(
            "X and y have the same index in another order; align them, as by y.loc[X.index]."
        )
    raise ValueError(
        "X and y differ in their index; give the same rows of both, or y.to_numpy() to pair them "
        "by position."
    )


def labels_of(values: Any, cases: int) -> pd.Index | None:
    """Labels of so many cases, if there are any.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.models.data.pairing import labels_of
    >>> labels_of(pd.Series([1.0, 2.0], index=["a", "b"]), 2).tolist(), labels_of([1.0, 2.0], 2)
    (['a', 'b'], None)
    """
    index = _index(values)
    return index if index is not None and len(index) == cases else None


def _index(values: Any) -> pd.Index | None:
    """Labels of the cases, if there are any."""
    if isinstance(values, pd.DataFrame | pd.Series):
        return values.index
    if not isinstance(values, xr.DataArray):
        found = as_pandas(values)
        index = getattr(found, "index", None) if found is not values else None
        return None if isinstance(index, pd.RangeIndex) else index  # made for want of another
    if isinstance(values, xr.DataArray) and values.ndim and values.dims[0] in values.coords:
        return pd.Index(values.coords[values.dims[0]].values)
    return None

"""Labels of columns and of rows, by which tables are held against each other."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import xarray as xr

from ...models.data.pairing import labels_of
from .target_names import columns_of


def check_column_labels(X: Any, known: Sequence) -> None:
    """Refuse a DataFrame of other columns than those of the fit, or of another order.

    Texts are left to scikit-learn, which compares no other labels.

    Parameters
    ----------
    X : object
        Inputs, as a user gave them, with as many columns as in the fit.
    known : sequence
        As of :func:`.target_names.columns_of`, in the fit.

    Raises
    ------
    ValueError
        If both are labelled by something else than texts, and not alike.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.estimators.labels import check_column_labels
    >>> check_column_labels(pd.DataFrame({2025: [2.0], 2024: [1.0]}), (2024, 2025))
    Traceback (most recent call last):
    ...
    ValueError: X has the column 2025 where the fit had 2024; give its columns in their order.
    """
    given = columns_of(X)
    if any(all(isinstance(label, str) for label in labels) for labels in (given, known)):
        return  # of none, too, as an array has
    # an index also takes missing labels for the same, which are not equal to themselves
    if pd.Index(list(given)).equals(pd.Index(list(known))):
        return
    for label, before in zip(given, known, strict=True):
        if not pd.Index([label]).equals(pd.Index([before])):
            raise ValueError(
                f"X has the column {label!r} where the fit had {before!r}; "
                "give its columns in their order."
            )


def check_rows(X: Any, y: Any) -> None:
    """Refuse inputs and targets of the same cases in another order.

    Less is refused than by :func:`.pairing.check_paired`: steps before an estimator number the
    rows of their tables anew, and folds of a cross-validation hold some of the cases only.

    Parameters
    ----------
    X, y : object
        Inputs and targets, as a user gave them; without labels they are paired by position.

    Raises
    ------
    ValueError
        If labels that both have come in another order.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.estimators.labels import check_rows
    >>> y = pd.Series([1.0, 2.0, 3.0], index=["a", "b", "c"])
    >>> check_rows(y.to_frame()[::-1], y.to_numpy())
    >>> check_rows(y.to_frame()[:0:-1], y[1:])
    Traceback (most recent call last):
    ...
    ValueError: X and y have the same labels in another order; align them, as by y.loc[X.index], \
or give y.to_numpy() to pair them by position, as after a step that numbers rows anew.
    """
    rows, others = _rows(X), _rows(y)
    if rows is None or others is None or len(rows) != len(others) or rows.equals(others):
        return
    ours, theirs = rows[rows.isin(others)], others[others.isin(rows)]
    if len(ours) != len(theirs):  # labels that repeat are no names of cases
        return
    new = any(index.equals(pd.RangeIndex(len(rows))) for index in (rows, others))
    if new and len(ours) < len(rows):
        return
    if not ours.equals(theirs):
        raise ValueError(
            "X and y have the same labels in another order; align them, as by y.loc[X.index], or "
            "give y.to_numpy() to pair them by position, as after a step that numbers rows anew."
        )


def _rows(values: Any) -> pd.Index | None:
    """Labels of rows, if there are some; tables of other libraries are not turned into pandas."""
    if not isinstance(values, pd.DataFrame | pd.Series | xr.DataArray) or not values.ndim:
        return None
    labels = labels_of(values, len(values))
    return None if labels is None else labels.to_flat_index()

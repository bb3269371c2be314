"""Labels of columns, by which tables are held against each other."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ...models.data.numbers import scalar


def column_labels(X: Any) -> tuple:
    """Labels of the columns of a DataFrame, whatever they are.

    Parameters
    ----------
    X : object
        Inputs, as a user gave them.

    Returns
    -------
    tuple
        Empty if it is no DataFrame.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.estimators.labels import column_labels
    >>> column_labels(pd.DataFrame({2024: [1.0], 2025: [2.0]})), column_labels([[1.0, 2.0]])
    ((2024, 2025), ())
    """
    return tuple(map(scalar, X.columns)) if isinstance(X, pd.DataFrame) else ()


def check_column_labels(X: Any, known: Sequence) -> None:
    """Refuse a DataFrame of other columns than those of the fit, or of another order.

    Texts are left to scikit-learn, which compares no other labels.

    Parameters
    ----------
    X : object
        Inputs, as a user gave them, with as many columns as in the fit.
    known : sequence
        As of :func:`column_labels`, in the fit.

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
    given = column_labels(X)
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

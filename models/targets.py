"""Checks and coding of inputs and targets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr


@dataclass(frozen=True)
class Targets:
    """Targets as numbers.

    Parameters
    ----------
    values : ndarray
        Float64 of shape (cases, outputs), or int64 class codes of shape (cases,).
    outputs : tuple
        Names of the outputs.
    classes : tuple or None
        The classes that the codes 0, 1, ... stand for.
    """

    values: np.ndarray
    outputs: tuple
    classes: tuple | None = None


def as_inputs(X: Any, names: Sequence | None = None) -> tuple[np.ndarray, tuple]:
    """Check inputs and return them as a float64 matrix with the names of its columns.

    Parameters
    ----------
    X : array, DataFrame or DataArray
        Inputs, shape (cases, inputs).
    names : sequence, optional
        Names of the columns the model was built with: a DataFrame or a DataArray is put into
        their order, any other array must have as many columns.

    Returns
    -------
    values : ndarray, shape (cases, inputs)
    names : tuple

    Raises
    ------
    ValueError
        If X is not a finite numeric matrix, or lacks a column.

    Examples
    --------
    >>> from pymc_bnn.models.targets import as_inputs
    >>> as_inputs([[1.0, 2.0]])[1]
    (0, 1)
    """
    X = _labelled(X)
    if isinstance(X, pd.DataFrame):
        if X.columns.has_duplicates:
            repeated = X.columns[X.columns.duplicated()].unique()
            raise ValueError(f"X has the column(s) {_list(repeated)} more than once; rename them.")
        if names is not None:
            missing = [name for name in names if name not in X.columns]
            if missing:
                raise ValueError(f"X lacks the column(s) {_list(missing)} that the model has.")
            X = X[list(names)]
        found = tuple(_scalar(name) for name in X.columns)
    values = _finite(X, "X")
    if values.ndim != 2:
        raise ValueError(
            f"X must be a matrix of shape (cases, inputs), got shape {values.shape}; "
            "for a single input use X[:, None]."
        )
    if not isinstance(X, pd.DataFrame):
        found = tuple(range(values.shape[1])) if names is None else tuple(names)
    if values.shape[1] != len(found):
        raise ValueError(f"X has {values.shape[1]} columns, the model has {len(found)} inputs.")
    if 0 in values.shape:
        raise ValueError(f"X is empty: its shape is {values.shape}.")
    return values, found


def numeric_targets(y: Any) -> Targets:
    """Check targets of a regression.

    Parameters
    ----------
    y : array, Series, DataFrame or DataArray
        Targets, shape (cases,) or (cases, outputs).

    Returns
    -------
    Targets

    Raises
    ------
    ValueError
        If y is not numeric and finite, or has more than two dimensions.

    Examples
    --------
    >>> from pymc_bnn.models.targets import numeric_targets
    >>> numeric_targets([1.0, 2.0]).values.shape
    (2, 1)
    """
    y = _labelled(y)
    if isinstance(y, pd.DataFrame):
        outputs = tuple(_scalar(name) for name in y.columns)
    else:
        outputs = (y.name,) if isinstance(y, pd.Series) and y.name is not None else ()
    values = _finite(y, "y", hint="; for classes use likelihood='categorical'")
    if values.ndim not in (1, 2):
        raise ValueError(
            f"y must have shape (cases,) or (cases, outputs), got shape {values.shape}."
        )
    values = values if values.ndim == 2 else values[:, None]
    return Targets(values, outputs or tuple(range(values.shape[1])))


def class_targets(y: Any, classes: tuple | None = None, exactly: int | None = None) -> Targets:
    """Check targets of a classification and code them 0, 1, ... in the order of the classes.

    Parameters
    ----------
    y : array, Series or DataArray
        Class of each case, shape (cases,) or (cases, 1).
    classes : tuple, optional
        The classes, if they are known already.
    exactly : int, optional
        How many classes there must be.

    Returns
    -------
    Targets
        With one output per class, or a single one if there are exactly two.

    Raises
    ------
    ValueError
        If values are missing, there is one class only, or a class is unknown.

    Examples
    --------
    >>> from pymc_bnn.models.targets import class_targets
    >>> class_targets(["b", "a", "b"]).values
    array([1, 0, 1])
    """
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y must hold one class per case, shape (cases,), got {labels.shape}.")
    if (missing := int(pd.isna(labels).sum())) > 0:
        raise ValueError(f"y has {missing} missing value(s); drop or fill them.")
    if labels.size == 0:
        raise ValueError("y is empty.")
    if classes is None:
        classes = tuple(_scalar(label) for label in pd.unique(pd.Series(labels)))
        classes = tuple(sorted(classes, key=lambda c: (str(type(c)), c)))
        _check_number_of_classes(classes, exactly)
    codes = pd.Index(classes).get_indexer(pd.Index(labels))
    if (codes < 0).any():
        unknown = sorted({str(label) for label in labels[codes < 0]})
        raise ValueError(
            f"y has the class(es) {_list(unknown)} that the model was not trained on; "
            f"it knows {_list(classes)}."
        )
    outputs = (classes[1],) if exactly == 2 else classes
    return Targets(codes.astype(np.int64), outputs, classes)


def check_outputs(targets: Targets, outputs: tuple) -> None:
    """Refuse targets that have not the outputs of a model, in the model's order.

    Parameters
    ----------
    targets : Targets
        Targets of new cases.
    outputs : tuple
        Names of the model's outputs.

    Raises
    ------
    ValueError
        If their number or their order differs.

    Examples
    --------
    >>> from pymc_bnn.models.targets import check_outputs, numeric_targets
    >>> check_outputs(numeric_targets([1.0, 2.0]), ("speed", "height"))
    Traceback (most recent call last):
    ...
    ValueError: y has 1 column(s), the model has 2 output(s).
    """
    if len(targets.outputs) != len(outputs):
        raise ValueError(
            f"y has {len(targets.outputs)} column(s), the model has {len(outputs)} output(s)."
        )
    if targets.outputs != outputs and set(targets.outputs) == set(outputs):
        raise ValueError(
            f"y has the model's columns in another order; put them in the order {_list(outputs)}."
        )


def _check_number_of_classes(classes: tuple, exactly: int | None) -> None:
    if len(classes) < 2:
        raise ValueError(f"y has one class only, {classes[0]!r}; two are needed to classify.")
    if exactly is not None and len(classes) != exactly:
        raise ValueError(
            f"y has {len(classes)} classes, Bernoulli() needs {exactly}; "
            "use likelihood='categorical'."
        )


def _labelled(values: Any) -> Any:
    """Turn a labelled DataArray into pandas, and leave everything else as it is."""
    if isinstance(values, xr.DataArray):
        if values.ndim == 2 and values.dims[1] in values.coords:
            return pd.DataFrame(values.values, columns=values.coords[values.dims[1]].values)
        return values.values
    return values


def _finite(values: Any, argument: str, hint: str = "") -> np.ndarray:
    try:
        array = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ValueError(f"{argument} is not numeric{hint}.") from None
    bad = ~np.isfinite(array)
    if bad.any():
        columns = ""
        if isinstance(values, pd.DataFrame):
            names = values.columns[bad.any(axis=0)]
            columns = f" in column(s) {_list(names)}"
        raise ValueError(
            f"{argument} has {int(bad.sum())} missing or infinite value(s){columns}; "
            "drop or fill them."
        )
    return array


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _list(names: Sequence) -> str:
    return ", ".join(repr(_scalar(name)) for name in names)

"""Checks and coding of inputs and targets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .numbers import finite, labelled, listed, scalar


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
    >>> from pymc_bnn.models.data.targets import as_inputs
    >>> as_inputs([[1.0, 2.0]])[1]
    (0, 1)
    """
    X = labelled(X, names)
    if isinstance(X, pd.DataFrame):
        _check_names(X.columns, "X")
        if names is not None:
            missing = [name for name in names if name not in X.columns]
            if missing:
                raise ValueError(f"X lacks the column(s) {listed(missing)} that the model has.")
            X = X[list(names)]
        found = tuple(scalar(name) for name in X.columns)
    values = finite(X, "X")
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
    >>> from pymc_bnn.models.data.targets import numeric_targets
    >>> numeric_targets([1.0, 2.0]).values.shape
    (2, 1)
    """
    y = labelled(y)
    if isinstance(y, pd.Series):
        y = y.to_frame(name=0 if y.name is None else y.name)
    outputs: tuple = ()
    if isinstance(y, pd.DataFrame):
        _check_names(y.columns, "y")
        outputs = tuple(scalar(name) for name in y.columns)
    values = finite(y, "y", encode="for classes use likelihood='categorical'")
    if values.ndim not in (1, 2):
        raise ValueError(
            f"y must have shape (cases,) or (cases, outputs), got shape {values.shape}."
        )
    values = values if values.ndim == 2 else values[:, None]
    if 0 in values.shape:
        raise ValueError(f"y is empty: its shape is {values.shape}.")
    return Targets(values, outputs or tuple(range(values.shape[1])))


def count_targets(y: Any) -> Targets:
    """Check targets that count something.

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
        If y is no table of whole numbers from 0 on.

    Examples
    --------
    >>> from pymc_bnn.models.data.targets import count_targets
    >>> count_targets([0, 1, 2.5])
    Traceback (most recent call last):
    ...
    ValueError: y holds 2.5, which is no count; give whole numbers from 0 on, not standardized.
    """
    targets = numeric_targets(y)
    values = targets.values
    wrong = values[(values < 0) | (values != np.floor(values))]
    if wrong.size:
        raise ValueError(
            f"y holds {wrong[0]:g}, which is no count; give whole numbers from 0 on, not "
            "standardized."
        )
    return targets


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
    >>> from pymc_bnn.models.data.targets import check_outputs, numeric_targets
    >>> check_outputs(numeric_targets([1.0, 2.0]), ("speed", "height"))
    Traceback (most recent call last):
    ...
    ValueError: y has 1 column(s), the model has 2 output(s).
    """
    if len(targets.outputs) != len(outputs):
        raise ValueError(
            f"y has {len(targets.outputs)} column(s), the model has {len(outputs)} output(s)."
        )
    given = enumerate(targets.outputs)
    if any(name in outputs and outputs.index(name) != k for k, name in given):
        raise ValueError(
            f"y has the model's columns in another order; put them in the order {listed(outputs)}."
        )


def _check_names(columns: pd.Index, argument: str) -> None:
    """Refuse names that occur twice, or that a description of the model cannot hold."""
    if columns.has_duplicates:
        repeated = listed(columns[columns.duplicated()].unique())
        raise ValueError(f"{argument} has the column(s) {repeated} more than once; rename them.")
    odd = [name for name in columns if not isinstance(scalar(name), str | int | float)]
    if odd:
        raise ValueError(
            f"{argument} has column names that are no texts or numbers, such as {odd[0]!r}; "
            "rename them."
        )

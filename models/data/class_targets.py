"""Checks and coding of targets that are classes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from .numbers import listed, scalar, unmasked
from .targets import Targets


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
    >>> from pymc_bnn.models.data.class_targets import class_targets
    >>> class_targets(["b", "a", "b"]).values
    array([1, 0, 1])
    """
    labels = as_labels(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y must hold one class per case, shape (cases,), got {labels.shape}.")
    if labels.size == 0:
        raise ValueError("y is empty.")
    _check_labels(labels)
    if classes is None:
        classes = tuple(scalar(label) for label in pd.unique(pd.Series(labels)))
        classes = tuple(sorted(classes, key=_in_order))
        _check_number_of_classes(classes, exactly)
    codes = _index(classes).get_indexer(pd.Index(labels))
    if (codes < 0).any():
        unknown = sorted({str(label) for label in labels[codes < 0]})
        raise ValueError(
            f"y has the class(es) {listed(unknown)} that the model was not trained on; "
            f"it knows {listed(classes)}."
        )
    outputs = (classes[1],) if exactly == 2 else classes
    return Targets(codes.astype(np.int64), outputs, classes)


def _index(classes: tuple) -> pd.Index:
    """Classes to look labels up in, none of them rounded."""
    index = pd.Index(classes)
    return index if index.tolist() == list(classes) else pd.Index(classes, dtype=object)


def _in_order(label: Any) -> tuple[str, Any]:
    """What classes are sorted by: numbers of any type by their size, others by type first."""
    return "" if isinstance(label, int | float) else str(type(label)), label


def as_labels(y: Any) -> np.ndarray:
    """Classes as an array that keeps them apart: in one, 1 may be "1", and True is 1.

    Parameters
    ----------
    y : array, Series, DataArray or list
        Class of each case.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If values are missing, text, or truth values, stand beside other labels, or an array
        would round some.

    Examples
    --------
    >>> from pymc_bnn.models.data.class_targets import as_labels
    >>> as_labels([2, 1]).tolist()
    [2, 1]
    """
    labels = np.asarray(unmasked(y, "y"))
    given = np.asarray(y, dtype=object) if isinstance(y, Sequence) else labels
    if (missing := int(pd.isna(given).sum())) > 0:
        raise ValueError(f"y has {missing} missing value(s); drop or fill them.")
    text = {"U": str, "S": bytes}.get(labels.dtype.kind)
    if text is not None and not all(isinstance(label, text) for label in given.flat):
        raise ValueError("y holds text and other labels; make all of them text.")
    mixed = given.flat if given.dtype == object else ()
    if 0 < sum(isinstance(label, bool | np.bool_) for label in mixed) < given.size:
        raise ValueError("y holds True or False and other labels; make all of them text.")
    if given is not labels:
        _check_rounding(given, labels)
    return labels


def _check_rounding(given: np.ndarray, held: np.ndarray) -> None:
    """Refuse whole numbers that NumPy made float64, as of those of 2**63 beside negative ones."""
    if held.dtype.kind != "f":
        return
    for label, found in zip(map(scalar, given.flat), held.ravel().tolist(), strict=True):
        if label != found:
            raise ValueError(
                f"y holds {label}, of which float64 makes {found:.0f}; make all labels text."
            )


def _check_number_of_classes(classes: tuple, exactly: int | None) -> None:
    if len(classes) < 2:
        raise ValueError(f"y has one class only, {classes[0]!r}; two are needed to classify.")
    if exactly is not None and len(classes) != exactly:
        raise ValueError(
            f"y has {len(classes)} classes, Bernoulli() needs {exactly}; "
            "use likelihood='categorical'."
        )


def _check_labels(labels: np.ndarray) -> None:
    """Refuse classes that a description of the model cannot hold, such as dates."""
    if labels.dtype.kind in "biufUT":
        return
    known = (str, int, float, np.integer, np.floating, np.bool_)
    for label in labels:
        if labels.dtype != object or not isinstance(label, known):
            raise ValueError(
                f"y has classes of type {type(label).__name__}, such as {label}; "
                "turn them into texts, as by y.astype(str)."
            )

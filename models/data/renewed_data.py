"""Checks of the data that a network holds, which ``pm.set_data`` can change.

Inputs and targets come in one after the other, so that their lengths can be compared only when
both are used; the rest is checked when they come.
"""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .pairing import check_labels, labels_of
from .targets import as_inputs, check_outputs

if TYPE_CHECKING:
    from ..bnn import BNN

CONTAINERS = frozenset({"X", "y"})


def new_values(model: BNN, name: str, values: Any) -> Any:
    """Check new values of a data container of a network.

    Parameters
    ----------
    model : BNN
        The network.
    name : str
        Name of the container; what is neither ``"X"`` nor ``"y"`` passes.
    values : array, Series, DataFrame or DataArray
        Inputs, as the network got them first; targets, or for classes their codes 0, 1, ...

    Returns
    -------
    ndarray
        What the container shall hold.

    Raises
    ------
    ValueError
        If they are not finite numbers of the network's inputs or outputs, or codes of its classes.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.data.renewed_data import new_values
    >>> model = models.gaussian(np.eye(2), ["no", "yes"], hidden=(2,), likelihood="bernoulli")
    >>> new_values(model, "y", [1, 1, 0])
    array([1, 1, 0])
    """
    if name not in CONTAINERS:
        return values
    if name == "X":
        return as_inputs(values, model.inputs)[0]
    if model.classes is None:
        targets = model.likelihood.encode(values)
        check_outputs(targets, model.outputs)
        return targets.values if model["y"].ndim == 2 else targets.values[:, 0]
    return _codes(np.ma.asarray(values), model.classes)


def check_data(model: BNN, changed: Set[str] = CONTAINERS) -> None:
    """Refuse data that a network cannot be fitted to, such as inputs without their targets.

    Parameters
    ----------
    model : BNN
        The network.
    changed : set of str
        Containers with other values than when they were checked last; by default all.

    Raises
    ------
    ValueError
        If inputs and targets are not equally many or have other labels, or they are not what
        :func:`new_values` lets pass.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.data.renewed_data import check_data
    >>> model = models.gaussian(np.eye(2), [1.0, 2.0], hidden=(2,))
    >>> model["X"].set_value(np.ones((3, 2)))
    >>> check_data(model)
    Traceback (most recent call last):
    ...
    ValueError: X has 3 cases and y has 2; give both to pm.set_data.
    """
    X, y = (model[name].get_value(borrow=True) for name in ("X", "y"))
    if len(X) != len(y):
        raise ValueError(f"X has {len(X)} cases and y has {len(y)}; give both to pm.set_data.")
    for name, values in (("X", X), ("y", y)):
        if name in changed:
            new_values(model, name, values)
    check_rows(model)


def check_rows(model: BNN) -> None:
    """Refuse as many inputs as targets if a user gave both with labels, and these differ.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.data.renewed_data import check_rows
    >>> check_rows(models.gaussian(np.eye(2), [1.0, 2.0], hidden=(2,)))
    """
    labels, others = _labels(model, "X"), _labels(model, "y")
    if labels is not None and others is not None and len(labels) == len(others):
        check_labels(labels, others)


def note_labels(model: BNN, /, **given: Any) -> None:
    """Remember the labels of what data containers got, with which the others are compared.

    Parameters
    ----------
    model : BNN
        The network, whose containers hold the values already.
    **given : array, Series, DataFrame or DataArray
        What a user gave, by the name of its container.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.data.renewed_data import check_data
    >>> y = pd.Series([1.0, 2.0], index=["a", "b"])
    >>> model = models.gaussian(y.to_frame(), y, hidden=(2,))
    >>> model.set_data("y", y[::-1])
    >>> check_data(model)
    Traceback (most recent call last):
    ...
    ValueError: X and y have the same index in another order; align them, as by y.loc[X.index].
    """
    for name in CONTAINERS & given.keys():
        held = model[name].get_value(borrow=True)
        model.__dict__.setdefault("row_labels", {})[name] = held, labels_of(given[name], len(held))


def carry_labels(model: BNN, own: BNN) -> None:
    """Give a network that was built on the same data the labels of the rows too.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.data.renewed_data import carry_labels
    >>> model = models.gaussian(np.eye(2), [1.0, 2.0], hidden=(2,))
    >>> carry_labels(model, models.gaussian(np.eye(2), [1.0, 2.0], hidden=(2,)))
    """
    known = {name: _labels(model, name) for name in CONTAINERS}
    own.__dict__["row_labels"] = {
        name: (own[name].get_value(borrow=True), labels) for name, labels in known.items()
    }


def _labels(model: BNN, name: str) -> pd.Index | None:
    """Labels of what a container holds, unless it got other values past the model."""
    held, labels = model.__dict__.get("row_labels", {}).get(name, (None, None))
    return labels if held is model[name].get_value(borrow=True) else None


def _codes(values: np.ndarray, classes: tuple) -> np.ndarray:
    """Codes of classes, if they are whole numbers from 0 to one less than there are classes."""
    wanted = f"give the codes 0 to {len(classes) - 1} of its classes, or use with_data"
    if values.ndim != 1:
        raise ValueError(f"y has shape {values.shape}, the model one class per case; {wanted}.")
    known = values.dtype.kind in "biuf" and not np.ma.getmaskarray(values).any()
    if not known or not np.isfinite(values).all() or not np.all(values == np.floor(values)):
        raise ValueError(f"y holds what is no class of the model; {wanted}.")
    outside = values[(values < 0) | (values >= len(classes))]
    if outside.size:
        raise ValueError(f"y holds the code {int(outside[0])}, no class of the model; {wanted}.")
    return np.asarray(values, dtype=np.int64)

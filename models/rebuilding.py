"""Build a network again, on other data or in another parametrization.

What a description does not hold, added terms and subclasses, would be lost without a word; such
models are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pymc as pm
from pytensor.graph.replace import graph_replace
from pytensor.graph.traversal import ancestors

from .data.renewed_data import carry_labels
from .description import CONTAINER, as_bytes

if TYPE_CHECKING:
    from .bnn import BNN


def rebuild(model: BNN, X: Any, y: Any, parametrization: str | None = None) -> BNN:
    """Build the same network on data, part of no model whose context is active.

    Parameters
    ----------
    model : BNN
        The network.
    X : array, shape (cases, inputs)
        Inputs.
    y : array
        Targets, as they are given to a model.
    parametrization : str, optional
        Another parametrization.

    Returns
    -------
    BNN

    Raises
    ------
    ValueError
        If terms were added to the model, or it is of a subclass: both would be lost. If a user's
        prior would declare something else today.
    """
    description = model.to_dict()
    check_complete(description, "the network cannot be built again")
    for name, prior in model.priors.items():
        if prior.to_dict() != description["prior"][name]:
            raise ValueError(
                f"the network cannot be built again: {type(prior).__name__}, the prior of {name}, "
                "has other code or numbers than when it was built; build it anew."
            )
    X = pd.DataFrame(np.asarray(X), columns=list(model.inputs))
    if model.classes is None:
        y = pd.DataFrame(np.asarray(y), columns=list(model.outputs))
    own = type(model)(
        X,
        y,
        model.hidden,
        model.activation.name,
        model.priors,
        model.likelihood,
        model.biases,
        parametrization or model.parametrization,
        skip=model.skip,
        classes=model.classes,
        nested=False,
    )
    take_data(own, _changed(model), "the network cannot be built again")
    return own


def rebuilt(model: BNN, parametrization: str | None = None) -> BNN:
    """Build the same network on the data that it has, whose rows keep their labels.

    Parameters
    ----------
    model : BNN
        The network.
    parametrization : str, optional
        Another parametrization.

    Returns
    -------
    BNN

    Raises
    ------
    ValueError
        As :func:`rebuild` does, and if inputs and targets are not equally many.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.rebuilding import rebuilt
    >>> rebuilt(models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))).hidden
    (2,)
    """
    given = decode(model.to_dict(), model["X"].get_value(), model["y"].get_value())
    own = rebuild(model, *given, parametrization=parametrization)
    carry_labels(model, own)
    return own


def _changed(model: BNN) -> dict[str, np.ndarray]:
    """Values of data containers that are others than when a network was built."""
    before = model.declaration.data
    return {
        name: value
        for name, value in own_data(model).items()
        if name in before and not np.array_equal(value, before[name])
    }


def own_data(model: pm.Model) -> dict[str, np.ndarray]:
    """Values of what priors and a likelihood declare as data, beside inputs and targets."""
    names = {str(data.name) for data in model.data_vars} - {"X", "y", CONTAINER}
    return {name: model[name].get_value() for name in sorted(names)}


def take_data(model: BNN, values: Mapping[str, Any], refusal: str) -> None:
    """Give data that priors or a likelihood declare the values that they have elsewhere.

    Parameters
    ----------
    model : BNN
        A network as it was built.
    values : mapping of str to array
        Values of data containers by name.
    refusal : str
        What cannot be done, for the message.

    Raises
    ------
    ValueError
        If a value is of another shape than the one it replaces.
    """
    for name, before in own_data(model).items():
        value = np.asarray(values.get(name, before))
        if value.shape != before.shape:
            raise ValueError(
                f"{refusal}: the data {name!r} have shape {value.shape}, and the network "
                f"declares them of shape {before.shape}; build it anew, with all of it."
            )
        model[name].set_value(value.astype(before.dtype))  # a copy


def take_deterministics(model: BNN, own: BNN) -> bool:
    """Declare in a network built again what a user computes in the first one from its variables.

    Parameters
    ----------
    model : BNN
        The network, with deterministic variables that a user may have added.
    own : BNN
        The same network, in another parametrization.

    Returns
    -------
    bool
        False if it is not possible: one of them hangs on a variable that is not there, or its name
        is taken.
    """
    added = [v for v in model.deterministics if v not in model.declaration.deterministics]
    if any(variable.name in own.named_vars for variable in added):
        return False
    there = {v: own[name] for name, v in model.named_vars.items() if name in own.named_vars}
    graphs = graph_replace(added, there, strict=False) if added else []
    if not set(ancestors(graphs)).isdisjoint(model.basic_RVs):
        return False
    for variable, graph in zip(added, graphs, strict=True):
        dims = model.named_vars_to_dims.get(variable.name)
        for dim in {*(dims or ())} - {None, *own.coords}:
            length = None if model.coords[dim] is not None else model.dim_lengths[dim]
            own.add_coord(dim, model.coords[dim], length=length)
        with own:
            pm.Deterministic(variable.name, graph, dims=dims)
    return True


def copied(model: BNN) -> BNN | None:
    """Build the same network on the same data; None if it holds more than its description says."""
    description, starts = model.to_dict(), model.rvs_to_initial_values.values()
    if description.get("added") or description.get("class") or any(v is not None for v in starts):
        return None
    try:
        own = rebuilt(model)
    except ValueError:  # between two set_data, when inputs and targets differ in number
        return None
    same = set(own.named_vars) == set(model.named_vars) and own.coords == model.coords
    return own if same else None


def of_another_class(model: pm.Model, description: Mapping[str, Any]) -> pm.Model:
    """Have a model that was made of a network say so, and return it."""
    model[CONTAINER].set_value(as_bytes({**description, "class": type(model).__name__}))
    return model


def decode(
    description: Mapping[str, Any], X: np.ndarray, y: np.ndarray
) -> tuple[pd.DataFrame, Any]:
    """Turn a model's data containers back into what the user gave."""
    inputs = pd.DataFrame(X, columns=list(description["inputs"]))
    classes = description["classes"]
    if classes is None:
        return inputs, pd.DataFrame(y, columns=list(description["outputs"]))
    return inputs, pd.Series(list(classes), dtype=object).to_numpy()[y]


def check_complete(description: Mapping[str, Any], refusal: str) -> None:
    """Refuse a description of a model that is more than the description says."""
    added, kind = description.get("added"), description.get("class")
    lost = [f"its class {kind}"] if kind else []
    lost += [f"what was added to it ({', '.join(added)})"] if added else []
    if lost:
        raise ValueError(
            f"{refusal}: {' and '.join(lost)} would be lost; build the model anew, with all of it."
        )

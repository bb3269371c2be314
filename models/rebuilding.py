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
    return type(model)(
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


def copied(model: BNN) -> BNN | None:
    """Build the same network on the same data; None if it holds more than its description says."""
    description, starts = model.to_dict(), model.rvs_to_initial_values.values()
    if description.get("added") or description.get("class") or any(v is not None for v in starts):
        return None
    try:
        own = rebuild(model, *model.training_data())
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

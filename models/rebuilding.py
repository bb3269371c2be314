"""Build a network again: from its draws, on other data, or in another parametrization.

What a description does not hold, added terms and subclasses, would be lost without a word; such
models are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from xarray import DataTree

from .description import description_of
from .priors.base import Prior

if TYPE_CHECKING:
    from .bnn import BNN


def load(idata: DataTree) -> BNN:
    """Rebuild the model that draws came from.

    Parameters
    ----------
    idata : DataTree
        Draws of a ``pymc_bnn`` model, from :func:`pymc_bnn.samplers.sample` or ``pm.sample``.

    Returns
    -------
    BNN
        The model, on the data it was fitted to.

    Raises
    ------
    ValueError
        If the draws carry no description of a model, or the model had terms added to it or was of
        a subclass, which cannot be rebuilt from a description.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import models
    >>> model = models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))
    >>> with model:
    ...     prior = pm.sample_prior_predictive(draws=2)
    >>> models.load(prior).hidden
    (2,)
    """
    from .bnn import BNN

    description = description_of(idata)
    _check_complete(description, "idata cannot be loaded")
    arguments = {k: v for k, v in description.items() if k not in ("inputs", "outputs")}
    arguments["prior"] = {n: Prior.from_dict(p) for n, p in arguments["prior"].items()}
    if arguments["classes"] is not None:
        arguments["classes"] = tuple(arguments["classes"])
    X = idata["constant_data"].dataset["X"].values
    y = idata["observed_data"].dataset["y_obs"].values
    return BNN(*decode(description, X, y), **arguments, nested=False)


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
        If terms were added to the model, or it is of a subclass: both would be lost.
    """
    from .bnn import BNN

    description = model.to_dict()
    _check_complete(description, "the network cannot be built again")
    X = pd.DataFrame(np.asarray(X), columns=list(model.inputs))
    if model.classes is None:
        y = pd.DataFrame(np.asarray(y), columns=list(model.outputs))
    return BNN(
        X,
        y,
        model.hidden,
        model.activation.name,
        model.priors,
        model.likelihood,
        model.biases,
        parametrization or model.parametrization,
        classes=model.classes,
        nested=False,
    )


def decode(
    description: Mapping[str, Any], X: np.ndarray, y: np.ndarray
) -> tuple[pd.DataFrame, Any]:
    """Turn a model's data containers back into what the user gave."""
    inputs = pd.DataFrame(X, columns=list(description["inputs"]))
    classes = description["classes"]
    if classes is None:
        return inputs, pd.DataFrame(y, columns=list(description["outputs"]))
    return inputs, pd.Series(list(classes), dtype=object).to_numpy()[y]


def _check_complete(description: Mapping[str, Any], refusal: str) -> None:
    """Refuse a description of a model that is more than the description says."""
    added, kind = description.get("added"), description.get("class")
    lost = [f"its class {kind}"] if kind else []
    lost += [f"what was added to it ({', '.join(added)})"] if added else []
    if lost:
        raise ValueError(
            f"{refusal}: {' and '.join(lost)} would be lost; build the model anew, with all of it."
        )

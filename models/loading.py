"""The model that draws came from."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pymc as pm
from xarray import DataTree

from .bnn import BNN
from .description import CONTAINER, attach, check_cases, description_of
from .priors.base import Prior
from .rebuilding import check_complete, decode, take_data


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
        If the draws carry no description of a model, or data of a prior of another shape than it
        declares, or lie beside other cases than those that
        :func:`pymc_bnn.samplers.sample` fitted it to, or the model had terms added to it or was of
        a subclass, or had variables fixed or observed, which cannot be rebuilt from a description.

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
    description = description_of(idata)
    for group in ("constant_data", "observed_data"):
        if group not in idata:
            raise ValueError(
                f"idata cannot be loaded: it lacks the group {group}, with the model's data; keep "
                "all groups of the draws, or give the model itself where it is asked for."
            )
    check_cases(idata)
    check_complete(description, "idata cannot be loaded")
    X = idata["constant_data"].dataset["X"].values
    y = idata["observed_data"].dataset["y_obs"].values
    model = _build(description, X, y)
    values = {str(name): array.values for name, array in idata["constant_data"].dataset.items()}
    take_data(model, values, "idata cannot be loaded")
    data = {*idata["constant_data"].dataset, *idata["observed_data"].dataset}
    if known := [variable.name for variable in model.free_RVs if variable.name in data]:
        raise ValueError(
            f"idata cannot be loaded: {', '.join(known)} had given values, as after pm.do or "
            "pm.observe, and would be free again; build the model anew, with all of it."
        )
    return model


def describe(idata: DataTree, model: pm.Model) -> DataTree:
    """Attach what the model of draws is, if it is a network, or was made of one.

    Parameters
    ----------
    idata : DataTree
        The draws.
    model : pm.Model
        A network, one that PyMC has made of it by ``pm.do``, ``pm.observe`` or a copy, or another
        model, of which nothing is said.

    Returns
    -------
    DataTree
        :func:`load` refuses it if the model has other variables than the network that it says
        it is.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from xarray import DataTree
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.description import description_of
    >>> from pymc_bnn.models.loading import describe
    >>> network = models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))
    >>> changed = pm.do(network, {"b1": np.zeros(1)})
    >>> description_of(describe(DataTree(), changed))["added"]
    ['a value of b1']
    """
    if isinstance(model, BNN):
        return attach(idata, model.to_dict())
    try:
        description = json.loads(model[CONTAINER].get_value().tobytes())
        if not description.get("class") and not description.get("added"):
            description.pop("added", None)
            if changes := _changes(description, model):
                description["added"] = changes
    except Exception:  # no network; draws that have been made are never lost
        return idata
    return attach(idata, description)


def _changes(description: Mapping[str, Any], model: pm.Model) -> list[str]:
    """What a model has that the network it was made of has not, and the other way round."""
    own = _build(description, *(model[name].get_value() for name in ("X", "y")))
    here, there = _of_chance(model), _of_chance(own)
    return [*sorted(here - there), *(f"a value of {name}" for name in sorted(there - here))]


def _of_chance(model: pm.Model) -> set[str]:
    """Names of all random variables and potentials, the observed ones told from the others."""
    observed = {f"data of {variable.name}" for variable in model.observed_RVs}
    return observed | {str(variable.name) for variable in (*model.free_RVs, *model.potentials)}


def _build(description: Mapping[str, Any], X: np.ndarray, y: np.ndarray) -> BNN:
    arguments = {k: v for k, v in description.items() if k not in ("inputs", "outputs")}
    arguments["prior"] = {n: Prior.from_dict(p) for n, p in arguments["prior"].items()}
    if arguments["classes"] is not None:
        arguments["classes"] = tuple(arguments["classes"])
    return BNN(*decode(description, X, y), **arguments, nested=False)

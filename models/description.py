"""A model's description of itself, kept with its draws.

The description is JSON. ``pymc_bnn.samplers.sample`` puts it into ``idata.attrs``; so that draws of
a plain ``pm.sample`` can be loaded as well, the model also carries it as a data container of
bytes, which PyMC saves in the group ``constant_data``.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np
from xarray import DataTree

ATTRIBUTE = "pymc_bnn_model"
CONTAINER = "description"
CASES = "pymc_bnn_cases"  # digest of the training cases
COMPUTED = "inputs", "outputs", "classes", "hidden", "activation", "biases", "likelihood", "skip"


def as_bytes(description: Mapping[str, Any]) -> np.ndarray:
    """Encode a description as an array of bytes, shape (length,), dtype uint8."""
    return np.frombuffer(json.dumps(description).encode(), dtype=np.uint8).copy()


def attach(idata: DataTree, description: Mapping[str, Any]) -> DataTree:
    """Put a description into ``idata.attrs`` and return ``idata``.

    Parameters
    ----------
    idata : DataTree
        Draws of a model.
    description : mapping
        What :meth:`pymc_bnn.models.BNN.to_dict` returned.

    Returns
    -------
    DataTree

    Examples
    --------
    >>> from xarray import DataTree
    >>> from pymc_bnn.models.description import attach, description_of
    >>> description_of(attach(DataTree(), {"hidden": [8]}))
    {'hidden': [8]}
    """
    idata.attrs[ATTRIBUTE] = json.dumps(description)
    if (digest := _digest_of_cases(idata)) is not None:
        idata.attrs[CASES] = digest
    return idata


def check_cases(idata: DataTree) -> None:
    """Refuse draws beside other cases than those that the model was fitted to.

    Parameters
    ----------
    idata : DataTree
        Draws of a model.

    Raises
    ------
    ValueError
        If its data have changed since a description was attached.

    Examples
    --------
    >>> from xarray import DataTree
    >>> from pymc_bnn.models.description import check_cases
    >>> check_cases(DataTree())
    """
    if idata.attrs.get(CASES) not in (None, _digest_of_cases(idata)):
        raise ValueError(
            "idata's constant_data and observed_data are not the cases that the model was fitted "
            "to, as after sample_posterior_predictive(extend_inferencedata=True) with new data; "
            "take the draws as they were sampled, and predict by the model's predict."
        )


def check_same_network(idata: DataTree, description: Mapping[str, Any]) -> None:
    """Refuse draws that say they are of a network that computes something else.

    Priors of weights and parametrizations may differ, as they have no part in predictions.

    Parameters
    ----------
    idata : DataTree
        Draws of a model; without a description they are taken as they are.
    description : mapping
        Of the model that is to predict from them.

    Raises
    ------
    ValueError
        If inputs, outputs, classes, layers, activation, biases, likelihood (with the prior of its
        hyperparameters) or direct connections are not the same.

    Examples
    --------
    >>> from xarray import DataTree
    >>> from pymc_bnn.models.description import attach, check_same_network
    >>> draws = attach(DataTree(), {"activation": "tanh"})
    >>> check_same_network(draws, {"activation": "relu"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: idata holds draws of another network: of activation 'tanh', the model has 'relu'...
    """
    try:
        there = description_of(idata)
    except ValueError:
        return
    here = json.loads(json.dumps(description))
    for name in COMPUTED:
        found, own = there.get(name), here.get(name)
        if name == "outputs" and len(own or ()) < 2:
            continue
        if name in ("inputs", "outputs") and any(unnamed(names) for names in (found, own)):
            continue
        if isinstance(found, dict) and isinstance(own, dict):  # older draws know fewer settings
            found = {key: value for key, value in found.items() if key in own}
            own = {key: value for key, value in own.items() if key in found}
        if found != own:
            raise ValueError(
                f"idata holds draws of another network: of {name} {found!r}, the model has "
                f"{own!r}; predict by the model that was sampled, or by models.load(idata)."
            )


def unnamed(names: Any) -> bool:
    """Whether names of inputs or outputs are numbers that count them, or there are none."""
    return names is None or list(names) == list(range(len(names)))


def check_same_cases(idata: DataTree, X: np.ndarray, y: np.ndarray) -> None:
    """Refuse a model that holds other cases than those beside the draws.

    Parameters
    ----------
    idata : DataTree
        Draws of a model; without data beside them they are taken as they are.
    X : ndarray, shape (cases, inputs)
        Inputs that the model holds.
    y : ndarray, shape (cases,) or (cases, outputs)
        Its targets, encoded.

    Raises
    ------
    ValueError
        If inputs or targets differ.

    Examples
    --------
    >>> import numpy as np
    >>> from xarray import DataTree
    >>> from pymc_bnn.models.description import check_same_cases
    >>> check_same_cases(DataTree(), np.zeros((2, 1)), np.zeros(2))
    """
    if _digest_of_cases(idata) not in (None, _digest(X, y)):
        raise ValueError(
            "the model holds other cases than those beside the draws, whose training cases are "
            "asked for; take the model that was sampled or models.load(idata), or give X and y."
        )


def _digest_of_cases(idata: DataTree) -> str | None:
    """Digest of the inputs and targets that PyMC puts beside draws."""
    found = []
    for group, name in (("constant_data", "X"), ("observed_data", "y_obs")):
        if group not in idata or name not in idata[group].dataset:
            return None
        found.append(idata[group].dataset[name].values)
    return _digest(*found)


def _digest(*arrays: np.ndarray) -> str:
    found = sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array, float).tobytes())
    return found.hexdigest()


def description_of(idata: DataTree) -> dict[str, Any]:
    """Read the description that draws carry.

    Parameters
    ----------
    idata : DataTree
        Draws of a ``pymc_bnn`` model, also after saving and opening.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If there is none.
    """
    if ATTRIBUTE in idata.attrs:
        return json.loads(idata.attrs[ATTRIBUTE])
    if "constant_data" in idata:
        constants = idata["constant_data"].dataset
        if CONTAINER in constants:
            return json.loads(constants[CONTAINER].values.astype(np.uint8).tobytes())
    raise ValueError(
        "idata holds no pymc_bnn model: it has neither the attribute "
        f"{ATTRIBUTE!r} nor constant_data[{CONTAINER!r}]."
    )

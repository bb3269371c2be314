"""A model's description of itself, kept with its draws.

The description is JSON. ``pymc_bnn.samplers.sample`` puts it into ``idata.attrs``; so that draws of
a plain ``pm.sample`` can be loaded as well, the model also carries it as a data container of
bytes, which PyMC saves in the group ``constant_data``.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from xarray import DataTree

ATTRIBUTE = "pymc_bnn_model"
CONTAINER = "description"


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
    return idata


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

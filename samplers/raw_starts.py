"""Starts of raw weights, where values of the weights were given and another form is sampled."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pymc.blocking import PointType
from pytensor.graph.basic import Variable
from pytensor.graph.replace import graph_replace

from ..models.bnn import BNN
from .given_starts import points_of
from .potential.constants import constant_values
from .starts import chain_starts

SURE = ("support_point", "moment")  # words for starts that are no random numbers


def raw_starts(model: BNN, initvals: Any) -> Any:
    """Turn given weights into raw ones, which are weights over their scale at the same start.

    Parameters
    ----------
    model : BNN
        A network whose raw weights are free.
    initvals : dict or sequence of dict, optional
        As for ``pm.sample``, of the same network in its centred parametrization.

    Returns
    -------
    dict, list of dict or None
        As for ``pm.sample``, of this network.

    Raises
    ------
    ValueError
        If weights, or what stands beside them, are given by random numbers or expressions.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.samplers.raw_starts import raw_starts
    >>> model = models.normal_inverse_gamma(np.eye(3), np.arange(3.0), hidden=(),
    ...                                     parametrization="noncentered")
    >>> start = raw_starts(model, {"b0": [3.0], "b0_precision": 4.0})
    >>> start["b0_raw"].round(3), start["b0_precision"]
    (array([6.]), 4.0)
    """
    if initvals is None:
        return None
    points = [_raw(model, point) for point in points_of("initvals", initvals)]
    return points[0] if isinstance(initvals, Mapping) else points


def _raw(model: BNN, point: Mapping | None) -> dict[str, Any] | None:
    if point is None:
        return None
    given = {str(getattr(key, "name", key)): value for key, value in point.items()}
    found = {name: given.pop(name) for name in model.groups if name in given}
    weights = {name: value for name, value in found.items() if value is not None}
    if not weights:
        return given
    for name, value in weights.items():
        if not np.issubdtype(np.asarray(value).dtype, np.number):
            raise ValueError(f"initvals: {name}={value!r}: give numbers, as weights are scaled.")
    for name, value in given.items():
        if isinstance(value, Variable) or (isinstance(value, str) and value not in SURE):
            raise ValueError(f"initvals: {name}={value!r}: give a number, as weights depend on it.")
    [start] = chain_starts(model, 1, np.random.default_rng(0), given, "NUTS")
    scales = _weights_of_ones(model, list(weights), start)
    raw = {f"{name}_raw": np.asarray(weights[name]) / scales[name] for name in weights}
    return given | raw


def _weights_of_ones(model: BNN, groups: list[str], start: PointType) -> dict[str, np.ndarray]:
    """Scales of weights at a point: what weights are where all raw ones are 1."""
    ones = {f"{name}_raw": np.ones(np.shape(start[f"{name}_raw"])) for name in groups}
    weights = model.replace_rvs_by_values([model[name] for name in groups])
    numbers = {value: pt.constant((start | ones)[value.name]) for value in model.value_vars}
    used = graph_replace(weights, numbers, strict=False)
    return dict(zip(groups, constant_values(used), strict=True))

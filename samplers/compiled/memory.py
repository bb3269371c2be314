"""Remember what was found out about a model, for as long as the model lives unchanged."""

from collections.abc import Callable, Hashable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from pytensor.graph.basic import Variable
from pytensor.graph.traversal import ancestors
from pytensor.tensor.type import TensorType

from .engine import compiles

_FOUND: WeakKeyDictionary[pm.Model, tuple[Hashable, dict[Hashable, Any]]] = WeakKeyDictionary()


@compiles
def remembered[T](model: pm.Model, key: Hashable, find: Callable[[], T]) -> T:
    """Return what ``find`` returned the first time for this model and key.

    Everything is forgotten as soon as the model has another variable, another initial value, or
    data of another shape.

    Parameters
    ----------
    model : pm.Model
        The model.
    key : hashable
        What is asked for.
    find : callable
        Finds it out.

    Returns
    -------
    object

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.compiled.memory import remembered
    >>> model = pm.Model()
    >>> remembered(model, "answer", lambda: 42), remembered(model, "answer", lambda: 43)
    (42, 42)
    """
    state = _state(model)
    if model not in _FOUND or _FOUND[model][0] != state:
        _FOUND[model] = state, {}
    found = _FOUND[model][1]
    if key not in found:
        found[key] = find()
    return found[key]


def _state(model: pm.Model) -> Hashable:
    """What changes when a model does."""
    variables = (*model.basic_RVs, *model.potentials)
    data = (np.shape(v.get_value(borrow=True)) for v in model.data_vars if hasattr(v, "get_value"))
    starts = tuple(map(_comparable, model.rvs_to_initial_values.values()))
    lengths = (int(n.get_value()) for n in model.dim_lengths.values() if hasattr(n, "get_value"))
    return tuple(map(id, variables)), tuple(data), tuple(lengths), starts


def _comparable(start: Any) -> Hashable:
    """Initial values of a variable as PyMC keeps them: none, words, numbers or a graph."""
    if start is None or isinstance(start, str):
        return start
    return id(start) if isinstance(start, Variable) else np.asarray(start).tobytes()


@compiles
def initial_point(model: pm.Model) -> PointType:
    """PyMC's initial point of a model, which takes it a while to compile each time."""
    data = remembered(model, "data of the initial point", lambda: _data_of_starts(model))
    values = tuple(np.asarray(one.get_value(borrow=True)).tobytes() for one in data)
    last: dict[tuple, PointType] = remembered(model, "initial point", dict)
    if values not in last:
        last.clear()  # of values that were changed
        last[values] = model.initial_point(0)
    return dict(last[values])


def _data_of_starts(model: pm.Model) -> list[Any]:
    """What priors read, without random numbers."""
    starts = (v for v in model.rvs_to_initial_values.values() if isinstance(v, Variable))
    found = dict.fromkeys(ancestors([*model.free_RVs, *starts]))
    return [v for v in found if hasattr(v, "get_value") and isinstance(v.type, TensorType)]

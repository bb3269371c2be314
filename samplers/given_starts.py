"""Starting points that users give: of the model's variables and shapes, as many as chains."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pytensor.graph.basic import Variable
from pytensor.graph.traversal import ancestors

from ..models.data.choices import choose
from .compiled.memory import initial_point
from .potential.constants import constant_values


def check_points(argument: str, given: Any, chains: int) -> None:
    """Refuse points that are neither one for all chains nor one for each."""
    points_of(argument, given)
    if given is not None and not isinstance(given, Mapping) and len(given) != chains:
        raise ValueError(
            f"{argument} has {len(given)} point(s) and chains={chains}; give one for each chain."
        )


def points_of(argument: str, given: Any) -> Sequence[Mapping | None]:
    """Points that were given, one for all or one for each chain, or say that they are none."""
    each = [given] if isinstance(given, Mapping) else [] if given is None else given
    listed = isinstance(each, Sequence | np.ndarray) and not isinstance(each, str)
    if not listed or not all(isinstance(point, Mapping | None) for point in each):
        raise ValueError(f"{argument}={given!r}: give values by the names of variables.")
    return each


def check_initvals(model: pm.Model, initvals: Any, argument: str = "initvals") -> None:
    """Refuse values for variables that a model lacks, of another shape, or out of bounds.

    Parameters
    ----------
    model : pm.Model
        The model.
    initvals : dict or sequence of dict, optional
        As for ``pm.sample``.
    argument : str
        What the user called them.

    Raises
    ------
    ValueError
        It names the variable.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.given_starts import check_initvals
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x", shape=2)
    >>> check_initvals(model, {"x": [1.0, 2.0, 3.0]})
    Traceback (most recent call last):
        ...
    ValueError: initvals: x has shape (3,), and (2,) in the model.
    """
    each = points_of(argument, initvals)
    shapes = {name: np.shape(value) for name, value in initial_point(model).items()}
    shapes |= {v.name: v.type.shape for v in model.free_RVs if None not in v.type.shape}
    known = {str(variable.name) for variable in model.free_RVs} | set(shapes)
    for point in each:
        for key, value in (point or {}).items():
            name = choose(f"variable in {argument}", str(getattr(key, "name", key)), known)
            if value is None or isinstance(value, str | Variable) or _has_symbols(value):
                continue
            if np.shape(value) == () and not np.isfinite(value):
                raise ValueError(f"{argument}: {name} cannot have the value {value}.")
            if name in shapes:
                _check_shape(f"{argument}: {name}", np.shape(value), shapes[name])
            if not np.isfinite(_unconstrained(model, name, value)).all():
                raise ValueError(f"{argument}: {name} cannot have the value {value}.")


def _has_symbols(value: Any) -> bool:
    return isinstance(value, list | tuple) and any(isinstance(one, Variable) for one in value)


def _check_shape(words: str, given: tuple[int, ...], shape: tuple[int, ...]) -> None:
    if given != shape:
        raise ValueError(f"{words} has shape {given}, and {shape} in the model.")


def _unconstrained(model: pm.Model, name: str, value: Any) -> np.ndarray:
    """Where a value is on the scale that is sampled, if its bounds do not depend on others'."""
    given = np.asarray(value, dtype=float)
    variable = next((v for v in model.free_RVs if v.name == name), None)
    if variable is None:  # given on this scale
        return given
    transform, parents = model.rvs_to_transforms[variable], variable.owner.inputs
    if transform is None or (transform.ndim_supp and given.ndim != variable.ndim):
        return given
    if not set(ancestors(parents)).isdisjoint(model.basic_RVs):
        return given
    with np.errstate(all="ignore"):
        [found] = constant_values([transform.forward(pt.as_tensor(given), *parents)])
    return found

"""What a network declares in its model, variable by variable.

Fast paths and rebuilt models are right for exactly these variables. What they are is recorded by
identity when they are declared, so that nothing has to be inferred from names.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import pytensor
from pytensor.graph.basic import Variable
from pytensor.tensor.variable import TensorVariable

from .priors.base import Group, Prior


@dataclass(frozen=True, eq=False)
class Declaration:
    """The variables of a network, with their roles.

    Parameters
    ----------
    weights : mapping of str to TensorVariable
        The free variable behind each group of weights: the weights, or their raw form.
    computed : mapping of str to TensorVariable
        The weights of each group that the network computes with.
    observed : tuple of TensorVariable
        What the likelihood observes.
    variables : tuple of TensorVariable
        All random variables and potentials, those above and the hyperparameters.
    deterministics : tuple of TensorVariable
        What is computed from them and recorded.
    data : mapping of str to array
        First values of what else is declared as data than inputs and targets.
    """

    weights: Mapping[str, TensorVariable]
    computed: Mapping[str, TensorVariable]
    observed: tuple[TensorVariable, ...]
    variables: tuple[TensorVariable, ...]
    deterministics: tuple[TensorVariable, ...]
    data: Mapping[str, Any]


def check_precision() -> None:
    """Refuse PyTensor's single precision, in which no kernel and no check of one is.

    Raises
    ------
    ValueError
        If ``floatX`` is another than float64.

    Examples
    --------
    >>> from pymc_bnn.models.declaration import check_precision
    >>> check_precision()
    """
    if pytensor.config.floatX != "float64":
        raise ValueError(
            f"PyTensor's floatX is {pytensor.config.floatX}, and models are sampled in float64; "
            "leave it out of PYTENSOR_FLAGS, and give precision='float32' for faster passes."
        )


def check_unnamed(model: pm.Model) -> None:
    """Refuse a model whose variables get another model's name in front of theirs.

    Parameters
    ----------
    model : pm.Model
        A model that has just been made.

    Raises
    ------
    ValueError
        If it was made in the context of a model that has a name.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.models.declaration import check_unnamed
    >>> check_unnamed(pm.Model())
    """
    if model.prefix:
        outer = model.prefix.removesuffix("::")
        raise ValueError(
            f"a BNN cannot be a part of the model named {outer!r}; build it outside, or "
            "use models.network there."
        )


def random_variables(model: pm.Model) -> tuple[TensorVariable, ...]:
    """All that has a part in a model's density: free and observed variables, and potentials."""
    return (*model.free_RVs, *model.observed_RVs, *model.potentials)


def free_variable(model: pm.Model, name: str) -> TensorVariable:
    """Return the free variable behind a group of weights.

    Parameters
    ----------
    model : pm.Model
        The model.
    name : str
        Its name.

    Returns
    -------
    TensorVariable

    Raises
    ------
    ValueError
        If the prior of the group declared none of this name.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.declaration import free_variable
    >>> model = models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))
    >>> free_variable(model, "w0").name
    'w0'
    """
    found = [variable for variable in model.free_RVs if variable.name == name]
    if not found:
        group = name.removesuffix("_raw")
        centred = 'leave parametrization="noncentered" out, ' if group != name else ""
        raise ValueError(
            f"the prior of {group} declares no free variable {name!r}, which BNN needs; declare "
            f"it, {centred}or build the model around models.network."
        )
    return found[0]


def added_names(model: pm.Model, declaration: Declaration) -> tuple[str, ...]:
    """Names of random variables and potentials that a model has beyond a declaration.

    Parameters
    ----------
    model : pm.Model
        The model.
    declaration : Declaration
        What its network declared.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.declaration import added_names
    >>> with models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,)) as model:
    ...     _ = pm.Potential("ridge", -abs(model["w0"]).sum())
    >>> added_names(model, model.declaration)
    ('ridge',)
    """
    declared = set(declaration.variables)
    return tuple(str(v.name) for v in random_variables(model) if v not in declared)


def declared(
    prior: Prior, group: Group, scale: TensorVariable | np.float64, parametrization: str
) -> TensorVariable:
    """Declare the weights of a group, and refuse weights that do not have its shape.

    Parameters
    ----------
    prior : Prior
        Their prior.
    group : Group
        The weights.
    scale : TensorVariable or float
        What its :meth:`Prior.scale` returned for them.
    parametrization : {"centered", "noncentered"}
        Of the free variables.

    Returns
    -------
    TensorVariable
        The weights.

    Raises
    ------
    ValueError
        If the scale is a number that is not positive, or has another shape than the weights. If
        these have another number of dimensions, or another size in one that is known, or are not
        the model's variable of the group's name.
    """
    if type(prior).declare is Prior.declare:
        _check_scale(prior, group, scale)
    weights = prior.declare(group, scale, parametrization)
    model = pm.modelcontext(None)
    if model.named_vars.get(model.name_for(group.name)) is not weights:
        raise ValueError(
            f"{type(prior).__name__}.declare returns something else than the model's variable "
            f"{group.name}, of which predictions are made; return that variable, or with raw "
            f"weights pm.Deterministic({group.name!r}, ...)."
        )
    found = weights.type.shape
    if len(found) != len(group.shape) or any(
        size not in (None, wanted) for size, wanted in zip(found, group.shape, strict=True)
    ):
        raise ValueError(
            f"{type(prior).__name__}.declare: weights {group.name} have shape {found} where the "
            f"network needs {group.shape}; give the variable dims=group.dims."
        )
    return weights


def _check_scale(prior: Prior, group: Group, scale: TensorVariable | np.float64) -> None:
    """Refuse a scale without a density, and one that NumPy would not stretch to the weights."""
    who = f"{type(prior).__name__}.scale"
    given: Any = scale
    symbolic = isinstance(given, Variable)
    shape = tuple(given.type.shape) if symbolic else np.shape(given)
    wanted = group.shape[len(group.shape) - len(shape) :]
    if len(shape) > len(group.shape) or any(
        size not in (None, 1, full) for size, full in zip(shape, wanted, strict=True)
    ):
        raise ValueError(
            f"{who} returned shape {shape} for {group.name}, whose weights have {group.shape}; "
            "return a scale that NumPy broadcasts to these."
        )
    if not symbolic and not np.all((np.asarray(given) > 0) & np.isfinite(given)):
        raise ValueError(
            f"{who} returned {scale} for {group.name}; return a standard deviation, which is a "
            "positive number."
        )

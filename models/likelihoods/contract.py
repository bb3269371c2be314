"""What a likelihood that a user wrote has to keep, checked where a mistake would be silent.

Its density is declared twice: in the model's graph, which is sampled, and on NumPy arrays of draws,
by which cases are predicted and scored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np
import pytensor
import xarray as xr
from pymc.model.transform.conditioning import remove_value_transforms
from pytensor.graph.basic import Variable
from pytensor.graph.traversal import ancestors
from pytensor.tensor.random.type import RandomType

from .base import Likelihood

if TYPE_CHECKING:
    from ..bnn import BNN

OBSERVED = "y_obs"
ROOM = __name__.removesuffix("likelihoods.contract")
TOLERANCE = 1e-6  # of log densities, relative or in nats
FROM_OUTPUTS = ("log_density", "log_density_of_trained", "simulate", "predicted", "probability")
_COMPARED: WeakSet[BNN] = WeakSet()


def check_observed(model: BNN) -> None:
    """Refuse a likelihood that declares anything else than one observed variable, ``y_obs``.

    Parameters
    ----------
    model : BNN
        A model whose likelihood has just declared its variables.

    Raises
    ------
    ValueError
        If it declares none or another one.
    """
    found = [str(variable.name) for variable in model.observed_RVs]
    if found != [model.name_for(OBSERVED)]:
        raise ValueError(
            f"{type(model.likelihood).__name__}.observe declares "
            f"{', '.join(found) or 'nothing'} as observed; declare one observed variable, "
            f"{OBSERVED}."
        )


def check_functions(likelihood: Likelihood) -> None:
    """Refuse a likelihood that inherits functions on arrays from one that observes otherwise.

    Parameters
    ----------
    likelihood : Likelihood
        The likelihood.

    Raises
    ------
    ValueError
        If it observes by itself, and inherits the density, draws or predictions of another.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.likelihoods.contract import check_functions
    >>> check_functions(models.Bernoulli())
    """
    kind = type(likelihood)
    observes = _owner(kind, "observe")
    if is_ours(observes):
        return
    for name in FROM_OUTPUTS:
        owner = _owner(kind, name)
        if owner is not Likelihood and not issubclass(owner, observes):
            raise ValueError(
                f"{kind.__name__} overrides observe, and inherits {name} for another "
                f"distribution; define {name} too."
            )


def is_ours(kind: type) -> bool:
    """Whether a class is one of those of ``models``, and not one that a user wrote."""
    return kind.__module__.startswith(ROOM)


def _owner(kind: type, name: str) -> type:
    """Class of which an object of some class has an attribute."""
    return next(base for base in kind.__mro__ if name in vars(base))


def of_shape(
    values: np.ndarray, shape: tuple[int, ...], likelihood: Likelihood, function: str
) -> np.ndarray:
    """Return what a likelihood's function returned, if it has the shape that it must have.

    Parameters
    ----------
    values : ndarray
        What it returned.
    shape : tuple of int
        What shape it must have.
    likelihood : Likelihood
        The likelihood.
    function : str
        Name of the function, for the message.

    Raises
    ------
    ValueError
        If it has another one: NumPy would stretch it in silence.
    """
    if np.shape(values) != shape:
        raise ValueError(
            f"{type(likelihood).__name__}.{function} returned shape {np.shape(values)}, and "
            f"{shape} is needed here; sum or keep its last axis accordingly."
        )
    return values


def predicted_names(model: BNN) -> list[str]:
    """What the likelihood says of targets besides draws of them, by name."""
    likelihood, units = model.likelihood, len(model.output_units)
    shapes = {name: model[name].type.shape for name in likelihood.hyperparameters}
    draws = {name: np.ones([1, *(n or 1 for n in shape)]) for name, shape in shapes.items()}
    return list(likelihood.predicted(np.zeros((1, 1, units)), draws))


def mean_name(model: BNN) -> str:
    """Which variable that predictions summarize has the mean of targets as its mean.

    Likelihoods from outside the package say it by a ``mean`` among what they predict; else only
    draws of targets are known to have it.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.likelihoods.contract import mean_name
    >>> [mean_name(models.BNN([[0.0], [1.0]], [0, 1], (), likelihood=name))
    ...  for name in ("gaussian_noise", "poisson", "bernoulli")]
    ['f', 'rate', 'probability']
    """
    if model.likelihood.classifies:
        return "probability"
    if not is_ours(type(model.likelihood)):
        return "mean" if "mean" in predicted_names(model) else "y"
    return "rate" if model.likelihood.counts else "f"


def _density_of_observed(model: BNN) -> tuple[Any, list[Variable]]:
    """Log density of the observed variable, elementwise, and values of variables that it needs.

    There is none where PyMC cannot tell it, or draws at random what it should be given.
    """
    plain = remove_value_transforms(model)  # so that draws are the values of variables
    try:
        [density] = plain.logp(vars=plain.observed_RVs, sum=False)
    except NotImplementedError:
        return None, []
    above = list(ancestors([density]))
    if any(isinstance(variable.type, RandomType) for variable in above):
        return None, []
    return density, [value for value in plain.value_vars if value in above]


def compare_densities(model: BNN, idata: xr.DataTree) -> None:
    """Hold a user's ``log_density`` against what ``observe`` declares, once for each model.

    It is done at one draw, for the training cases. Likelihoods of the package are tested; those
    whose cases depend on each other given the draws have another density on arrays.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws; those that lack what the density needs are not compared.

    Raises
    ------
    ValueError
        If they differ.
    """
    likelihood = model.likelihood
    ours = is_ours(_owner(type(likelihood), "log_density"))
    if model in _COMPARED or ours or not likelihood.independent:
        return
    one = idata["posterior"].dataset.isel(chain=slice(1), draw=slice(1))
    density, needed = _density_of_observed(model)
    if density is None or any(variable.name not in one for variable in needed):
        return
    _COMPARED.add(model)
    tree = xr.DataTree.from_dict({"posterior": one})
    evaluate = pytensor.function(needed, density, mode="FAST_COMPILE")
    found = evaluate(*(one[variable.name].values[0, 0] for variable in needed))
    declared = found.reshape(len(found), -1).sum(axis=1)
    arrays = model.log_likelihood(tree).values.ravel()
    apart = ~np.isclose(arrays, declared, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
    if not apart.any():
        return
    case = int(np.argmax(apart))
    _COMPARED.discard(model)
    raise ValueError(
        f"{type(likelihood).__name__}.log_density is not the density that observe declares: "
        f"{arrays[case]:.6g} for training case {case}, where PyMC has {declared[case]:.6g}; mend "
        "one of both."
    )

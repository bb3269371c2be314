"""What a likelihood that a user wrote has to keep, checked where a mistake would be silent.

Its density is declared twice: in the model's graph, which is sampled, and on NumPy arrays of draws,
by which cases are predicted and scored. Whether both are the same is for :mod:`.comparing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from pytensor.tensor.variable import TensorVariable

from ..class_digest import is_ours
from .base import Draws, Likelihood

if TYPE_CHECKING:
    from ..bnn import BNN

OBSERVED = "y_obs"
FROM_OUTPUTS = ("log_density", "log_density_of_trained", "simulate", "predicted", "probability")


def check_observed(model: BNN, before: Sequence[TensorVariable]) -> None:
    """Refuse a likelihood that declares anything else than one observed variable, ``y_obs``.

    Parameters
    ----------
    model : BNN
        A model whose likelihood has just declared its variables.
    before : sequence of TensorVariable
        What was observed before.

    Raises
    ------
    ValueError
        If it declares none or another one, or a prior observed something.
    """
    if before:
        raise ValueError(
            f"a prior declares {', '.join(str(v.name) for v in before)} as observed; add what is "
            "observed beside the targets to the model once it is built, in `with model:`."
        )
    found = [str(variable.name) for variable in model.observed_RVs]
    if found != [model.name_for(OBSERVED)]:
        raise ValueError(
            f"{type(model.likelihood).__name__}.observe declares "
            f"{', '.join(found) or 'nothing'} as observed; declare one observed variable, "
            f"{OBSERVED}."
        )
    if not is_ours(owner_of(type(model.likelihood), "observe")):
        _check_targets(model)
        _check_hyperparameters(model)


def _check_targets(model: BNN) -> None:
    """Refuse to observe something else than the targets: those beside the draws are taken for y."""
    [value] = [model.rvs_to_values[variable] for variable in model.observed_RVs]
    y = model["y"]
    if value is y:
        return
    found = value.eval(mode="FAST_COMPILE")
    if not np.array_equal(np.ravel(found), np.ravel(y.get_value())):
        raise ValueError(
            f"{type(model.likelihood).__name__}.observe observes a function of y; observe y itself "
            "by its own distribution, as densities and predictions are those of y."
        )


def _check_hyperparameters(model: BNN) -> None:
    """Refuse names of hyperparameters that are no variables."""
    name = type(model.likelihood).__name__
    for given in model.likelihood.hyperparameters:
        if model.name_for(given) not in model.named_vars:
            own = [str(v.name) for v in model.free_RVs if v.name not in model.groups]
            raise ValueError(
                f"{name}.hyperparameters names {given!r}, which observe does not declare; name "
                f"variables of the model, such as {', '.join(own) or 'those that it declares'}."
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
    observes = owner_of(kind, "observe")
    if is_ours(observes):
        return
    for name in FROM_OUTPUTS:
        owner = owner_of(kind, name)
        if owner is not Likelihood and not issubclass(owner, observes):
            raise ValueError(
                f"{kind.__name__} overrides observe, and inherits {name} for another "
                f"distribution; define {name} too."
            )


def owner_of(kind: type, name: str) -> type:
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


def simulated(model: BNN, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
    """Targets that a model's likelihood draws given units of the last layer, if of their shape."""
    likelihood, cells = model.likelihood, f.shape[:2]
    each = cells if likelihood.classifies else (*cells, len(model.outputs))
    return of_shape(likelihood.simulate(f, draws, rng), each, likelihood, "simulate")


def predicted_names(model: BNN) -> list[str]:
    """What the likelihood says of targets besides draws of them, by name; none of them ``y``."""
    likelihood, units = model.likelihood, len(model.output_units)
    shapes = {name: model[name].type.shape for name in likelihood.hyperparameters}
    draws = {name: np.ones([1, *(n or 1 for n in shape)]) for name, shape in shapes.items()}
    names = list(likelihood.predicted(np.zeros((1, 1, units)), draws))
    if "y" in names:
        raise ValueError(
            f"{type(likelihood).__name__}.predicted returns 'y', which draws of targets are; give "
            "it another name."
        )
    return names


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
    return model.likelihood.mean_name

"""Choose what JAX moves, from the arguments of :func:`...sampling.sample`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pymc as pm

from ....models.bnn import BNN
from ...options import check_whole
from ...recommended import for_nuts
from .energies import WHO
from .step import ReplicasTogether

TAKEN = {
    "n_leapfrog": "n_leapfrog",
    "thin": "iterations_per_swap",
    "step_scale": "step_scale",
    "target_accept": "target_accept",
    "metric": "metric",
}


def model_for_jax(model: pm.Model, given: Mapping[str, Any]) -> pm.Model:
    """Refuse what does not go with JAX, and return the model in the form that it samples.

    Parameters
    ----------
    model : pm.Model
        The model.
    given : mapping
        Arguments of :func:`...sampling.sample` that were given; ``None`` stands for none.

    Returns
    -------
    pm.Model
        A network with learnt scales in the non-centred parametrization, as for NUTS, since its
        hyperparameters are moved along with its weights.

    Raises
    ------
    ValueError
        It names the argument.
    """
    if given.get("step") is not None:
        raise ValueError(f"{WHO} moves all variables by a step of its own; leave step out.")
    if given.get("method", "auto") != "auto":
        raise ValueError(
            f"method={given['method']!r}: {WHO} moves all variables by trajectories of a fixed "
            "length; leave method out."
        )
    if given.get("cores") not in (None, 1):
        raise ValueError(
            f"cores={given['cores']!r}: {WHO} runs chains in turn, on all of its device; leave "
            "cores out."
        )
    if given.get("temperature", 1.0) != 1:
        raise ValueError(
            f"temperature={given['temperature']!r}: {WHO} takes a ladder with 1 in it, such as "
            "[1, 2, 4]."
        )
    if isinstance(model, BNN) and model.parametrization == "centered":
        return for_nuts(model)
    return model


def step_for_jax(
    model: pm.Model, ladder: np.ndarray | None, record: bool, options: Mapping[str, Any]
) -> ReplicasTogether:
    """Build the step, with options of steps as :func:`...sampling.sample` takes them.

    Parameters
    ----------
    model : pm.Model
        The model, of :func:`model_for_jax`.
    ladder : ndarray or None
        Temperatures; by default 1 alone.
    record : bool
        Whether draws of all temperatures are kept.
    options : mapping
        Those of :data:`TAKEN`; ``thin`` is the number of trajectories between two attempts to swap.

    Returns
    -------
    ReplicasTogether

    Raises
    ------
    ValueError
        If an option is another one.
    """
    if other := [name for name in options if name not in TAKEN]:
        raise ValueError(f"{', '.join(other)}: {WHO} takes {', '.join(TAKEN)} alone; leave it out.")
    check_whole(1, thin=options.get("thin", 1))
    temperatures = [1.0] if ladder is None else ladder.tolist()
    chosen = {TAKEN[name]: value for name, value in options.items()}
    return ReplicasTogether(temperatures, record=record, model=model, **chosen)

"""Sort the options of :func:`.sampling.sample` into those of steps and those of ``pm.sample``."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
import pymc as pm
from pymc.step_methods import STEP_METHODS

from ..models.data.choices import choose
from .steps.gibbs_hmc import GibbsHMC
from .steps.nuts import NUTS
from .steps.static_hmc import StaticHMC

RECOMMENDED: tuple[type, ...] = (GibbsHMC, StaticHMC, NUTS)
# which sample sets itself, or which are for steps that PyMC chooses
OURS = {"draws", "tune", "chains", "cores", "model", "random_seed", "kwargs"}
WITHOUT_STEPS = {"init", "n_init", "nuts_sampler", "nuts_sampler_kwargs"}
NOT_FOR_USERS = {"self", "vars", "model", "rng"}

PM_SAMPLE = (
    *sorted(set(inspect.signature(pm.sample).parameters) - OURS - WITHOUT_STEPS),
    *sorted(method.name for method in STEP_METHODS),
)


def check_free(model: pm.Model, asks: str) -> None:
    """Refuse a model in which there is nothing to integrate over."""
    if not model.free_RVs:
        raise ValueError(
            f"{asks}: the model has no free variables, and its evidence is the density of what is "
            "observed; evaluate model.compile_logp()({})."
        )


def options_of(step: type) -> tuple[str, ...]:
    """Names of the options of a step method.

    Parameters
    ----------
    step : type
        The step method.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from pymc_bnn.samplers.steps.nuts import NUTS
    >>> from pymc_bnn.samplers.options import options_of
    >>> options_of(NUTS)
    ('target_accept', 'max_treedepth', 'step_sizes', 'step_scale', 'metric')
    """
    found = inspect.signature(step.__init__).parameters  # type: ignore[misc]  # of a class
    return tuple(name for name in found if name not in NOT_FOR_USERS)


STEP_OPTIONS = tuple(dict.fromkeys(name for step in RECOMMENDED for name in options_of(step)))


def sorted_options(
    given: Mapping[str, Any], method: str = "auto"
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate the options of steps from those of ``pm.sample``.

    Parameters
    ----------
    given : mapping
        All options; a ``step`` of None is as good as none.
    method : str
        The method asked for.

    Returns
    -------
    steps, pm_sample : dict

    Raises
    ------
    ValueError
        If an option is unknown, or the user gave steps and a method or options for them.

    Examples
    --------
    >>> from pymc_bnn.samplers.options import sorted_options
    >>> sorted_options({"target_accept": 0.9, "progressbar": False})
    ({'target_accept': 0.9}, {'progressbar': False})
    """
    for name in given:
        if name in WITHOUT_STEPS:
            raise ValueError(f"{name} is for steps that PyMC chooses; leave it out.")
        choose("option", name, (*STEP_OPTIONS, *PM_SAMPLE))
    steps = {name: value for name, value in given.items() if name in STEP_OPTIONS}
    others = {name: value for name, value in given.items() if name not in steps}
    if others.get("step") is None:
        others.pop("step", None)
        return steps, others
    if steps:
        raise ValueError(f"{', '.join(steps)}: give them to the step, or leave out step.")
    if method != "auto":
        raise ValueError(f"method={method!r} and step: the steps are the method; give one of them.")
    return steps, others


def check_taken(step: type, options: Mapping[str, Any]) -> None:
    """Refuse options that the step of a model does not take, and name those that take them.

    Parameters
    ----------
    step : type
        The step method.
    options : mapping
        The options.

    Raises
    ------
    ValueError
        If there is one it does not take.
    """
    taken = options_of(step)
    for name, value in options.items():
        if name in taken:
            continue
        others = [other.__name__ for other in RECOMMENDED if name in options_of(other)]
        if not others:
            choose("option", name, taken)
        raise ValueError(
            f"{name}={value!r}: an option of {' and '.join(others)}, and {step.__name__} samples "
            f"this model; leave {name} out."
        )


def one_seed(seed: Any, random_seed: Any) -> np.random.Generator:
    """Make the random generator of a run.

    Parameters
    ----------
    seed, random_seed : int or Generator, optional
        The same under two names; at most one of them.

    Returns
    -------
    Generator

    Raises
    ------
    ValueError
        If both are given, or what is given is no seed.

    Examples
    --------
    >>> from pymc_bnn.samplers.options import one_seed
    >>> bool(one_seed(None, 1).integers(100) == one_seed(1, None).integers(100))
    True
    """
    if seed is not None and random_seed is not None:
        raise ValueError("seed and random_seed are the same; give one of them.")
    name, value = ("seed", seed) if random_seed is None else ("random_seed", random_seed)
    if isinstance(value, np.random.RandomState):
        raise ValueError(f"{name} is a RandomState, which chains cannot share; give a Generator.")
    # pm.sample takes one for each chain
    if isinstance(value, list | tuple) or np.ndim(value) > 0:
        raise ValueError(f"{name}={value!r}: chains take theirs from one seed; give one.")
    try:
        return np.random.default_rng(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name}={value!r}: give a whole number of at least 0, or a Generator."
        ) from None


def check_whole(least: int, **numbers: Any) -> None:
    """Refuse what is not a whole number of at least ``least``."""
    for name, value in numbers.items():
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or value < least:
            raise ValueError(f"{name}={value!r}: give a whole number of at least {least}.")


def model_at_hand(model: Any) -> pm.Model:
    """Return the model, or that of the context if it is None."""
    found = pm.Model.get_context(error_if_none=False) if model is None else model
    if not isinstance(found, pm.Model):
        raise TypeError(f"model={model!r}: give a pm.Model, or call this in the context of one.")
    return found

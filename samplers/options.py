"""Sort the options of :func:`.sampling.sample` into those of steps and those of ``pm.sample``."""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any
from warnings import catch_warnings

import numpy as np
import pymc as pm
from pymc.step_methods import STEP_METHODS

from ..models.bnn import BNN
from ..models.data.choices import choose
from .pymc_steps import BlockedStep, CompoundStep
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


def check_var_names(model: pm.Model, var_names: Any) -> None:
    """Refuse names of variables to record that a model does not have.

    Parameters
    ----------
    model : pm.Model
        The model.
    var_names : sequence of str, optional
        As for ``pm.sample``.

    Raises
    ------
    ValueError
        If they are no list of some of the model's variables.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.options import check_var_names
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    >>> check_var_names(model, ["x"])
    """
    if var_names is None:
        return
    if isinstance(var_names, str) or not isinstance(var_names, Iterable) or not list(var_names):
        raise ValueError(
            f"var_names={var_names!r}: give a list of names of variables, or leave it out."
        )
    known = {str(variable.name): variable for variable in model.unobserved_RVs}
    for name in var_names:
        choose("variable in var_names", name, known)


def check_idata_kwargs(model: pm.Model, idata_kwargs: Mapping[str, Any] | None) -> None:
    """Refuse what ``pm.to_inference_data`` would fail of, once all draws are made.

    Parameters
    ----------
    model : pm.Model
        The model.
    idata_kwargs : mapping, optional
        As for ``pm.sample``.

    Raises
    ------
    ValueError
        If a name is none of its arguments, or the draws of the model cannot be put together so, or
        log likelihoods are asked for of cases that depend on each other.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.options import check_idata_kwargs
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x", shape=2)
    >>> check_idata_kwargs(model, {"dims": {"x": ["side"]}})
    """
    if idata_kwargs is None:
        return
    known = set(inspect.signature(pm.to_inference_data).parameters) - {"trace", "prior", "model"}
    for name in idata_kwargs:
        choose("idata_kwargs", name, sorted(known))
    asked = idata_kwargs.get("log_likelihood", False)
    observed = {str(variable.name): variable for variable in model.observed_RVs}
    for name in asked if isinstance(asked, list | tuple) else ():
        choose("observed variable in idata_kwargs['log_likelihood']", name, observed)
    if asked and isinstance(model, BNN) and not model.likelihood.independent:
        raise ValueError(
            "idata_kwargs={'log_likelihood': ...}: the cases of this likelihood depend on each "
            "other; leave it out, and take log_likelihood(idata) of the model."
        )
    rest = {k: v for k, v in idata_kwargs.items() if k not in ("log_likelihood", "log_prior")}
    shapes = model.eval_rv_shapes()
    one = {str(v.name): np.zeros((1, *shapes[str(v.name)])) for v in model.free_RVs}
    try:
        with catch_warnings(action="ignore"):  # they come again with the draws
            pm.to_inference_data(prior=one, model=model, **rest)
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(
            f"idata_kwargs={dict(idata_kwargs)!r}: no result can be made so "
            f"({type(error).__name__}: {reason}); mend it or leave it out."
        ) from error


def check_step(step: Any) -> None:
    """Refuse names and classes in the place of step methods.

    Parameters
    ----------
    step : step method or sequence of them
        What is to be used.

    Raises
    ------
    ValueError
        If one is a text or a class.

    Examples
    --------
    >>> from pymc_bnn.samplers.options import check_step
    >>> check_step("NUTS")
    Traceback (most recent call last):
    ...
    ValueError: step='NUTS': give a step method, such as step=NUTS(model=model).
    """
    if step is None:
        return
    listed = list(step) if isinstance(step, list | tuple) else [step]
    if not listed or not all(isinstance(one, BlockedStep | CompoundStep) for one in listed):
        raise ValueError(f"step={step!r}: give a step method, such as step=NUTS(model=model).")

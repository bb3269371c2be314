"""Refuse arguments of ``pm.sample`` that would fail late, when draws have been made."""

import inspect
from collections.abc import Collection, Mapping
from typing import Any
from warnings import catch_warnings

import pymc as pm
from pymc.backends.base import BaseTrace

from ..models.bnn import BNN
from ..models.data.choices import choose
from ..models.data.renewed_data import check_data
from ..models.declaration import check_precision
from .batch.trace import result_of_the_start
from .given_starts import check_initvals
from .pymc_steps import BlockedStep, CompoundStep

DENSITIES = ("log_likelihood", "log_prior")  # which PyMC computes from the draws


def check_arguments(model: pm.Model, pm_sample: Mapping[str, Any]) -> None:
    """Refuse arguments of ``pm.sample``, and data that a model cannot have.

    Parameters
    ----------
    model : pm.Model
        The model.
    pm_sample : mapping
        Arguments that a user gave.

    Raises
    ------
    ValueError
        It names the argument and the mend.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.arguments import check_arguments
    >>> check_arguments(pm.Model(), {"return_inferencedata": False})
    Traceback (most recent call last):
    ...
    ValueError: return_inferencedata=False: samplers.sample returns a DataTree.
    """
    check_precision()
    check_initvals(model, pm_sample.get("initvals"))
    check_var_names(model, pm_sample.get("var_names"))
    check_idata_kwargs(model, pm_sample.get("idata_kwargs"))
    _check_densities(model, pm_sample.get("idata_kwargs"), pm_sample.get("var_names"))
    check_step(pm_sample.get("step"))
    if (callback := pm_sample.get("callback")) is not None and not callable(callback):
        raise ValueError(f"callback={callback!r}: give a function of a trace and a draw.")
    _check_trace(pm_sample.get("trace"))
    if not pm_sample.get("return_inferencedata", True):
        raise ValueError("return_inferencedata=False: samplers.sample returns a DataTree.")
    if isinstance(model, BNN):
        check_data(model)


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
    >>> from pymc_bnn.samplers.arguments import check_var_names
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    >>> check_var_names(model, ["x"])
    """
    if var_names is None:
        return
    if isinstance(var_names, str) or not isinstance(var_names, Collection) or not len(var_names):
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
    >>> from pymc_bnn.samplers.arguments import check_idata_kwargs
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x", shape=2)
    >>> check_idata_kwargs(model, {"dims": {"x": ["side"]}})
    """
    if idata_kwargs is None:
        return
    known = set(inspect.signature(pm.to_inference_data).parameters) - {"trace"}
    for name in idata_kwargs:
        choose("idata_kwargs", name, sorted(known))
    for key, variables in zip(DENSITIES, (model.observed_RVs, model.free_RVs), strict=True):
        given = idata_kwargs.get(key, False)
        for name in given if isinstance(given, list | tuple) else ():
            names = [str(variable.name) for variable in variables]
            choose(f"variable in idata_kwargs[{key!r}]", name, names)
    joint = isinstance(model, BNN) and not model.likelihood.independent
    if joint and idata_kwargs.get("log_likelihood", False):
        raise ValueError(
            "idata_kwargs={'log_likelihood': ...}: the cases of this likelihood depend on each "
            "other; leave it out, and take log_likelihood(idata) of the model."
        )
    _check_result(model, {k: v for k, v in idata_kwargs.items() if k not in DENSITIES})


def _check_densities(model: pm.Model, idata_kwargs: Any, var_names: Any) -> None:
    """Refuse densities of draws that are not all recorded."""
    asked = [key for key in DENSITIES if (idata_kwargs or {}).get(key)]
    if not asked or var_names is None:
        return
    names = {str(getattr(name, "name", name)) for name in var_names}
    if lost := [str(v.name) for v in model.free_RVs if v.name not in names]:
        raise ValueError(
            f"idata_kwargs: {' and '.join(asked)} cannot be computed without {', '.join(lost)}, "
            "which var_names leaves out; give one of both."
        )


def _check_result(model: pm.Model, idata_kwargs: Mapping[str, Any]) -> None:
    """Put one draw together, as all of them will be."""
    try:
        with catch_warnings(action="ignore"):  # they come again with the draws
            result_of_the_start(model, idata_kwargs)
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(
            f"idata_kwargs={dict(idata_kwargs)!r}: no result can be made so "
            f"({type(error).__name__}: {reason}); mend it or leave it out."
        ) from error


def _check_trace(trace: Any) -> None:
    if trace is None or isinstance(trace, BaseTrace):
        return
    from pymc.backends.zarr import ZarrTrace  # Zarr takes as long to import as a network to build

    if not isinstance(trace, ZarrTrace):
        raise ValueError(f"trace={trace!r}: give a ZarrTrace of PyMC, or leave it out.")


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
    >>> from pymc_bnn.samplers.arguments import check_step
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

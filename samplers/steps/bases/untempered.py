"""What cannot be tempered, and is refused: some steps, variables left to PyMC, and some models."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm
from pymc.distributions.continuous import FlatRV, HalfFlatRV
from pymc.distributions.distribution import PartialObservedRV
from pytensor.graph.traversal import ancestors
from pytensor.tensor.variable import TensorVariable

from ...pymc_steps import CompoundStep


def check_all_temper(model: pm.Model, steps: Any, temperature: float) -> None:
    """Refuse another temperature than 1 where anything would be sampled at 1 all the same.

    Parameters
    ----------
    model : pm.Model
        The model.
    steps : step method or sequence of step methods
        What samples it.
    temperature : float
        The temperature.

    Raises
    ------
    ValueError
        If a step does not temper the likelihood, or a variable is left to PyMC's own steps.
    """
    if temperature == 1:
        return
    listed = list(steps) if isinstance(steps, list | tuple) else [steps]
    given = [one for step in listed for one in _single(step)]
    for step in given:
        check_tempers(step, temperature)
    moved = {variable.name for step in given for variable in step.vars}
    left = [str(v.name) for v in model.value_vars if v.name not in moved]
    check_not_discrete(model, left)
    if left:
        raise ValueError(
            f"PyMC's own steps sample {', '.join(left)} at temperature 1; leave "
            f'temperature={temperature!r} out, or give steps of pymc_bnn for them (method="nuts").'
        )


def check_not_discrete(model: pm.Model, left: Sequence[str]) -> None:
    """Refuse variables that no step of this package moves, at another temperature than 1."""
    discrete = [str(v.name) for v in model.discrete_value_vars if v.name in set(left)]
    if discrete:
        raise ValueError(
            f"No step of pymc_bnn moves {', '.join(discrete)}, as discrete variables have no "
            "gradient; sum over them in the likelihood, or leave temperatures out."
        )


def check_tempers(step: Any, temperature: float) -> None:
    """Refuse a step that does not temper the likelihood, at another temperature than 1."""
    if temperature != 1 and not getattr(step, "tempers", False):
        raise ValueError(
            f"{type(step).__name__} cannot temper the likelihood; leave "
            f"temperature={temperature!r} out, or give steps of pymc_bnn that can."
        )


def _single(step: Any) -> list[Any]:
    """The steps of a compound one, or the step itself."""
    if not isinstance(step, CompoundStep):
        return [step]
    return [one for inner in step.methods for one in _single(inner)]


def flat_names(model: pm.Model) -> list[str]:
    """Names of the free variables whose prior is flat, or begins flat, and has no finite mass."""

    def is_flat(variable: TensorVariable) -> bool:
        others = set(model.basic_RVs) - {variable}
        above = set(ancestors([variable], blockers=others)) - others
        return any(_has_flat(found.owner.op) for found in above if found.owner is not None)

    return [str(v.name) for v in model.free_RVs if is_flat(v)]


def _has_flat(op: Any) -> bool:
    """Whether an operation draws from a flat distribution, by itself or in a graph within it."""
    inner = getattr(op, "fgraph", None)
    if inner is not None and any(_has_flat(node.op) for node in inner.apply_nodes):
        return True
    return isinstance(op, FlatRV | HalfFlatRV)


def check_tempering(model: pm.Model, temperature: float) -> None:
    """Refuse a temperature at which a model cannot be sampled.

    That is infinity where a prior has no finite mass, and any but 1 where values that are missing
    have one density with those that are observed: it is no likelihood alone.

    Parameters
    ----------
    model : pm.Model
        The model.
    temperature : float
        The temperature.

    Raises
    ------
    ValueError
        If a variable is flat, or the temperature is not 1 and an observed variable of several
        dimensions has missing values.
    """
    if temperature != 1 and (joint := [v for v in model.observed_RVs if _is_joint(v)]):
        raise ValueError(
            f"Values of {', '.join(str(v.name) for v in joint)} are missing, and have one density "
            f"with those that are observed, so that no likelihood is there to temper at "
            f"temperature={temperature!r}; leave rows with missing values out."
        )
    if (flat := flat_names(model)) and temperature == np.inf:
        raise ValueError(
            f"The prior of {', '.join(flat)} is flat, and cannot be sampled at infinite "
            "temperature; give a proper prior, or leave infinity out."
        )


def _is_joint(variable: TensorVariable) -> bool:
    """Whether an observed variable has missing parts in one density with the others."""
    op = variable.owner.op
    return isinstance(op, PartialObservedRV) and op.ndim_supp > 0

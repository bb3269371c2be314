r"""The temperature of a model's likelihood, which all steps read anew at every iteration.

At temperature :math:`T` the target is

.. math:: p(\theta \mid y; T) \propto p(y \mid \theta)^{1/T}\, p(\theta)

(Baldock & Marzari 2019, Eq. 10). The likelihood is what PyMC's sequential Monte Carlo tempers too:
observed variables and potentials. The inverse temperature is a shared variable that belongs to the
model, so that it travels with the model to other processes, and takes another value without any
compilation.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
from pymc.distributions.continuous import FlatRV, HalfFlatRV
from pymc.distributions.distribution import PartialObservedRV
from pytensor.graph.replace import graph_replace
from pytensor.graph.traversal import ancestors
from pytensor.tensor.variable import TensorVariable

from ...models.simd.one_thread import COMPILING
from ..pymc_steps import CompoundStep
from .graphs.without_slope import WithoutSlope

SMALLEST, LARGEST = 1e-300, 1e300  # numbers whose inverse is one
ATTRIBUTE = "_inverse_temperature_of_likelihood"
_TEMPERED: list[tuple[int, Any, float]] = []  # thread, shared variable and its value before


def inverse_temperature(model: pm.Model) -> Any:
    """Return the shared variable that the likelihood of a model is raised to.

    Parameters
    ----------
    model : pm.Model
        The model.

    Returns
    -------
    TensorSharedVariable
        1 unless :func:`at_temperature` changed it.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.potential.temperature import inverse_temperature
    >>> float(inverse_temperature(pm.Model()).get_value())
    1.0
    """
    if ATTRIBUTE not in vars(model):
        shared = pytensor.shared(np.array(1.0), name="inverse_temperature")
        setattr(model, ATTRIBUTE, shared)
    return vars(model)[ATTRIBUTE]


def share_temperature(model: pm.Model, other: pm.Model) -> None:
    """Let another form of a model have the temperature of the model."""
    setattr(other, ATTRIBUTE, inverse_temperature(model))


def current(model: pm.Model) -> float:
    """Inverse temperature of a model."""
    return float(inverse_temperature(model).get_value(borrow=True))


def temperature_of(model: pm.Model) -> float:
    """Temperature of a model."""
    power = current(model)
    return 1.0 / power if power > 0 else np.inf


@contextmanager
def at_temperature(model: pm.Model, temperature: float) -> Iterator[None]:
    """Temper a model's likelihood for a while.

    Meanwhile steps and compilations of all other threads wait. A block that waits for other threads
    which sample therefore never ends.

    Parameters
    ----------
    model : pm.Model
        The model.
    temperature : float
        The temperature :math:`T`; 1 for the posterior, infinity for the prior.

    Raises
    ------
    ValueError
        If the temperature is not positive.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.potential.temperature import at_temperature, current
    >>> model = pm.Model()
    >>> with at_temperature(model, 4.0):
    ...     print(current(model))
    0.25
    """
    check_temperature(temperature)
    with COMPILING:  # other threads that sample the model wait
        shared, before = inverse_temperature(model), current(model)
        _TEMPERED.append((get_ident(), shared, before))
        shared.set_value(np.array(1.0 / temperature))
        try:
            yield
        finally:
            shared.set_value(np.array(before))
            _TEMPERED.pop()


def _forget_other_threads() -> None:
    """Undo in a forked process what a thread tempers that is not there."""
    while _TEMPERED and _TEMPERED[-1][0] != get_ident():
        _, shared, before = _TEMPERED.pop()
        shared.set_value(np.array(before))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_other_threads)


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


def check_temperature(temperature: Any) -> None:
    """Refuse what is not a positive number, or too small to divide by."""
    number = isinstance(temperature, int | float | np.number) and not isinstance(temperature, bool)
    if (
        not number
        or not temperature > SMALLEST
        or (temperature > LARGEST and temperature != np.inf)
    ):
        raise ValueError(f"temperature={temperature!r}: give a positive number.")


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


def tempered(
    model: pm.Model, variables: Sequence[TensorVariable], terms: Sequence[TensorVariable], by: Any
) -> list[TensorVariable]:
    """Multiply the log densities of observed variables and potentials.

    Parameters
    ----------
    model : pm.Model
        The model.
    variables : sequence of TensorVariable
        Its random variables and potentials.
    terms : sequence of TensorVariable
        Their log densities.
    by : TensorVariable
        The inverse temperature.

    Returns
    -------
    list of TensorVariable
        With the power 0 they and their slopes are 0 also where there is no likelihood, as the
        prior knows nothing of that.
    """
    free, continuous = set(model.free_RVs), model.continuous_value_vars
    sheltered = {value: WithoutSlope()(value, by) for value in continuous}

    def powered(term: TensorVariable) -> TensorVariable:
        within = graph_replace([term], sheltered, strict=False)[0]
        return pt.switch(pt.eq(by, 0.0), 0.0, by * within)

    return [
        term if variable in free else powered(term)
        for variable, term in zip(variables, terms, strict=True)
    ]


def _single(step: Any) -> list[Any]:
    """The steps of a compound one, or the step itself."""
    if not isinstance(step, CompoundStep):
        return [step]
    return [one for inner in step.methods for one in _single(inner)]

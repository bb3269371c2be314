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
from pytensor.graph.replace import graph_replace
from pytensor.tensor.variable import TensorVariable

from ...models.simd.one_thread import COMPILING
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


def check_temperature(temperature: Any) -> None:
    """Refuse what is not a positive number, or too small to divide by."""
    number = isinstance(temperature, int | float | np.number) and not isinstance(temperature, bool)
    if (
        not number
        or not temperature > SMALLEST
        or (temperature > LARGEST and temperature != np.inf)
    ):
        raise ValueError(f"temperature={temperature!r}: give a positive number.")


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

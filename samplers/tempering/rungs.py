"""The steps that move replicas at the temperatures of a ladder."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
from pymc.blocking import StatsType

from ..potential.temperature import check_temperature
from ..pymc_steps import BlockedStep, CompoundStep
from ..steps.bases.untempered import check_all_temper, check_not_discrete, check_tempering

type Rung = BlockedStep | CompoundStep
# of several steps that move a part each; other statistics are those of the last
TOTALS: dict[str, Callable] = {
    "diverging": any,
    "n_steps": sum,
    "transitions": sum,
    "acceptance_rate": min,
}

# of several iterations of the same steps
REPEATED = TOTALS | {
    "acceptance_rate": lambda rates: float(np.mean(rates)),
    "interweave_evaluations": sum,
    "gibbs_perf_counter_diff": sum,
}


def check_ladder(temperatures: Any) -> np.ndarray:
    """Refuse what is not a rising ladder with 1 among its temperatures.

    Parameters
    ----------
    temperatures : sequence of float
        The ladder.

    Returns
    -------
    ndarray, shape (temperatures,)

    Raises
    ------
    ValueError
        If it is something else.

    Examples
    --------
    >>> from pymc_bnn.samplers.tempering.rungs import check_ladder
    >>> check_ladder([1, 2, float("inf")])
    array([ 1.,  2., inf])
    """
    given = list(temperatures) if np.ndim(temperatures) == 1 else []
    for temperature in given:
        check_temperature(temperature)
    ladder = np.array(given, float)
    if not np.all(ladder[1:] > ladder[:-1]) or not np.any(ladder == 1):
        raise ValueError(
            f"temperatures={temperatures!r}: give rising numbers, and 1, the posterior's, "
            "among them."
        )
    return ladder


def check_steps(model: pm.Model, steps: list, temperatures: np.ndarray) -> None:
    """Refuse steps of another model, that leave a variable, or that know no temperature."""
    for end in (temperatures[0], temperatures[-1]):
        check_tempering(model, float(end))
    moved = {variable for step in steps for variable in step.vars}
    left = [str(v.name) for v in model.value_vars if v not in moved]
    check_not_discrete(model, left)
    if left:
        raise ValueError(
            f"No step of this model moves {', '.join(left)}; give steps that move all variables, "
            'as NUTS does (method="nuts" of samplers.sample).'
        )
    if others := sorted({str(v.name) for v in moved.difference(model.value_vars)}):
        raise ValueError(
            f"steps: {', '.join(others)} of another model; make each step with model=... of the "
            "model that is sampled."
        )
    for temperature in temperatures:
        check_all_temper(model, steps, float(temperature))


def of_all_steps(statistics: StatsType) -> dict[str, Any]:
    """Statistics of one iteration of steps that move a part each."""
    found: dict[str, Any] = {}
    for one in statistics:
        both = found.keys() & one.keys() & TOTALS.keys()
        shared = {name: TOTALS[name]([found[name], one[name]]) for name in both}
        found |= one | shared
    return found


def twin(rung: Rung) -> Any:
    """Copy a step or several for another temperature; what is compiled is shared."""
    if isinstance(rung, CompoundStep):
        several = copy.copy(rung)  # it may repeat them
        several.methods = [twin(step) for step in rung.methods]
        return several
    other = object.__new__(type(rung))
    vars(other).update(vars(rung))
    if hasattr(rung, "adaptation"):
        other.adaptation = copy.deepcopy(rung.adaptation)
    return other


def single_steps(rung: Rung) -> list:
    """Return the steps that a rung is made of."""
    return list(rung.methods) if isinstance(rung, CompoundStep) else [rung]

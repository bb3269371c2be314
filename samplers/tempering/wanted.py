"""Which ladder the arguments of :func:`..sampling.sample` ask for, and what moves its replicas."""

import logging
from collections.abc import Mapping
from typing import Any

import numpy as np
import pymc as pm

from ..compiled.memory import initial_point
from ..potential.temperature import check_temperature
from .exchange_step import ExchangeStep
from .groups import check_names
from .lanes.sampling import Exchange
from .replica_exchange import ReplicaExchange
from .rungs import check_ladder
from .together.sampling import step_for_jax
from .together.step import ReplicasTogether

MOST_BYTES = 1e9  # of what a ladder records at other temperatures than 1

_log = logging.getLogger("pymc")


def ladder_and_temperature(temperature: Any) -> tuple[np.ndarray | None, float]:
    """Several temperatures, if that is what was given, and the one that the model is at."""
    if np.ndim(temperature) > 0:
        return check_ladder(temperature), 1.0
    check_temperature(temperature)
    return None, float(temperature)


def unwrapped(steps: Any) -> Any:
    """Steps as given, or the one of replica exchange that is alone in a list; none among others."""
    match steps:
        case [ExchangeStep() as alone]:
            return alone
    if isinstance(steps, list | tuple) and any(isinstance(one, ExchangeStep) for one in steps):
        raise ValueError(
            "step: replica exchange moves all variables of a model, and its groups are those of "
            "one ladder; give it alone, and what moves a replica as its own steps=[...]."
        )
    return steps


def wanted_exchange(
    model: pm.Model, ladder: np.ndarray | None, steps: Any, draws: int
) -> Exchange | None:
    """What is to be exchanged, if anything is, in so many draws of all chains."""
    if isinstance(steps, ReplicaExchange):
        return Exchange([steps.first], steps.temperatures, steps.iterations_per_swap, steps.record)
    if ladder is None:
        return None
    given = list(steps) if isinstance(steps, list | tuple) else [steps]
    return Exchange(given, ladder, record=_kept(model, ladder, draws))


def wanted_together(
    model: pm.Model, ladder: np.ndarray | None, draws: int, options: Mapping[str, Any]
) -> ReplicasTogether:
    """Build what JAX moves, for so many draws of all chains."""
    check_names(model)
    record = ladder is None or _kept(model, ladder, draws)
    return step_for_jax(model, ladder, record, options)


def _kept(model: pm.Model, ladder: np.ndarray, draws: int) -> bool:
    """Whether so many draws of all chains are kept at all temperatures."""
    numbers = sum(np.size(value) for value in initial_point(model).values())
    size = ladder.size * draws * numbers * np.float64().nbytes
    if size > MOST_BYTES:
        _log.info(
            f"Draws at other temperatures are not kept, as they would take {size / 1e9:.1f} GB; "
            "give step=ReplicaExchange(...) to keep them."
        )
    return size <= MOST_BYTES

"""Sample ladders whose replicas are lanes, where that is faster than one replica after another."""

import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, cast

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from xarray import DataTree

from ...batch.network.registers import WIDTH
from ...batch.sampling import SHARE, are_lanes, drawn
from ...pymc_steps import BlockedStep
from ...starts import chain_starts
from ...steps.gibbs_hmc import GibbsHMC
from ..replica_starts import replica_starts
from .ladder import LadderInLanes
from .result import Ladders, attach_ladders

_log = logging.getLogger("pymc")


class Exchange(NamedTuple):
    """What replica exchange is to do.

    Attributes
    ----------
    steps : sequence of step methods
        What moves a replica.
    temperatures : ndarray, shape (temperatures,)
        The ladder.
    iterations : int
        Iterations of the steps between two attempts to swap.
    record : bool
        Whether draws of all temperatures are kept.
    """

    steps: Sequence[BlockedStep]
    temperatures: np.ndarray
    iterations: int = 1
    record: bool = True


def suit_lanes(model: pm.Model, exchange: Exchange) -> bool:
    """Whether the replicas of a ladder are faster as lanes of registers.

    They are where a batch of chains is, see :func:`...batch.sampling.is_faster`. A ladder of one
    temperature is left to its steps.

    Parameters
    ----------
    model : pm.Model
        The model that is to be sampled.
    exchange : Exchange
        Steps and ladder.

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> from pymc_bnn.samplers.tempering.lanes.sampling import Exchange, suit_lanes
    >>> model = models.gaussian(np.eye(8), np.arange(8.0), hidden=(4,))
    >>> steps = [samplers.GibbsHMC(model=model)]
    >>> [suit_lanes(model, Exchange(steps, np.arange(1.0, count + 1))) for count in (8, 2)]
    [True, False]
    """
    count = exchange.temperatures.size
    enough = count > 1 and SHARE * WIDTH * -(-count // WIDTH) <= count
    return enough and are_lanes(exchange.steps) and exchange.steps[0].model is model


def sample_ladders(
    exchange: Exchange,
    draws: int,
    tune: int,
    chains: int,
    cores: int,
    rng: np.random.Generator,
    *,
    initvals: Any = None,
    **ending: Any,
) -> DataTree:
    """Sample chains of replica exchange, and return what :func:`...sampling.sample` does.

    Ctrl-C ends sampling early; all chains are then of the same length.

    Parameters
    ----------
    exchange : Exchange
        One :class:`GibbsHMC`, and the ladder.
    draws, tune, chains : int
        As for ``pm.sample``.
    cores : int
        Threads to use; each moves one ladder at a time.
    rng : Generator
        Where all random numbers come from. Those of a chain do not depend on the number of chains.
    initvals
        Of all replicas of a chain, as for ``pm.sample``.
    **ending
        More arguments of ``pm.sample``, see :func:`...batch.sampling.drawn`.

    Returns
    -------
    DataTree
        With the groups of :func:`..groups.regroup`.
    """
    step = cast(GibbsHMC, exchange.steps[0])
    step.check_terms()
    begin, generators = rng.spawn(2)
    starts = chain_starts(step.model, chains, begin, initvals, "a ladder in lanes")
    parts = [
        _ladder(step, exchange, start, own, initvals is not None, tune, draws)
        for start, own in zip(starts, generators.spawn(chains), strict=True)
    ]
    ladders, count = Ladders(parts), exchange.temperatures.size
    if not ending.get("quiet"):
        _log.info(f"Replica exchange ({chains} chains of {count} replicas, {WIDTH} at a time)")
    found, done = drawn(ladders, _blocks(parts, cores), **ending)
    if isinstance(found, DataTree) and "posterior" in found.children:  # not ended in its warm-up
        attach_ladders(found, ladders, done)
    return found


def _ladder(
    step: GibbsHMC,
    exchange: Exchange,
    start: PointType,
    rng: np.random.Generator,
    together: bool,
    tune: int,
    draws: int,
) -> LadderInLanes:
    """One chain; see :func:`..replica_starts.replica_starts` for where its replicas begin."""
    temperatures = exchange.temperatures
    swapping, *generators = rng.spawn(temperatures.size + 1)
    starts = replica_starts(step.model, temperatures, start, swapping, together)
    rest = tune, draws, exchange.iterations, exchange.record
    return LadderInLanes(step, temperatures, starts, generators, swapping, *rest)


def _blocks(ladders: Sequence[LadderInLanes], cores: int) -> Iterator[int]:
    """Make block after block of draws, all chains in step, and say how many each has."""
    with ThreadPoolExecutor(cores) as pool:
        each = map if cores == 1 else pool.map
        while ladders[0].done < ladders[0].total:
            for _ in each(LadderInLanes.advance, ladders):
                pass
            yield ladders[0].done

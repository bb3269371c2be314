"""One chain that is moved here and not by ``pm.sample``: set up, warmed up and drawn."""

from collections.abc import Iterator
from typing import NamedTuple

from pymc.blocking import PointType, StatsType
from pymc.util import RandomGenerator

from .pymc_steps import BlockedStep, CompoundStep


class Iteration(NamedTuple):
    """Where one iteration of a chain led.

    Attributes
    ----------
    point : dict of str to ndarray
        Values of the value variables.
    statistics : list of dict
        Those of each step.
    tuning : bool
        Whether it belongs to the warm-up.
    """

    point: PointType
    statistics: StatsType
    tuning: bool


def iterate_chain(
    step: BlockedStep | CompoundStep,
    start: PointType,
    rng: RandomGenerator,
    *,
    tune: int = 0,
    draws: int = 0,
) -> Iterator[Iteration]:
    """Move a chain, one iteration whenever one is asked for.

    Parameters
    ----------
    step : step method
        What moves it, or a compound of several. It is set up at once, before any iteration.
    start : dict of str to ndarray
        Where the chain begins.
    rng : Generator or seed
        Where random numbers come from.
    tune, draws : int
        Iterations of the warm-up and after it; warm-up ends as the first one after it is asked for.

    Returns
    -------
    iterator of Iteration

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> from pymc_bnn.samplers.one_chain import iterate_chain
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    ...     step = samplers.StaticHMC(n_leapfrog=4, step_sizes="adapt")
    >>> chain = iterate_chain(step, model.initial_point(), 1, tune=2, draws=1)
    >>> [(int(found["n_steps"]), tuning) for point, [found], tuning in chain]
    [(4, True), (4, True), (4, False)]
    """
    step.setup_chain(rng, tune, draws)
    return _iterations(step, start, tune, draws)


def _iterations(
    step: BlockedStep | CompoundStep, point: PointType, tune: int, draws: int
) -> Iterator[Iteration]:
    for iteration in range(tune + draws):
        if iteration == tune:
            step.stop_tuning()
        point, statistics = step.step(point)
        yield Iteration(point, statistics, iteration < tune)

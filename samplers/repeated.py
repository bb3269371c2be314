"""Steps that are taken several times for each draw that is recorded."""

from collections.abc import Sequence

from pymc.blocking import PointType, StatsType
from pymc.util import RandomGenerator

from .pymc_steps import BlockedStep, CompoundStep

SUMMED = (
    *("n_steps", "transitions", "interweave_evaluations"),
    *("perf_counter_diff", "gibbs_perf_counter_diff"),
)


class Repeated(CompoundStep):
    """Take steps in turn, all of them several times per recorded draw.

    A run records every ``thin``-th draw of one of the steps alone. Statistics are those of the
    last pass, as in :class:`.GibbsHMC`, but for counts and times, which are sums.

    Parameters
    ----------
    methods : sequence of step methods
        The steps.
    thin : int
        Passes per recorded draw.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> from pymc_bnn.samplers.repeated import Repeated
    >>> with pm.Model():
    ...     x = pm.Normal("x", shape=3)
    ...     step = Repeated([samplers.StaticHMC(n_leapfrog=4, step_sizes="adapt")], thin=5)
    ...     idata = pm.sample(draws=10, tune=10, chains=1, step=step, progressbar=False,
    ...                       quiet=True, random_seed=1)
    >>> int(idata["sample_stats"]["n_steps"][0, 0])
    20
    """

    def __init__(self, methods: Sequence[BlockedStep], thin: int):
        super().__init__(methods)
        self.thin = thin

    def step(self, point: PointType) -> tuple[PointType, StatsType]:
        """Take all steps ``thin`` times."""
        point, stats = super().step(point)
        for _ in range(self.thin - 1):
            before = stats
            point, stats = super().step(point)
            for now, then in zip(stats, before, strict=True):
                for name in now.keys() & SUMMED:
                    now[name] += then[name]
        return point, stats

    def setup_chain(self, rng: RandomGenerator, tune: int, draws: int) -> None:
        """Set up each step for the passes that it will make."""
        super().setup_chain(rng, self.thin * tune, self.thin * draws)

"""The Metropolis algorithm with proposals along momenta that begin hot and are cooled."""

from collections.abc import Callable, Sequence

import pymc as pm
from pymc.util import RandomGenerator

from ..dynamics.annealing import bind_straight
from .annealed_hmc import AnnealedHMC


class AnnealedMetropolis(AnnealedHMC):
    r"""The Metropolis algorithm with simulated annealing by the momentum (Neal 1992, Eq. 27).

    As :class:`AnnealedHMC`, with proposals :math:`q + \epsilon p` in the place of trajectories.
    Without phases the momentum is drawn anew for each, and it is the plain Metropolis algorithm.

    Parameters
    ----------
    vars, phases, step_size, jitter, jitter_spread, dummies, thin, model, rng
        As for :class:`AnnealedHMC`.

    Raises
    ------
    ValueError
        If an argument is not valid, or warm-up is shorter than the phases.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model():
    ...     x = pm.Normal("x", shape=3)
    ...     step = samplers.AnnealedMetropolis(step_size=0.8, jitter=None, thin=100)
    ...     idata = pm.sample(draws=50, tune=0, chains=1, step=step, progressbar=False,
    ...                       quiet=True, random_seed=1)
    >>> int(idata["sample_stats"]["n_steps"][0, 0])
    100
    """

    name = "annealed_metropolis"
    gradient = False

    def __init__(
        self,
        vars: Sequence | None = None,
        phases: Sequence[tuple[int, float, float]] = (),
        step_size: float = 0.01,
        jitter: str | None = "cauchy",
        jitter_spread: float = 0.5,
        dummies: int | None = None,
        thin: int = 1,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
    ):
        given = vars, phases, 1, step_size, jitter, jitter_spread, dummies, thin
        super().__init__(*given, model=model, rng=rng)

    def _bind_trajectory(self) -> Callable:
        return bind_straight(self._rest)

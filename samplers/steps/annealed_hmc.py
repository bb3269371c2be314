"""Hamiltonian Monte Carlo whose momenta begin hot and are cooled in warm-up."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pymc as pm
from pymc.util import RandomGenerator

from ...models.data.choices import check_counts, check_positive, is_whole
from ..compiled import engine
from ..compiled.memory import initial_point
from ..dynamics.annealing import Annealed, Phase, compile_annealing
from ..dynamics.leapfrog import bind_leapfrog, leapfrog
from ..dynamics.momentum import ANNEALED
from ..potential.parameters import Parameters
from ..pymc_steps import dataclass_state
from ..step_sizes.jitter import check_jitter, jitter_factors
from .bases.block_choice import block_names, say_what_is_left
from .bases.hamiltonian import STATISTICS, Transition, transition_of
from .bases.momentum_step import MomentumState, MomentumStep

SAMPLING = (0.0, 1.0)  # persistence and temperature after the last phase


@dataclass_state
class AnnealedState(MomentumState):
    """State of one chain."""

    reserve: np.ndarray
    iteration: int


class AnnealedHMC(MomentumStep):
    r"""Hamiltonian Monte Carlo with simulated annealing by the momentum (Neal 1992).

    The temperature of a state is that of its momentum, :math:`|p|^2 / N`. Before each trajectory

    .. math:: p \leftarrow \alpha |p| u + \sqrt{T_0 (1 - \alpha^2)}\, n

    (Eq. 24), so that it falls slowly where :math:`\alpha` is near 1. Beside a component for each
    variable there are ``dummies`` others, which pay for what a trajectory gains in energy; by that
    it is accepted or rejected (Eq. 25; see :mod:`.dummies`). At temperatures above 1 chains climb
    out of poor modes. Wherever :math:`T_0 = 1` an iteration leaves the posterior invariant.

    The ``phases`` are those of warm-up. After them momenta are drawn anew at temperature 1, and the
    acceptance is that of plain Hamiltonian Monte Carlo. All components have one step size,
    which is not learnt; its ``jitter`` lets some trajectories be accepted wherever a chain is.
    Where walls reflect it is no longer than the narrowest interval (see :mod:`.reflecting_walls`).

    Parameters
    ----------
    vars : sequence of str or Variable, optional
        Variables to move; by default every continuous variable but the conjugate precisions.
    phases : sequence of (int, float, float)
        Iterations, persistence :math:`\alpha` and temperature :math:`T_0` of each phase. Warm-up
        has to be long enough for all, with ``thin`` iterations to each draw; what is left of it is
        as after it.
    n_leapfrog : int
        Leapfrog steps of a trajectory.
    step_size : float
        The step size :math:`\epsilon_0`.
    jitter : {None, "uniform", "log-normal", "cauchy"}
        Random factor of the step size (Eq. 23).
    jitter_spread : float
        Spread of that factor, :math:`\nu`.
    dummies : int, optional
        Dummy components; by default as many as there are variables.
    thin : int
        Iterations per recorded draw.
    model : pm.Model, optional
        The model; by default that of the context.
    rng : Generator or seed, optional
        Where random numbers come from outside ``pm.sample``, which brings its own.

    Raises
    ------
    ValueError
        If an argument is not valid, nothing is left to move, or warm-up is shorter than the phases.

    Notes
    -----
    The statistic ``temperature`` is that of all components after an iteration.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model():
    ...     x = pm.Normal("x", shape=3)
    ...     phases = [(5, 0.0, 50.0), (20, 0.9, 1.0)]
    ...     step = samplers.AnnealedHMC(phases=phases, n_leapfrog=10, step_size=0.3)
    ...     idata = pm.sample(draws=50, tune=30, chains=1, step=step, progressbar=False,
    ...                       quiet=True, discard_tuned_samples=False, random_seed=1)
    >>> temperature = idata["warmup_sample_stats"]["temperature"][0].values
    >>> bool(temperature[4] > 10 > temperature[-1])
    True
    """

    name = "annealed_hmc"
    stats_dtypes_shapes = STATISTICS | {
        "trajectory_accepted": (bool, []),
        "temperature": (np.float64, []),
    }
    _state_class = AnnealedState

    def __init__(
        self,
        vars: Sequence | None = None,
        phases: Sequence[tuple[int, float, float]] = (),
        n_leapfrog: int = 1000,
        step_size: float = 0.01,
        jitter: str | None = "cauchy",
        jitter_spread: float = 0.5,
        dummies: int | None = None,
        thin: int = 1,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
    ):
        self.phases = check_phases(phases)
        check_jitter(jitter, jitter_spread)
        check_counts(n_leapfrog=n_leapfrog, thin=thin, dummies=1 if dummies is None else dummies)
        check_positive(step_size=step_size)
        self.jitter, self.jitter_spread = jitter, float(jitter_spread)
        self.n_leapfrog, self.thin = int(n_leapfrog), int(thin)
        model = pm.modelcontext(model)
        names = block_names(model, vars)
        check_not_empty(model, names, type(self).__name__)
        if vars is None:
            say_what_is_left(model, names, type(self).__name__)
        self.given_dummies = dummies
        self._carry(0.0)
        self.momentum_kind, self.reserve, self.iteration = ANNEALED, np.zeros(1), 0
        super().__init__(model, names, False, step_size, None, rng, metric="unit")

    def _compile_run(self) -> Callable[..., Any]:
        self.dummies = self.given_dummies or self.conditional.layout.size
        return compile_annealing(self._bind_trajectory())

    def _bind_trajectory(self) -> Callable:
        """Trajectories, for use in compiled code."""
        return engine.bind(leapfrog, **bind_leapfrog(self._rest))

    def setup_chain(self, rng: RandomGenerator, tune: int, draws: int) -> None:
        """Forget the last chain."""
        needed = sum(phase.iterations for phase in self.phases)
        if 0 < tune * self.thin < needed:
            raise ValueError(
                f"tune={tune}: the phases take {needed} iterations, and warm-up has "
                f"{tune * self.thin}; give tune={-(-needed // self.thin)} or more."
            )
        super().setup_chain(rng, tune, draws)
        self.reserve = np.array([self.rng.standard_gamma(0.5 * self.dummies)])
        self.iteration = 0 if tune else needed

    def _rules(self) -> np.ndarray:
        """Persistence and temperature of the next iterations, shape (thin, 2)."""
        last = Phase(self.thin, *SAMPLING)
        ends = np.cumsum([phase.iterations for phase in self.phases])
        each = np.arange(self.iteration, self.iteration + self.thin)
        found = [(*self.phases, last)[i] for i in np.searchsorted(ends, each, side="right")]
        return np.array([(phase.persistence, phase.temperature) for phase in found])

    def _factor(self) -> float:
        return self.step_scale

    def _unit_step_sizes(self, parameters: Parameters) -> np.ndarray:
        return np.ones(self.conditional.layout.size)

    def _move(
        self, q: np.ndarray, step_sizes: np.ndarray, parameters: Parameters, data: tuple
    ) -> Transition:
        factors = jitter_factors(self.jitter, self.rng, self.jitter_spread, self.thin)
        narrowest = self.walls.widths.min()  # infinite without walls
        found: Annealed = self._run(
            self.rng,
            q,
            self.momentum,
            self.reserve,
            self.dummies,
            self._rules(),
            np.minimum(self.step_scale * factors, narrowest),
            self.n_leapfrog,
            parameters.mean,
            parameters.precision,
            data,
        )
        self.iteration += self.thin
        squares = float(self.momentum @ self.momentum + 2 * self.reserve[0])
        temperature = squares / (q.size + self.dummies)
        counts = {"n_steps": found.steps, "transitions": self.thin}
        moved = transition_of(q, found, **counts, temperature=temperature)
        return moved._replace(divergences=found.diverging)


def check_not_empty(model: pm.Model, names: Sequence[str], step: str) -> None:
    """Refuse a block without components, which has no temperature."""
    if not any(np.size(initial_point(model)[name]) for name in names):
        raise ValueError(
            f"{step} has nothing to move, as conjugate precisions are left to other steps by "
            "default; leave it out, or name in vars what it should move."
        )


def check_phases(phases: Any) -> tuple[Phase, ...]:
    """Return phases of annealing, or say in one line which of them is not one."""
    if not isinstance(phases, Iterable):
        raise ValueError(f"phases={phases!r}: give a list of them, as in [(100, 0.9, 50.0)].")
    found = []
    for phase in phases:
        try:
            iterations, persistence, temperature = phase
            valid = is_whole(iterations, 0) and 0 <= persistence < 1 and 0 < temperature < np.inf
        except (TypeError, ValueError):
            valid = False
        if not valid:
            raise ValueError(
                f"phases: {phase!r} should be a number of iterations, a persistence from 0 to less "
                "than 1, and a positive temperature."
            )
        found.append(Phase(int(iterations), float(persistence), float(temperature)))
    return tuple(found)

"""One chain of replica exchange whose replicas are the lanes of packs."""

from collections.abc import Sequence
from time import perf_counter

import numpy as np
from pymc.blocking import PointType

from ...batch.adaptation import start_factors
from ...batch.agreement import check_batch
from ...batch.chains import draw_randomness, most_sweeps
from ...batch.network.potential import network_of
from ...batch.network.registers import WIDTH, stacked
from ...batch.state import allocate_pack, allocate_randomness
from ...batch.statistics import STATISTICS
from ...compiled.memory import initial_point
from ...potential.agreement import Comparison, density_of
from ...potential.recognition import likelihood_of
from ...potential.temperature import at_temperature
from ...starts import check_start
from ...step_sizes.adaptation import Adaptation
from ...steps.gibbs_hmc import GibbsHMC
from .block import compile_ladder_block
from .state import allocate_records, start_ladder


class LadderInLanes:
    """Replicas of one ladder, eight of them in each pack.

    Parameters
    ----------
    step : GibbsHMC
        What moves a replica; its own state is left alone.
    temperatures : ndarray, shape (temperatures,)
        The ladder.
    starts : sequence of dict
        Starting point of each replica, in the order of the ladder.
    rngs : sequence of Generator
        Random generator of each replica.
    swapping : Generator
        Where the random numbers of swaps come from.
    tune, draws : int
        Draws of warm-up, and draws after it.
    iterations : int
        Iterations of the step between two attempts to swap, which a draw consists of.
    record : bool
        Whether to keep the draws of all temperatures.

    Attributes
    ----------
    records : LadderRecords
        All draws.
    seconds : ndarray, shape (draws,)
        Time that each took.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> from pymc_bnn.samplers.starts import dispersed_starts
    >>> from pymc_bnn.samplers.tempering.lanes.ladder import LadderInLanes
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,))
    >>> step, rng = samplers.GibbsHMC(n_leapfrog=20, model=model), np.random.default_rng(1)
    >>> starts = dispersed_starts(model, 4, rng)
    >>> replicas = LadderInLanes(step, np.geomspace(1, 9, 4), starts, rng.spawn(4), rng, 0, 50)
    >>> while replicas.done < 50:
    ...     replicas.advance()
    >>> replicas.records.q.shape
    (4, 50, 13)
    """

    def __init__(
        self,
        step: GibbsHMC,
        temperatures: np.ndarray,
        starts: Sequence[PointType],
        rngs: Sequence[np.random.Generator],
        swapping: np.random.Generator,
        tune: int,
        draws: int,
        iterations: int = 1,
        record: bool = True,
    ):
        self.step, self.tune, self.total, self.done = step, tune, tune + draws, 0
        self.temperatures, self.iterations = temperatures, iterations
        self.rngs, self.swapping = rngs, swapping
        model = step.model
        self.network = network_of(model, step.conditional.network_layout)
        check_batch(step, self.network)
        self.run = compile_ladder_block(model.activation, likelihood_of(model), step.collapsed_form)
        self.shapes = self._gamma_shapes()
        self._allocate(starts, record)
        self._advance_to(0)  # measures log likelihoods
        self._check(starts)

    @property
    def posterior(self) -> int:
        """Place of temperature 1."""
        return int(np.flatnonzero(self.temperatures == 1)[0])

    @property
    def sweeps(self) -> int:
        """Sweeps of a recorded draw."""
        return self.iterations * self.step.thin

    def _gamma_shapes(self) -> np.ndarray:
        """Shapes of the precisions' conditional distributions at each temperature."""
        found = []
        for temperature in self.temperatures:
            with at_temperature(self.step.model, temperature):
                found.append(self.step.closed_form.shapes().copy())
        return np.array(found)

    def _allocate(self, starts: Sequence[PointType], record: bool) -> None:
        step, count = self.step, len(starts)
        layout, precisions = step.conditional.layout, step.precisions
        curvature = step.conditional.parameters(initial_point(step.model)).curvature
        lanes = np.minimum(np.arange(-(-count // WIDTH) * WIDTH), count - 1).reshape(-1, WIDTH)
        q = np.array([layout.ravel(start) for start in starts])
        logs = np.array([precisions.ravel(start) for start in starts])
        given = curvature, step.moving, self.network, step.collapsed_form
        packs = [allocate_pack(q[part], logs[part], *given) for part in lanes]
        self.block = max(1, int(most_sweeps(step, self.network)) // len(packs) // self.sweeps)
        random = [allocate_randomness(pack, self.block * self.sweeps) for pack in packs]
        self.packs, self.random = stacked(packs), stacked(random)
        adaptation = step.adaptation
        target = adaptation.target_accept if isinstance(adaptation, Adaptation) else None
        self.factors = start_factors(step.step_scale, target, count)
        cases = self.network.cases if step.hierarchy.noise.size else 0
        numbers = self.block, self.block * self.sweeps, precisions.size
        self.ladder = start_ladder(1.0 / self.temperatures, *numbers, curvature, cases)
        shapes = count, layout.size, precisions.size, len(STATISTICS)
        self.records = allocate_records(self.posterior, record, self.total, shapes)
        self.seconds = np.empty(self.total)

    def _check(self, starts: Sequence[PointType]) -> None:
        """Hold the log likelihoods of two replicas against the model's graph."""
        model, close = self.step.model, Comparison("a ladder in lanes", "float64")
        observed = [str(v.name) for v in model.observed_RVs]
        found = self.ladder.log_likelihood
        for at in {self.posterior, len(starts) - 1}:
            terms = density_of(model)(starts[at]).terms
            check_start(sum(terms.values()), model, starts[at], type(self.step).__name__)
            close("the log likelihood", found[at], sum(terms[name] for name in observed))

    def advance(self) -> None:
        """Make a block of draws."""
        begin, first = perf_counter(), self.done
        self._draw_randomness()
        self._advance_to(min(first + self.block, self.total))
        self.seconds[first : self.done] = (perf_counter() - begin) / (self.done - first)

    def _advance_to(self, last: int) -> None:
        step = self.step
        self.run(
            self.packs,
            self.factors,
            self.random,
            self.ladder,
            self.records,
            (self.done, last),
            (self.iterations, step.thin),
            self.tune,
            step.n_leapfrog,
            step.moving,
            self.network,
        )
        self.done = last

    def _draw_randomness(self) -> None:
        # for a whole block even at the end, so that draws do not depend on how many follow
        random, gammas = self.random, self.ladder.gammas
        for i, rng in enumerate(self.rngs):
            draw_randomness(self.step, rng, self.shapes[i], random, divmod(i, WIDTH), gammas[i])
        used = (len(self.rngs) - 1) % WIDTH
        for array in (random.normals, random.uniforms, random.jitter, random.outputs):
            array[-1, used + 1 :] = array[-1, used]
        self.swapping.random(out=self.ladder.uniforms)

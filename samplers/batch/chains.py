"""Run many chains of :class:`..steps.gibbs_hmc.GibbsHMC` in packs of eight.

``pm.sample`` steps one chain at a time, one draw per call from Python. For a small network most
of that time is not arithmetic, and the arithmetic has rows too short to fill SIMD registers. Here
a pack of eight chains moves in one call of compiled code, many draws at a time.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import NamedTuple

import numpy as np
from pymc.blocking import PointType

from ..compiled.memory import initial_point
from ..potential.recognition import likelihood_of
from ..starts import check_start
from ..step_sizes.adaptation import Adaptation
from ..step_sizes.jitter import jitter_factors
from ..steps.gibbs_hmc import GibbsHMC
from .adaptation import start_factors
from .agreement import check_batch
from .network.potential import Network, network_of
from .network.registers import WIDTH
from .state import Randomness, Records, allocate_pack, allocate_randomness
from .statistics import POTENTIAL, STATISTICS
from .sweep import compile_sweep_block

MOST_RANDOM_BYTES = 2**19  # of a block: what is drawn should still be in the cache when used
MOST_WORK = 3e7  # of a block, in weights times cases times leapfrog steps; some 0.1 s of a pack


class _Chains(NamedTuple):
    """The chains of one pack."""

    rngs: Sequence[np.random.Generator]
    state: tuple
    random: Randomness
    records: Records
    seconds: np.ndarray


def most_sweeps(step: GibbsHMC, network: Network) -> float:
    """How many sweeps of a pack to make at a time; it depends on the model and the step alone."""
    weights, updates = step.conditional.layout.size, step.moving.interweaved.size
    return min(
        MOST_RANDOM_BYTES / (8 * WIDTH * (weights + 50 * updates + 1)),
        MOST_WORK / (weights * network.cases * step.n_leapfrog),
    )


def draw_randomness(
    step: GibbsHMC,
    rng: np.random.Generator,
    shapes: np.ndarray,
    random: Randomness,
    at: int | tuple[int, int],
    gammas: np.ndarray,
) -> None:
    """Fill what a chain draws, at its place among those of ``random``, and its own ``gammas``."""
    rng.standard_normal(out=random.normals[at])
    if shapes.size:
        rng.standard_gamma(shapes, out=gammas)
    rng.random(out=random.uniforms[at])
    rng.standard_normal(out=random.outputs[at])
    random.jitter[at] = jitter_factors(step.jitter, rng, step.jitter_spread, random.sweeps)


class BatchOfChains:
    """Chains of one step method, eight of them in each pack.

    A chain's draws depend on its start and its generator alone, not on the other chains.

    Parameters
    ----------
    step : GibbsHMC
        How to sample; its own state is left alone.
    starts : sequence of dict
        Starting point of each chain.
    rngs : sequence of Generator
        Random generator of each chain.
    tune, draws : int
        Draws of warm-up, and draws after it.

    Attributes
    ----------
    records : Records
        All draws of all chains.
    seconds : ndarray, shape (chains, draws)
        Time that each draw took.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> from pymc_bnn.samplers.batch.chains import BatchOfChains
    >>> from pymc_bnn.samplers.starts import dispersed_starts
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,))
    >>> step = samplers.GibbsHMC(n_leapfrog=20, model=model)
    >>> rng = np.random.default_rng(1)
    >>> batch = BatchOfChains(step, dispersed_starts(model, 9, rng), rng.spawn(9), 0, 50)
    >>> max(batch.blocks())
    50
    >>> batch.records.q.shape
    (9, 50, 13)
    """

    def __init__(
        self,
        step: GibbsHMC,
        starts: Sequence[PointType],
        rngs: Sequence[np.random.Generator],
        tune: int,
        draws: int,
    ):
        if step.conditional.power != 1.0:
            raise ValueError("a batch of chains cannot temper the likelihood; sample one by one.")
        self.step, self.tune, self.total, self.starts = step, tune, tune + draws, starts
        model, layout = step.model, step.conditional.layout
        self.network = network_of(model, step.conditional.network_layout)
        check_batch(step, self.network)
        self.gamma_shapes = step.closed_form.shapes()
        self.run = compile_sweep_block(model.activation, likelihood_of(model), step.collapsed_form)
        chains, precisions = len(starts), step.precisions.size
        self.records = Records(
            np.empty((chains, self.total, layout.size)),
            np.empty((chains, self.total, precisions)),
            np.empty((chains, self.total, len(STATISTICS))),
        )
        self.seconds = np.empty((chains, self.total))
        q = np.array([layout.ravel(start) for start in starts])
        log_precision = np.array([step.precisions.ravel(start) for start in starts])
        self.packs = [
            self._pack(slice(first, first + WIDTH), q, log_precision, rngs)
            for first in range(0, chains, WIDTH)
        ]

    def _pack(
        self,
        which: slice,
        q: np.ndarray,
        log_precision: np.ndarray,
        rngs: Sequence[np.random.Generator],
    ) -> _Chains:
        step, adaptation = self.step, self.step.adaptation
        last = min(which.stop, len(q)) - 1
        lanes = np.minimum(np.arange(which.start, which.stop), last)  # the last chain fills up
        curvature = step.conditional.parameters(initial_point(step.model)).curvature
        pack = allocate_pack(
            *(q[lanes], log_precision[lanes], curvature, step.moving),
            *(self.network, step.collapsed_form),
        )
        target = adaptation.target_accept if isinstance(adaptation, Adaptation) else None
        factors = start_factors(step.step_scale, target)
        random = allocate_randomness(pack, self.block_draws * step.thin)
        records = Records(*(array[which] for array in self.records))
        return _Chains(rngs[which], (pack, factors), random, records, self.seconds[which])

    @property
    def sweeps(self) -> int:
        """Sweeps of a recorded draw."""
        return self.step.thin

    @property
    def block_draws(self) -> int:
        """How many draws to make at a time; it depends on the model and the step alone."""
        return max(1, int(most_sweeps(self.step, self.network)) // self.step.thin)

    def blocks(self, cores: int = 1) -> Iterator[int]:
        """Sample block after block, all chains in step.

        Parameters
        ----------
        cores : int
            Threads to use; each moves one pack at a time.

        Yields
        ------
        int
            How many draws every chain has now.
        """
        with ThreadPoolExecutor(cores) as pool:
            each = map if cores == 1 else pool.map
            for first in range(0, self.total, self.block_draws):
                draws = first, min(first + self.block_draws, self.total)
                for _ in each(partial(self._advance, draws), self.packs):
                    pass
                if first == 0:
                    self._check_starts()
                yield draws[1]

    def _advance(self, draws: tuple[int, int], chains: _Chains) -> None:
        begin = perf_counter()
        step = self.step
        self._draw_randomness(chains)
        self.run(
            *chains.state,
            chains.random,
            chains.records,
            draws,
            step.thin,
            self.tune,
            step.n_leapfrog,
            step.moving,
            self.network,
        )
        elapsed = perf_counter() - begin
        chains.seconds[:, slice(*draws)] = elapsed / (draws[1] - draws[0]) / len(chains.seconds)

    def _check_starts(self) -> None:
        potentials = self.records.statistics[:, 0, POTENTIAL]
        for potential, start in zip(potentials, self.starts, strict=True):
            check_start(float(potential), self.step.model, start, type(self.step).__name__)

    def _draw_randomness(self, chains: _Chains) -> None:
        # for a whole block even at the end, so that draws do not depend on how many follow
        random = chains.random
        for i, rng in enumerate(chains.rngs):
            draw_randomness(self.step, rng, self.gamma_shapes, random, i, random.gammas[i])
        parts = random.normals, random.gammas, random.uniforms, random.jitter, random.outputs
        for array in parts:
            array[len(chains.rngs) :] = array[len(chains.rngs) - 1]

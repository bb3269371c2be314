"""What ladders of replicas have in common, whatever moves the replicas."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pymc as pm
from pymc.blocking import PointType, StatsType
from pymc.util import RandomGenerator, RandomGeneratorState, get_random_generator

from ...models.simd.one_thread import alone
from ..compiled.memory import initial_point
from ..options import check_whole
from ..pymc_steps import StepMethodState, dataclass_state
from ..steps.bases.pickled_step import PickledStep
from .replica_starts import replica_starts
from .rungs import check_ladder
from .swaps import swap


@dataclass_state
class ExchangeState(StepMethodState):
    """State of one ladder."""

    tune: bool
    parity: int
    swapping: RandomGeneratorState
    log_likelihoods: np.ndarray
    labels: np.ndarray
    rung_states: list


class Advanced(NamedTuple):
    """What became of all replicas in one iteration.

    Attributes
    ----------
    log_likelihoods, acceptance : ndarray, shape (temperatures,)
    diverging : ndarray of bool, shape (temperatures,)
    statistics : dict
        Of the replica at temperature 1.
    """

    log_likelihoods: np.ndarray
    acceptance: np.ndarray
    diverging: np.ndarray
    statistics: dict[str, Any]


class ExchangeStep(PickledStep):
    """Base of the steps that move replicas at several temperatures and let them change places.

    A step calls ``_declare_statistics`` at the end of its ``__init__``, and defines ``_begin``,
    ``_put``, ``_reorder``, ``_advance``, ``_posterior_point`` and ``values``.

    Parameters
    ----------
    temperatures : sequence of float
        The ladder, rising, with 1 among them; infinity stands for the prior.
    iterations_per_swap : int
        Iterations of each replica between two attempts to swap.
    record : bool
        Whether the positions of all temperatures become a statistic.
    model : pm.Model
        The model.
    rng : Generator or seed, optional
        Where random numbers come from until ``pm.sample`` brings its own.
    """

    _state_class = ExchangeState
    tempers = False
    begins_together = False  # whether all replicas begin where the chain does
    _rungs: Sequence[Any] = ()  # what learns at each temperature

    def __init__(
        self,
        temperatures: Sequence[float],
        iterations_per_swap: int,
        record: bool,
        model: pm.Model,
        rng: RandomGenerator,
    ):
        self.temperatures = check_ladder(temperatures)
        check_whole(1, iterations_per_swap=iterations_per_swap)
        self.iterations_per_swap = int(iterations_per_swap)
        self.record = bool(record) and self.temperatures.size > 1
        self.model, self.vars = model, list(model.value_vars)
        self.inverse = 1.0 / self.temperatures
        self.posterior = int(np.flatnonzero(self.temperatures == 1)[0])
        self.rng, self.tune = get_random_generator(rng), True

    @abstractmethod
    def _begin(self, points: list[PointType]) -> np.ndarray:
        """Put each replica where it begins, and return their log likelihoods."""

    @abstractmethod
    def _put(self, point: PointType) -> float | None:
        """Put the replica of temperature 1 elsewhere, if it is not there."""

    @abstractmethod
    def _reorder(self, order: np.ndarray) -> None:
        """Take each temperature's replica from another one, as :func:`.swaps.swap` says."""

    @abstractmethod
    def _advance(self) -> Advanced:
        """Move all replicas."""

    @abstractmethod
    def values(self) -> np.ndarray:
        """Positions of all replicas, shape (temperatures, size), in the model's order."""

    @abstractmethod
    def _posterior_point(self) -> PointType:
        """Where the replica of temperature 1 is."""

    def _declare_statistics(self, own: dict[str, tuple[Any, Any]]) -> None:
        """Say types and shapes of the statistics, with those of what moves a replica."""
        count = self.temperatures.size
        size = sum(np.size(value) for value in initial_point(self.model).values())
        found = own | {
            "replica": (np.int64, [count]),
            "tempered_log_likelihood": (np.float64, [count]),
            "tempered_acceptance": (np.float64, [count]),
            "tempered_diverging": (bool, [count]),
        }
        if count > 1:
            found["swap_probability"] = (np.float64, [count - 1])
        if self.record:
            found["tempered_values"] = (np.float64, [count, size])
        self.stats_dtypes_shapes = found
        shapes = found.items()  # of which PyMC's own backend reads none
        self.stats_dtypes = [
            {name: np.dtype((kind, tuple(shape))) for name, (kind, shape) in shapes}
        ]

    def _forget(self, tune: int) -> None:
        """Forget the last chain; the generator that decides on swaps is the subclass's to set."""
        self.tune, self.parity = bool(tune), 0
        self.log_likelihoods = np.empty(0)
        self.labels = np.arange(self.temperatures.size)

    @property
    def rung_states(self) -> list:
        """Sampling states of what moves the replica of each temperature."""
        self._check_compiled()
        return [rung.sampling_state for rung in self._rungs]

    @rung_states.setter
    def rung_states(self, states: list) -> None:
        self._check_compiled()
        for rung, state in zip(self._rungs, states, strict=True):
            rung.sampling_state = state

    def begin(self, points: Sequence[PointType]) -> None:
        """Put each replica where it is to begin, before the first iteration of a chain."""
        self._check_compiled()
        self.log_likelihoods = self._begin(list(points))

    @alone
    def step(self, point: PointType) -> tuple[PointType, StatsType]:
        """Let neighbours try to change places, then move each replica."""
        begin = perf_counter()
        self._check_compiled()
        if not self.log_likelihoods.size:
            ladder = self.model, self.temperatures, point, self.swapping
            self.begin(replica_starts(*ladder, self.begins_together))
        elif (found := self._put(point)) is not None:
            self.log_likelihoods[self.posterior] = found
        probabilities = self._swap()
        moved = self._advance()
        self.log_likelihoods = moved.log_likelihoods
        statistics = moved.statistics | {
            "replica": self.labels,
            "tempered_log_likelihood": self.log_likelihoods.copy(),
            "tempered_acceptance": moved.acceptance,
            "tempered_diverging": moved.diverging,
            "perf_counter_diff": perf_counter() - begin,
        }
        if probabilities.size:
            statistics["swap_probability"] = probabilities
        if self.record:
            statistics["tempered_values"] = self.values()
        return self._posterior_point(), [statistics]

    def _swap(self) -> np.ndarray:
        """Let every other pair try, and return the probabilities with which they did."""
        uniforms = self.swapping.random(self.temperatures.size - 1)
        swapped = swap(self.log_likelihoods, self.inverse, self.parity, uniforms)
        self._reorder(swapped.order)
        self.labels, self.parity = self.labels[swapped.order], 1 - self.parity
        return swapped.probabilities


@contextmanager
def replicas_begin(step: Any, together: bool) -> Iterator[None]:
    """Say of a ladder for a while whether all of its replicas begin where the chain does."""
    if isinstance(step, ExchangeStep):
        step.begins_together = together
    try:
        yield
    finally:
        if isinstance(step, ExchangeStep):
            step.begins_together = False

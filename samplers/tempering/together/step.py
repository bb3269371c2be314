"""Replica exchange whose replicas are moved by JAX, all of them as one batch."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from pymc.util import RandomGenerator

from ....models.bnn import BNN
from ....models.data.choices import choose
from ....models.data.renewed_data import check_data
from ...compiled.engine import compiles
from ...compiled.memory import remembered
from ...dynamics.metropolis import LARGEST_ENERGY_ERROR
from ...options import check_whole
from ...pymc_steps import dataclass_state
from ...starts import check_start
from ...step_sizes.adaptation import Adaptation, check_factor
from ...step_sizes.reflecting_walls import ReflectingWalls
from ...steps.bases.hamiltonian import STATISTICS, HamiltonianStep
from ...steps.bases.untempered import check_tempering
from ..exchange_step import Advanced, ExchangeState, ExchangeStep
from ..rungs import REPEATED
from .energies import WHO, jax_energies
from .trajectories import Moved, compile_trajectories


@dataclass_state
class TogetherState(ExchangeState):
    """State of one ladder."""

    divergences: int
    seed: int
    count: int
    positions: np.ndarray


class ReplicasTogether(ExchangeStep):
    r"""Replica exchange with all replicas as one batch of matrix products.

    As :class:`..replica_exchange.ReplicaExchange` with :class:`.StaticHMC` of all variables and
    step sizes learnt in warm-up, each temperature its own. The trajectories of all replicas are one
    call of a function that JAX compiles from PyTensor's graph of the model, for a processor or an
    accelerator. Swaps change places of temperatures and leave positions where they are.

    The same seed gives the same draws on the same kind of device, where JAX's operations are
    deterministic; they are not those of :class:`..replica_exchange.ReplicaExchange`.

    Parameters
    ----------
    temperatures, iterations_per_swap, record, model, rng
        As for :class:`..replica_exchange.ReplicaExchange`; an iteration is a trajectory.
    n_leapfrog : int
        Leapfrog steps per trajectory.
    step_scale : float
        Factor of the step sizes that warm-up starts from.
    target_accept : float
        Mean acceptance at which warm-up aims.
    metric : {"diag", "unit"}
        What warm-up learns besides the factor: standard deviations of all variables, or nothing.

    Raises
    ------
    ValueError
        If an argument is not valid, or JAX cannot sample the model.
    """

    name = "replicas_together"
    _state_class = TogetherState
    compiled = ("_run", "_data", "_process")  # of a device, or of a process

    @compiles
    def __init__(
        self,
        temperatures: Sequence[float],
        iterations_per_swap: int = 1,
        n_leapfrog: int = 100,
        step_scale: float = 0.3,
        target_accept: float = 0.8,
        metric: str = "diag",
        record: bool = True,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
    ):
        super().__init__(temperatures, iterations_per_swap, record, pm.modelcontext(model), rng)
        check_whole(1, n_leapfrog=n_leapfrog)
        check_factor(step_scale, target_accept)
        choose(f"metric with {WHO}", metric, ("diag", "unit"))
        for end in (self.temperatures[0], self.temperatures[-1]):
            check_tempering(self.model, float(end))
        self.n_leapfrog, self.metric = int(n_leapfrog), metric
        self.layout = jax_energies(self.model).layout
        self.walls = ReflectingWalls(self.model, self.layout)
        given = self.layout.size, float(step_scale), float(target_accept), metric
        self._rungs = [Adaptation(*given) for _ in self.temperatures]
        self._declare_statistics(STATISTICS | {"trajectory_accepted": (bool, [])})
        self.setup_chain(self.rng, 0, 0)

    def setup_chain(self, rng: RandomGenerator, tune: int, draws: int) -> None:
        """Forget the last chain."""
        import jax

        super().setup_chain(rng, tune, draws)
        if not hasattr(self, "_process"):
            self._process = os.getpid()
        if self._process != os.getpid():
            raise ValueError(
                f"cores: {WHO} may hang in a process that is forked; give cores=1, or "
                'mp_ctx="forkserver".'
            )
        if isinstance(self.model, BNN):
            check_data(self.model)
        energies = jax_energies(self.model)
        self._run = remembered(
            self.model,
            "trajectories for JAX",
            lambda: compile_trajectories(energies, self.walls.lower, self.walls.widths),
        )
        self._data = [jax.device_put(value) for value in energies.data()]
        [self.swapping] = self.rng.spawn(1)
        self._forget(tune)

    def _forget(self, tune: int) -> None:
        super()._forget(tune)
        self.divergences, self.count = 0, 0
        self.seed = int(self.swapping.integers(2**32))
        self._point: PointType = {}
        self.positions = np.empty((0, self.layout.size))
        for adaptation in self._rungs:
            adaptation.start(self.iterations_per_swap * tune)

    @property
    def positions(self) -> np.ndarray:
        """Where all replicas are, shape (temperatures, size)."""
        return np.asarray(self._positions)

    @positions.setter
    def positions(self, positions: np.ndarray) -> None:
        self._positions: Any = positions

    def _begin(self, points: list[PointType]) -> np.ndarray:
        self.positions = np.array([self.layout.ravel(point) for point in points])
        moved = self._trajectories(0, np.zeros(len(points)))
        energy = -float(moved.prior[self.posterior] + moved.likelihood[self.posterior])
        check_start(energy, self.model, points[self.posterior], WHO)
        self._point = points[self.posterior]
        return moved.likelihood

    def _put(self, point: PointType) -> float | None:
        if point is self._point:
            return None
        positions = np.array(self._positions)
        positions[self.labels[self.posterior]] = self.layout.ravel(point)
        self.positions, self._point = positions, point
        moved = self._trajectories(0, np.zeros(len(positions)))
        return float(moved.likelihood[self.labels[self.posterior]])

    def _reorder(self, order: np.ndarray) -> None:
        """Leave positions where they are: they are found by their labels."""

    def _advance(self) -> Advanced:
        found = [self._move() for _ in range(self.iterations_per_swap)]
        moved, statistics = found[-1]
        for name in REPEATED.keys() & statistics.keys():
            statistics[name] = REPEATED[name]([one[name] for _, one in found])
        acceptance = np.mean([one.acceptance for one, _ in found], axis=0)[self.labels]
        errors = np.array([one.error for one, _ in found])[:, self.labels]
        diverging = ~(errors < LARGEST_ENERGY_ERROR).all(axis=0)
        self._point = self.layout.unravel(
            np.asarray(self._positions[self.labels[self.posterior]]), self._point
        )
        return Advanced(moved.likelihood[self.labels], acceptance, diverging, statistics)

    def _move(self) -> tuple[Moved, dict[str, Any]]:
        """Move all replicas once, learn from it, and say what became of the one at 1."""
        factors = np.array([one.current_factor(self.tune) for one in self._rungs])
        moved = self._trajectories(self.n_leapfrog, factors)
        self._positions = moved.position
        self.count += 1
        if self.tune:
            self._learn(moved.acceptance, factors)
        row = self.labels[self.posterior]
        error = float(moved.error[row])
        diverging = not error < LARGEST_ENERGY_ERROR
        self.divergences += diverging and not self.tune
        logp = float(moved.prior[row] + moved.likelihood[row])
        return moved, {
            "acceptance_rate": float(moved.acceptance[row]),
            "trajectory_accepted": bool(moved.accepted[row]),
            "energy_error": error,
            "diverging": diverging,
            "divergences": self.divergences,
            "n_steps": self.n_leapfrog,
            "transitions": 1,
            "step_size": float(factors[self.posterior]),
            "energy": float(moved.kinetic[row]) - logp,
            "model_logp": logp,
        }

    def _trajectories(self, n_leapfrog: int, factors: np.ndarray) -> Moved:
        """Run a trajectory of every replica, with factors of the step sizes by temperature."""
        import jax

        inverse = np.empty(self.labels.size)
        inverse[self.labels] = self.inverse
        steps = np.empty((self.labels.size, 1 if self.metric == "unit" else self.layout.size))
        for place, (factor, one) in enumerate(zip(factors, self._rungs, strict=True)):
            steps[self.labels[place]] = factor if self.metric == "unit" else factor * one.scale
        given = self._positions, inverse, steps, n_leapfrog
        moved = self._run(self.seed, self.count, *given, *self._data)
        # one transfer for all numbers; positions may be many, and stay on the device
        found = Moved(moved.position, *jax.device_get(moved[1:]))
        # undefined where the prior alone leads to: no likelihood
        undefined = np.isnan(found.likelihood)
        return found._replace(likelihood=np.where(undefined, -np.inf, found.likelihood))

    def _learn(self, acceptance: np.ndarray, factors: np.ndarray) -> None:
        """Let each temperature learn from its replica."""
        positions = self.positions if self.metric == "diag" else None
        for place, one in enumerate(self._rungs):
            row, reached = self.labels[place], acceptance[self.labels[place]]
            if self.walls.bound(factors[place] * one.scale):
                reached = min(reached, one.target_accept)
            one.update(np.empty(0) if positions is None else positions[row], float(reached))

    def values(self) -> np.ndarray:
        """Positions of all replicas, shape (temperatures, size), in the model's order."""
        return self.positions[self.labels]

    def _posterior_point(self) -> PointType:
        return self._point

    def _progressbar_config(self, n_chains: int = 1) -> tuple[list, dict]:
        return HamiltonianStep._progressbar_config(n_chains)

    def _make_progressbar_update_functions(self) -> tuple:
        return HamiltonianStep._make_progressbar_update_functions()

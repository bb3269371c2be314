"""What Hamiltonian step methods have in common: a block, its potential, step sizes."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from pymc.util import RandomGenerator

from ....models.data.choices import choose
from ...compiled.engine import compiles
from ...dynamics.metropolis import LARGEST_ENERGY_ERROR
from ...potential.cases.cases_in_blocks import look_anew
from ...potential.parameters import Parameters
from ...pymc_steps import dataclass_state
from ...step_sizes.adaptation import Adaptation, AdaptationState, check_factor
from ...step_sizes.curvature import NealStepSizes
from ...step_sizes.given_factor import GivenFactor, GivenFactorState
from ...step_sizes.metric import METRICS
from ...step_sizes.reflecting_walls import ReflectingWalls, check_not_reflected
from .block_step import BlockStep
from .compiled_step import GRADIENTS, CompiledState

STATISTICS: dict[str, tuple[type, list]] = GRADIENTS | {
    "acceptance_rate": (np.float64, []),
    "energy_error": (np.float64, []),
    "transitions": (np.int64, []),
}


class Transition(NamedTuple):
    """Outcome of one iteration.

    Attributes
    ----------
    position : ndarray, shape (size,)
        The new position.
    potential : float
        Its potential energy, given the held variables.
    energy : float
        Potential and kinetic energy together.
    statistics : dict
        All other statistics of the step.
    learnt_from : float, optional
        Acceptance that warm-up learns from, if not the ``acceptance_rate`` of the statistics.
    divergences : int, optional
        Diverging trajectories, if there are several to a draw; by default the one of the
        statistics.
    log_constant : float
        The log posterior plus the potential energy, where the base does not know it.
    """

    position: np.ndarray
    potential: float
    energy: float
    statistics: dict[str, Any]
    learnt_from: float | None = None
    divergences: int | None = None
    log_constant: float = 0.0


def transition_of(position: np.ndarray, found: Any, **others: Any) -> Transition:
    """Outcome of an iteration from what compiled code says of the last trajectory, and more.

    Parameters
    ----------
    position : ndarray, shape (size,)
        The new position.
    found : Outcome, Annealed, Swept or Moved
        What became of the trajectories.
    **others
        Further statistics, ``n_steps`` among them.
    """
    statistics = {
        "acceptance_rate": found.acceptance,
        "trajectory_accepted": found.accepted,
        "energy_error": found.error,
        "diverging": not found.error < LARGEST_ENERGY_ERROR,
    }
    energy = found.potential + found.kinetic
    return Transition(position, found.potential, energy, statistics | others)


@dataclass_state
class HamiltonianState(CompiledState):
    """State of one chain."""

    adaptation: AdaptationState | GivenFactorState


class HamiltonianStep(BlockStep):
    """Base of the step methods that follow Hamiltonian dynamics in compiled code.

    Parameters
    ----------
    model : pm.Model
        The model.
    names : sequence of str
        Names of the value variables to move.
    curvature : bool
        Whether step sizes follow from a network's curvature; otherwise they are learnt.
    step_scale : float
        Step size adjustment factor, or the one that warm-up starts from.
    target_accept : float or None
        Acceptance at which warm-up aims by changing the factor; with None it keeps the factor
        but where the chain stands still (see :mod:`.given_factor`).
    rng : Generator or seed
        Where random numbers come from until ``pm.sample`` brings its own.
    precision : {"float64", "float32"}
        Of the pass through a network.
    metric : {"diag", "dense", "unit"}
        What warm-up learns about the scales of the components, besides the factor. It decides
        the shape of the step sizes that ``_move`` gets (see :mod:`.metric`).
    search_accept : float, optional
        Acceptance at which warm-up aims before its last interval, where it is lower.
    """

    _state_class = HamiltonianState
    compiled: ClassVar[tuple[str, ...]] = ("_neal", "_rest", "_run")
    shown: ClassVar[dict[str, tuple[str, str]]] = {
        "divergences": ("Divergences", ""),
        "acceptance_rate": ("Acceptance", ":0.2f"),
        "n_steps": ("Grad evals", ""),
    }
    translates: ClassVar[bool] = True  # whether trajectories depend on positions by gradients alone

    @compiles
    def __init__(
        self,
        model: pm.Model,
        names: Sequence[str],
        curvature: bool,
        step_scale: float,
        target_accept: float | None,
        rng: RandomGenerator,
        precision: str = "float64",
        metric: str = "diag",
        search_accept: float | None = None,
    ):
        check_factor(step_scale, target_accept, search_accept)
        self.metric = choose("metric", metric, METRICS)
        self.curvature, self.step_scale = curvature, float(step_scale)
        if not self.translates or self.metric == "dense":
            asks = type(self).__name__ if not self.translates else 'metric="dense"'
            check_not_reflected(model, names, asks)
        super().__init__(model, names, rng, precision)
        self.walls = ReflectingWalls(model, self.conditional.layout)
        learnt, size = "unit" if curvature else self.metric, self.conditional.layout.size
        self.adaptation: Adaptation | GivenFactor = (
            GivenFactor()
            if target_accept is None
            else Adaptation(size, self.step_scale, target_accept, learnt, search_accept)
        )
        self._compile()

    def _move(
        self, q: np.ndarray, step_sizes: np.ndarray, parameters: Parameters, data: tuple
    ) -> Transition:
        """Run one iteration from a position; a step that overrides ``_advance`` needs none."""
        raise TypeError(f"{type(self).__name__} has to define _move or _advance")

    def _build(self) -> None:
        self._neal = NealStepSizes(self.conditional) if self.curvature else None
        super()._build()

    def _forget(self, tune: int) -> None:
        super()._forget(tune)
        self.adaptation.start(tune)
        look_anew(self.conditional.model)  # which may be a twin of the step's model
        if self._neal is not None:
            self._neal.look_anew()

    def _iterate(self, point: PointType) -> tuple[PointType, dict[str, Any]]:
        factor = self._factor()
        after, moved = self._advance(point, factor)
        found = {"transitions": 1, **moved.statistics, "step_size": factor}
        found |= self._energies(point, moved.potential, moved.log_constant, moved.energy)
        diverging = found["diverging"] if moved.divergences is None else moved.divergences
        found |= self._count(int(diverging))
        if self.tune:
            self._learn(moved, factor)
        return after, found

    def _learn(self, moved: Transition, factor: float) -> None:
        """Learn from one iteration of warm-up."""
        acceptance = moved.learnt_from
        if acceptance is None:
            acceptance = moved.statistics["acceptance_rate"]
        adaptation = self.adaptation
        if isinstance(adaptation, Adaptation) and self.walls.bound(factor * adaptation.scale):
            acceptance = min(acceptance, adaptation.aim)
        adaptation.update(moved.position, acceptance)

    def _advance(self, point: PointType, factor: float) -> tuple[PointType, Transition]:
        """Move the block."""
        conditional = self.conditional
        parameters = conditional.parameters(point)
        step_sizes = self.walls.limited(factor * self._unit_step_sizes(parameters))
        data = conditional.data(self._rest, point, parameters)
        moved = self._move(conditional.layout.ravel(point), step_sizes, parameters, data)
        q, constant = self.walls.folded(moved.position), float(parameters.log_constant)
        moved = moved._replace(position=q, log_constant=constant)
        return conditional.layout.unravel(q, point), moved

    def _factor(self) -> float:
        """Step size adjustment factor of the next iteration."""
        if isinstance(self.adaptation, GivenFactor):
            return self.adaptation.reduced(self.step_scale, self.tune)
        return self.adaptation.current_factor(self.tune)

    def _unit_step_sizes(self, parameters: Parameters) -> np.ndarray:
        """Step sizes for a factor of 1."""
        if self._neal is not None:
            return self._neal(parameters)
        assert isinstance(self.adaptation, Adaptation)
        return self.adaptation.scale

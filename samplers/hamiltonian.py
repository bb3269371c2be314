"""What Hamiltonian step methods have in common: a block, its potential, step sizes, statistics."""

import logging
from abc import abstractmethod
from collections.abc import Callable, Sequence
from numbers import Real
from time import perf_counter
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pymc as pm
from pymc.blocking import PointType, StatsType
from pymc.step_methods.arraystep import BlockedStep
from pymc.step_methods.compound import StepMethodState
from pymc.step_methods.state import dataclass_state
from pymc.util import RandomGenerator, get_random_generator

from ..models.choices import choose
from ..models.network import BNN
from ..models.renewed_data import check_data
from .adaptation import Adaptation, AdaptationState
from .agreement import check_potential
from .conditional import Conditional, Parameters
from .conjugacy import conjugate_names
from .curvature import NealStepSizes
from .engine import one_thread_at_a_time
from .layout import value_names
from .memory import initial_point
from .metric import METRICS
from .progress_bar import HamiltonianProgress
from .recognition import is_network

LARGEST_ENERGY_ERROR = 1000.0

_log = logging.getLogger("pymc")

# of the types that pm.NUTS gives them: PyMC refuses other types under the same name
STATISTICS: dict[str, tuple[type, list]] = {
    "acceptance_rate": (np.float64, []),
    "energy": (np.float64, []),
    "energy_error": (np.float64, []),
    "diverging": (bool, []),
    "divergences": (int, []),
    "model_logp": (np.float64, []),
    "n_steps": (np.int64, []),
    "step_size": (np.float64, []),
    "perf_counter_diff": (np.float64, []),
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
    """

    position: np.ndarray
    potential: float
    energy: float
    statistics: dict[str, Any]
    learnt_from: float | None = None


@dataclass_state
class HamiltonianState(StepMethodState):
    """State of one chain."""

    tune: bool
    divergences: int
    adaptation: AdaptationState | None


class HamiltonianStep(HamiltonianProgress, BlockedStep):
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
        Acceptance at which warm-up aims by changing the factor; None leaves it.
    rng : Generator or seed
        Where random numbers come from until ``pm.sample`` brings its own.
    precision : {"float64", "float32"}
        Of the pass through a network.
    metric : {"diag", "dense", "unit"}
        What warm-up learns about the scales of the components, besides the factor. It decides
        the shape of the step sizes that ``_move`` gets (see :mod:`.metric`).
    """

    _state_class = HamiltonianState
    compiled: ClassVar[tuple[str, ...]] = ("_neal", "_rest", "_run")

    @one_thread_at_a_time
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
    ):
        _check(step_scale, target_accept)
        self.metric = choose("metric", metric, METRICS)
        self.model, self.curvature, self.step_scale = model, curvature, float(step_scale)
        self.rng = get_random_generator(rng)
        self.tune, self.divergences, self.agrees = True, 0, False
        self.vars = [v for v in model.value_vars if v.name in set(names)]
        _check_continuous(self.vars, type(self).__name__)
        self.conditional = self._conditional(model, names, precision)
        learnt = "unit" if curvature else self.metric
        self.adaptation = (
            None
            if target_accept is None
            else Adaptation(self.conditional.layout.size, self.step_scale, target_accept, learnt)
        )
        self._compile()

    def _conditional(self, model: pm.Model, names: Sequence[str], precision: str) -> Conditional:
        """Potential energy of the block."""
        return Conditional(model, names, precision)

    @abstractmethod
    def _compile_run(self) -> Callable[..., Any]:
        """Compile the iteration's dynamics for ``self.conditional`` and ``self._rest``."""

    def _move(
        self, q: np.ndarray, step_sizes: np.ndarray, parameters: Parameters, data: tuple
    ) -> Transition:
        """Run one iteration from a position; a step that overrides ``_advance`` needs none."""
        raise TypeError(f"{type(self).__name__} has to define _move or _advance")

    @one_thread_at_a_time
    def _compile(self) -> None:
        """Compile the dynamics and run them once, so that nothing is left to compile."""
        if (fallback := self.conditional.fallback()) is not None:
            _log.info(fallback)
        self._neal = NealStepSizes(self.conditional) if self.curvature else None
        self._rest = self.conditional.compile_rest(gradient=True)
        self._run = self._compile_run()
        if not self.agrees:
            self._check_agreement()
            self.agrees = True
        rng, self.rng = self.rng, np.random.default_rng(0)
        self.step(initial_point(self.model))
        self.rng = rng
        if self.adaptation is not None:
            self.adaptation.start(0)

    def _check_agreement(self) -> None:
        """Hold what was compiled against the model's own graph."""
        check_potential(self.conditional, self._rest, type(self).__name__)

    def __getstate__(self) -> dict[str, Any]:
        """Leave compiled functions behind; a worker process loads them from the disk cache."""
        return {name: value for name, value in vars(self).items() if name not in self.compiled}

    def setup_chain(self, rng: RandomGenerator, tune: int, draws: int) -> None:
        """Forget the last chain."""
        super().setup_chain(rng, tune, draws)
        if not hasattr(self, "_run"):
            self._compile()
        if isinstance(self.model, BNN):
            check_data(self.model)
        self.tune, self.divergences = bool(tune), 0
        if self.adaptation is not None:
            self.adaptation.start(tune)

    def step(self, point: PointType) -> tuple[PointType, StatsType]:
        """Run one iteration."""
        begin = perf_counter()
        factor = self._factor()
        point, moved, constant = self._advance(point, factor)
        statistics = moved.statistics
        if self.tune and self.adaptation is not None:
            learnt_from = moved.learnt_from
            if learnt_from is None:
                learnt_from = statistics["acceptance_rate"]
            self.adaptation.update(moved.position, learnt_from)
        self.divergences += 0 if self.tune else int(statistics["diverging"])
        statistics |= {
            "energy": moved.energy - constant,
            "model_logp": constant - moved.potential,
            "divergences": self.divergences,
            "step_size": factor,
            "perf_counter_diff": perf_counter() - begin,
        }
        return point, [statistics]

    def _advance(self, point: PointType, factor: float) -> tuple[PointType, Transition, float]:
        """Move the block, and return the log posterior plus the potential energy too."""
        conditional = self.conditional
        parameters = conditional.parameters(point)
        step_sizes = factor * self._unit_step_sizes(parameters)
        data = conditional.data(self._rest, point, parameters)
        moved = self._move(conditional.layout.ravel(point), step_sizes, parameters, data)
        point = conditional.layout.unravel(moved.position, point)
        return point, moved, float(parameters.log_constant)

    def _factor(self) -> float:
        """Step size adjustment factor of the next iteration."""
        if self.adaptation is None:
            return self.step_scale
        return self.adaptation.current_factor(self.tune)

    def _unit_step_sizes(self, parameters: Parameters) -> np.ndarray:
        """Step sizes for a factor of 1."""
        if self._neal is not None:
            return self._neal(parameters)
        assert self.adaptation is not None
        return self.adaptation.scale


def block_names(model: pm.Model, vars: Sequence | None) -> list[str]:
    """Names of the variables a user gave, or of all continuous but the conjugate precisions."""
    if vars is not None:
        return value_names(model, vars)
    conjugate = conjugate_names(model)
    return [v.name for v in model.continuous_value_vars if v.name not in conjugate]


def weight_names(model: pm.Model, vars: Sequence | None) -> list[str]:
    """Names of the variables a user gave, or of a network's weights."""
    if vars is None and isinstance(model, BNN) and is_network(model):
        return [model.free_name(group) for group in model.groups]
    return block_names(model, vars)


def _check(step_scale: float, target_accept: float | None) -> None:
    if not isinstance(step_scale, Real) or not 0 < step_scale < np.inf:
        raise ValueError(f"step_scale={step_scale!r}: give a positive number.")
    fraction = isinstance(target_accept, Real) and 0 < target_accept < 1
    if target_accept is not None and not fraction:
        raise ValueError(f"target_accept={target_accept!r}: give a number between 0 and 1.")


def _check_continuous(variables: Sequence, step: str) -> None:
    discrete = [v.name for v in variables if not np.issubdtype(v.dtype, np.floating)]
    if discrete:
        raise ValueError(
            f"{step} cannot move the discrete variable(s) {', '.join(discrete)}; "
            "leave them out of vars."
        )

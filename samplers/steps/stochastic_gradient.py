"""What step methods with stochastic gradients have in common: minibatches, schedule, statistics."""

from abc import abstractmethod
from collections.abc import Callable
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import pymc as pm
from pymc.blocking import PointType, StatsType
from pymc.util import RandomGenerator, get_random_generator
from rich.progress import TextColumn
from rich.table import Column

from ...models.bnn import BNN
from ..compiled import engine
from ..compiled.memory import initial_point
from ..dynamics.minibatch import Minibatches, compile_estimate
from ..dynamics.stochastic_dynamics import potential_energy
from ..potential.agreement import check_potential
from ..potential.conditional import Conditional
from ..potential.recognition import weight_values, why_no_kernel
from ..potential.rest import compile_probe
from ..precisions.given_factor import GivenFactor, GivenFactorState
from ..pymc_steps import BlockedStep, StepMethodState, dataclass_state
from ..starts import check_start
from ..step_sizes.schedules import Schedule
from .hamiltonian import STATISTICS as HAMILTONIAN

SHARED = (
    *("energy", "model_logp", "diverging", "divergences"),
    *("n_steps", "step_size", "perf_counter_diff"),
)
STATISTICS: dict[str, tuple[type, list]] = {
    "biased": (bool, []),
    **{name: HAMILTONIAN[name] for name in SHARED},
}


@dataclass_state
class StochasticGradientState(StepMethodState):
    """State of one chain."""

    tune: bool
    divergences: int
    updates: int
    reduction: GivenFactorState


class StochasticGradientStep(BlockedStep):
    """Base of the step methods that move a network's weights by gradients of minibatches.

    Nothing is accepted or rejected: the draws are biased, which the statistic ``biased`` says.
    ``energy`` is the negative log posterior of all cases at each recorded draw. Where it is not
    finite, the draw counts as diverging and the weights go back to the last draw. Where that
    happens in ten draws of warm-up in a row, warm-up takes smaller step sizes until it does not
    (see :mod:`.given_factor`).

    Parameters
    ----------
    schedule : callable
        Step sizes; see :mod:`.step_size_schedules`.
    updates_per_draw : int
        Minibatches for each recorded draw.
    batch_size : int
        Cases of a minibatch.
    model : pm.Model
        The model.
    rng : Generator or seed
        Where random numbers come from until ``pm.sample`` brings its own.

    Raises
    ------
    ValueError
        If the model is not a centred network, or has fewer cases.
    """

    stats_dtypes_shapes = STATISTICS
    _state_class = StochasticGradientState
    compiled: ClassVar[tuple[str, ...]] = ("_run",)
    tempers: ClassVar[bool] = True

    @engine.compiles
    def __init__(
        self,
        schedule: Schedule,
        updates_per_draw: int,
        batch_size: int,
        model: pm.Model,
        rng: RandomGenerator,
    ):
        self.schedule, self.updates_per_draw = schedule, updates_per_draw
        self.model, self.rng = model, get_random_generator(rng)
        self.tune, self.divergences, self.updates, self.agrees = True, 0, 0, False
        self.reduction = GivenFactor()
        self.conditional = _weights_of(model, type(self).__name__)
        names = set(self.conditional.layout.names)
        self.vars = [v for v in model.value_vars if v.name in names]
        self.minibatches = Minibatches(self.conditional, batch_size)
        self._compile()

    @abstractmethod
    def _compile_run(self, functions: dict[str, Callable]) -> Callable[..., Any]:
        """Compile the updates between two draws, with ``functions`` for what they need."""

    @abstractmethod
    def _arguments(self) -> tuple:
        """What the compiled updates take between the step sizes and the prior's mean."""

    @engine.compiles
    def _compile(self) -> None:
        """Compile the updates and run them once, so that nothing is left to compile."""
        slope = self.conditional.compile_rest(gradient=True)
        value = self.conditional.compile_rest(gradient=False)
        functions = {
            "allocate": slope.allocate,
            "estimate": compile_estimate(slope.evaluate),
            "energy_of": engine.bind(
                potential_energy, allocate=value.allocate, rest=value.evaluate
            ),
        }
        self._run = self._compile_run(functions)
        if not self.agrees:
            potential = compile_probe(self.conditional, slope)
            check_potential(self.conditional, potential, type(self).__name__)
            self.agrees = True
        self.begins = False  # the model's initial point need not be where chains start
        rng, self.rng = self.rng, np.random.default_rng(0)
        self.step(initial_point(self.model))
        self.rng, self.divergences, self.updates = rng, 0, 0
        self.reduction.start(0)

    def __getstate__(self) -> dict[str, Any]:
        """Leave compiled functions behind; a worker process loads them from the disk cache."""
        return {name: value for name, value in vars(self).items() if name not in self.compiled}

    def setup_chain(self, rng: RandomGenerator, tune: int, draws: int) -> None:
        """Forget the last chain."""
        super().setup_chain(rng, tune, draws)
        if not hasattr(self, "_run"):
            self._compile()
        self.tune, self.divergences, self.updates = bool(tune), 0, 0
        self.reduction.start(tune)
        self.begins = True

    def step(self, point: PointType) -> tuple[PointType, StatsType]:
        """Make the updates of one recorded draw."""
        begin = perf_counter()
        conditional = self.conditional
        parameters = conditional.parameters(point)
        step_sizes = self.schedule(self.updates, self.updates_per_draw)
        step_sizes = step_sizes * self.reduction.reduced(1.0, self.tune)
        whole = conditional.network_data(parameters)
        q, potential, updates, diverging = self._run(
            self.rng,
            conditional.layout.ravel(point),
            step_sizes,
            *self._arguments(),
            parameters.mean,
            parameters.precision,
            self.minibatches(parameters, whole),
            whole,
        )
        if self.begins:
            check_start(float(potential), self.model, point, type(self).__name__)
            self.begins = False
        self.updates += self.updates_per_draw
        if self.tune:
            self.reduction.update(q, 0.0 if diverging else 1.0)
        else:
            self.divergences += int(diverging)
        energy = float(potential - parameters.log_constant)
        statistics = {
            "biased": True,
            "energy": energy,
            "model_logp": -energy,
            "diverging": diverging,
            "divergences": self.divergences,
            "n_steps": updates,
            "step_size": step_sizes[-1],
            "perf_counter_diff": perf_counter() - begin,
        }
        return conditional.layout.unravel(q, point), [statistics]

    @staticmethod
    def _progressbar_config(n_chains: int = 1) -> tuple[list, dict[str, list]]:
        columns = [
            TextColumn("{task.fields[divergences]}", table_column=Column("Divergences", ratio=1)),
            TextColumn("{task.fields[energy]:0.1f}", table_column=Column("Energy", ratio=1)),
            TextColumn("{task.fields[n_steps]}", table_column=Column("Minibatches", ratio=1)),
        ]
        return columns, {name: [0] * n_chains for name in ("divergences", "energy", "n_steps")}

    @staticmethod
    def _make_progressbar_update_functions() -> tuple:
        def update(stats: dict[str, Any]) -> dict[str, Any]:
            shown = {name: stats[name] for name in ("divergences", "energy", "n_steps")}
            return {**shown, "failing": stats["divergences"] > 0}

        return (update,)


def _weights_of(model: pm.Model, step: str) -> Conditional:
    """All weights of a network, given its hyperparameters."""
    if not isinstance(model, BNN):
        raise ValueError(f"{step} needs a pymc_bnn network; use StaticHMC or NUTS.")
    conditional = Conditional(model, weight_values(model))
    if not conditional.fused:
        reason = why_no_kernel(model)
        parts = "the centred parametrization, normal weights"
        needs = f"needs {parts}, and nothing added that depends on the weights"
        raise ValueError(
            f"{step} {needs if reason is None else f'cannot sample this model, as {reason}'}; "
            "use StaticHMC or NUTS."
        )
    return conditional


def check_count(name: str, value: int, least: int = 1) -> int:
    """Return a whole number, or say which argument is none."""
    if int(value) != value or value < least:
        raise ValueError(f"{name}={value!r}: give a whole number of at least {least}.")
    return int(value)

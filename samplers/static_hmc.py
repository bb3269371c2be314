"""Hamiltonian Monte Carlo with trajectories of a fixed number of leapfrog steps."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
import pymc as pm
from pymc.blocking import PointType, StatsType
from pymc.step_methods.arraystep import BlockedStep
from pymc.step_methods.compound import StepMethodState
from pymc.step_methods.state import dataclass_state
from pymc.util import RandomGenerator, get_random_generator
from rich.progress import TextColumn
from rich.table import Column

from ..models.choices import choose
from ..models.network import BNN
from .adaptation import AdaptedStepSizes, AdaptedStepSizesState
from .conditional import Conditional, Parameters
from .conjugacy import conjugate_names
from .curvature import NealStepSizes
from .jitter import check_jitter, jitter_factor
from .layout import value_names
from .leapfrog import Trajectory, compile_leapfrog

LARGEST_ENERGY_ERROR = 1000.0


@dataclass_state
class StaticHMCState(StepMethodState):
    """State of one chain."""

    tune: bool
    divergences: int
    adapted: AdaptedStepSizesState | None


class StaticHMC(BlockedStep):
    r"""Hamiltonian Monte Carlo with a fixed number of leapfrog steps per trajectory.

    A trajectory from position :math:`q` with a fresh momentum ends in a proposal that is accepted
    with probability :math:`\min(1, e^{-\Delta H})` (Choo 2000, Algorithm 3; Neal 1995, 3.1). It
    runs in compiled code as a whole.

    With ``step_sizes="neal"`` the steps of a network's weights follow from the curvature at the
    current hyperparameters, which other steps update, anew in each iteration (Neal 1995, 3.2.2;
    Choo 2000, Eqs. 2.18 and 4.30-4.34). With ``"adapt"`` they are learnt in warm-up, for any
    continuous variables of any model.

    Parameters
    ----------
    vars : sequence of str or Variable, optional
        Variables to move. By default the weights of a network with ``"neal"``, and with
        ``"adapt"`` every continuous variable but the conjugate precisions.
    n_leapfrog : int
        Leapfrog steps per trajectory.
    step_scale : float
        The step size adjustment factor (eta of Neal and Choo), or the first step size with
        ``"adapt"``.
    step_sizes : {"neal", "adapt"}
        Where the step sizes come from.
    jitter : {None, "uniform", "log-normal", "cauchy"}
        Random factor of the step size (Neal 1992, Eq. 23).
    jitter_spread : float
        Spread of that factor.
    target_accept : float
        Mean acceptance that ``"adapt"`` aims at.
    model : pm.Model, optional
        The model; by default that of the context.
    rng : Generator or seed, optional
        Where random numbers come from outside ``pm.sample``, which brings its own.

    Raises
    ------
    ValueError
        If an argument is not valid, or the model lacks the structure that ``"neal"`` needs.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import models, samplers
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> with models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,)):
    ...     steps = [samplers.GibbsPrecision(), samplers.StaticHMC(n_leapfrog=20)]
    ...     idata = pm.sample(draws=10, tune=10, chains=1, step=steps, progressbar=False,
    ...                       quiet=True, random_seed=1)
    >>> int(idata["sample_stats"]["n_steps"][0, 0])
    20
    """

    name = "static_hmc"
    stats_dtypes_shapes = {
        "acceptance_rate": (np.float64, []),
        "accepted": (bool, []),
        "energy": (np.float64, []),
        "energy_error": (np.float64, []),
        "diverging": (bool, []),
        "divergences": (np.int64, []),
        "model_logp": (np.float64, []),
        "n_steps": (np.int64, []),
        "step_size": (np.float64, []),
        "perf_counter_diff": (np.float64, []),
    }
    _state_class = StaticHMCState

    def __init__(
        self,
        vars: Sequence | None = None,
        n_leapfrog: int = 100,
        step_scale: float = 0.3,
        step_sizes: str = "neal",
        jitter: str | None = None,
        jitter_spread: float = 0.1,
        target_accept: float = 0.8,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
        initial_point: PointType | None = None,
        compile_kwargs: dict | None = None,
        blocked: bool = True,
    ):
        self.model = pm.modelcontext(model)
        self.step_sizes = choose("step_sizes", step_sizes, ("neal", "adapt"))
        check_jitter(jitter, jitter_spread)
        _check_lengths(n_leapfrog, step_scale, target_accept)
        self.n_leapfrog, self.step_scale = int(n_leapfrog), float(step_scale)
        self.jitter, self.jitter_spread = jitter, float(jitter_spread)
        self.rng = get_random_generator(rng)
        self.tune, self.divergences = True, 0
        names = self._default_names() if vars is None else value_names(self.model, vars)
        self.vars = [v for v in self.model.value_vars if v.name in set(names)]
        _check_continuous(self.vars)
        self.conditional = Conditional(self.model, names)
        size = self.conditional.layout.size
        adapts = step_sizes == "adapt"
        self.adapted = AdaptedStepSizes(size, self.step_scale, target_accept) if adapts else None
        self._compile()

    def _default_names(self) -> list[str]:
        model = self.model
        if self.step_sizes == "neal" and isinstance(model, BNN):
            return [model.free_name(group) for group in model.groups]
        conjugate = conjugate_names(model)
        return [v.name for v in model.continuous_value_vars if v.name not in conjugate]

    def _compile(self) -> None:
        """Compile the trajectory, and run one of no steps so that nothing is left to compile."""
        conditional = self.conditional
        self._neal = NealStepSizes(conditional) if self.adapted is None else None
        self._rest = conditional.compile_rest(gradient=True)
        self._trajectory = compile_leapfrog(conditional, self._rest)
        point = self.model.initial_point(0)
        parameters = conditional.parameters(point)
        zero = np.zeros(conditional.layout.size)
        step_sizes = self._unit_step_sizes(parameters)
        self._follow(conditional.layout.ravel(point), zero, step_sizes, 0, parameters, point)

    def __getstate__(self) -> dict[str, Any]:
        """Leave compiled functions behind; a worker process loads them from the disk cache."""
        compiled = ("_neal", "_rest", "_trajectory")
        return {name: value for name, value in self.__dict__.items() if name not in compiled}

    def setup_chain(self, rng: RandomGenerator, tune: int, draws: int) -> None:
        """Forget the last chain."""
        super().setup_chain(rng, tune, draws)
        self.tune, self.divergences = bool(tune), 0
        if self.adapted is not None:
            self.adapted.start(tune)
        if not hasattr(self, "_trajectory"):
            self._compile()

    def step(self, point: PointType) -> tuple[PointType, StatsType]:
        """Propose the end of one trajectory and accept or reject it."""
        begin = perf_counter()
        layout = self.conditional.layout
        parameters = self.conditional.parameters(point)
        q = layout.ravel(point)
        factor = jitter_factor(self.jitter, self.rng, self.jitter_spread)
        step_sizes = factor * self._unit_step_sizes(parameters)
        momentum = self.rng.standard_normal(layout.size)
        end = self._follow(q, momentum, step_sizes, self.n_leapfrog, parameters, point)
        energy = end.initial_potential + 0.5 * (momentum @ momentum)
        error = end.final_potential + 0.5 * (end.momentum @ end.momentum) - energy
        diverging = not error < LARGEST_ENERGY_ERROR
        acceptance = 0.0 if diverging else float(np.exp(min(0.0, -error)))
        accepted = bool(self.rng.random() < acceptance)
        if accepted:
            q, point = end.position, layout.unravel(end.position, point)
        if self.tune and self.adapted is not None:
            self.adapted.update(q, acceptance)
        self.divergences += diverging and not self.tune
        potential = end.final_potential if accepted else end.initial_potential
        constant = float(parameters.log_constant)
        return point, [
            {
                "acceptance_rate": acceptance,
                "accepted": accepted,
                "energy": (energy + error if accepted else energy) - constant,
                "energy_error": error,
                "diverging": diverging,
                "divergences": self.divergences,
                "model_logp": constant - potential,
                "n_steps": end.steps,
                "step_size": self._reported_step_size(factor),
                "perf_counter_diff": perf_counter() - begin,
            }
        ]

    def _follow(self, q, momentum, step_sizes, n_leapfrog, parameters, point) -> Trajectory:  # type: ignore[no-untyped-def]
        data = self.conditional.data(self._rest, point, parameters)
        return Trajectory(
            *self._trajectory(
                q, momentum, step_sizes, n_leapfrog, parameters.mean, parameters.precision, data
            )
        )

    def _unit_step_sizes(self, parameters: Parameters) -> np.ndarray:
        if self.adapted is not None:
            return self.adapted.current(self.tune)
        return self.step_scale * self._neal(parameters)

    def _reported_step_size(self, factor: float) -> float:
        if self.adapted is not None:
            return factor * float(self.adapted.factor.current(self.tune))
        return factor * self.step_scale

    @staticmethod
    def _progressbar_config(n_chains: int = 1) -> tuple[list, dict[str, list]]:
        columns = [
            TextColumn("{task.fields[divergences]}", table_column=Column("Divergences", ratio=1)),
            TextColumn("{task.fields[acceptance_rate]:0.2f}", table_column=Column("Acceptance")),
            TextColumn("{task.fields[n_steps]}", table_column=Column("Steps", ratio=1)),
        ]
        return columns, {
            name: [0] * n_chains for name in ("divergences", "acceptance_rate", "n_steps")
        }

    @staticmethod
    def _make_progressbar_update_functions() -> tuple:
        def update(stats: dict[str, Any]) -> dict[str, Any]:
            shown = {name: stats[name] for name in ("divergences", "acceptance_rate", "n_steps")}
            return {**shown, "failing": stats["divergences"] > 0}

        return (update,)


def _check_lengths(n_leapfrog: int, step_scale: float, target_accept: float) -> None:
    if n_leapfrog < 1 or int(n_leapfrog) != n_leapfrog:
        raise ValueError(f"n_leapfrog={n_leapfrog!r}: give a positive whole number.")
    if not 0 < step_scale < np.inf:
        raise ValueError(f"step_scale={step_scale!r}: give a positive number.")
    if not 0 < target_accept < 1:
        raise ValueError(f"target_accept={target_accept!r}: give a number between 0 and 1.")


def _check_continuous(variables: Sequence) -> None:
    discrete = [v.name for v in variables if not np.issubdtype(v.dtype, np.floating)]
    if discrete:
        raise ValueError(
            f"StaticHMC cannot move the discrete variable(s) {', '.join(discrete)}; "
            "leave them out of vars."
        )

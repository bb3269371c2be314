"""What step methods with stochastic gradients have in common: minibatches, schedule, statistics."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pymc as pm
from pymc.util import RandomGenerator

from ....models.bnn import BNN
from ....models.data.choices import is_whole
from ....models.simd.kernels import copy_into, quadratic
from ...compiled import engine
from ...dynamics.metropolis import LARGEST_ENERGY_ERROR
from ...dynamics.minibatch import Minibatches, compile_estimate
from ...potential.likelihood_kernels import kernel_of
from ...potential.network_potential import network_entry
from ...potential.parameters import Parameters
from ...potential.recognition import likelihood_of, weight_values, why_no_kernel
from ...potential.rest import ALONE, WITH_GRADIENT, called_alone, called_with_gradient, words_of
from ...pymc_steps import dataclass_state
from ...step_sizes.given_factor import GivenFactor, GivenFactorState
from ...step_sizes.schedules import Schedule
from .block_step import BlockStep
from .compiled_step import GRADIENTS, CompiledState

follow = engine.bound_later
SWING = 0.5  # of the energy of a far start, by which swings towards the posterior may be off


class Drawn(NamedTuple):
    """Where the updates to a recorded draw led.

    Attributes
    ----------
    position : ndarray, shape (size,)
        The draw; the last one if the updates ran away.
    potential : float
        Potential energy of all cases there.
    updates : int
        How many were made.
    diverging : bool
        Whether the energy at the end of the updates is not finite, or so far above that of the last
        draw that no posterior at the temperature has both.
    """

    position: np.ndarray
    potential: float
    updates: int
    diverging: bool


def draw(  # type: ignore[no-untyped-def]
    rng, q, step_sizes, dynamics, mean, precision, batch, data, before, heat
):
    """Follow a step's updates to the next recorded draw, at the temperature ``heat``.

    The energy of the whole data is computed once, at the end; ``before`` is that of the last draw,
    by which most draws need no second look. A template for :func:`.engine.specialize`, which binds
    ``follow``.
    """
    end = q.copy()
    updates = follow(rng, end, step_sizes, dynamics, mean, precision, batch)
    words = words_of(data)
    potential = called_alone(end, words) + quadratic(end, mean, precision)
    most = LARGEST_ENERGY_ERROR * (1 + q.size) * heat
    diverging = False
    if not (np.isfinite(potential) and potential - before < most):
        # computed anew, as the last draw may have been of other data or hyperparameters
        before = called_alone(q, words) + quadratic(q, mean, precision)
        most += SWING * abs(before)
        diverging = not (np.isfinite(potential) and potential - before < most)
    if diverging:
        copy_into(end, q)
        potential = before
    return Drawn(end, potential, updates, diverging)


@dataclass_state
class StochasticGradientState(CompiledState):
    """State of one chain."""

    updates: int
    potential: float
    adaptation: GivenFactorState


class StochasticGradientStep(BlockStep):
    """Base of the step methods that move a network's weights by gradients of minibatches.

    A step is its ``rule``: a template for :func:`.engine.bind`, which binds ``allocate`` and
    ``estimate``. It updates a position once for each step size, in place, until the energy of a
    minibatch is not finite, and returns how many updates were made.

    Nothing is accepted or rejected: the draws are biased, which the statistic ``biased`` says.
    ``energy`` is the negative log posterior of all cases at each recorded draw. Where it is not
    finite, or has grown by half and by a thousand for each weight, times the temperature, the draw
    counts as diverging and the weights go back to the last draw. Where that happens in ten draws of
    warm-up in a row, warm-up takes smaller step sizes until it does not (see :mod:`.given_factor`).

    Parameters
    ----------
    schedule : callable
        Step sizes; see :mod:`...step_sizes.schedules`.
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

    stats_dtypes_shapes = GRADIENTS | {"biased": (bool, [])}
    _state_class = StochasticGradientState
    shown: ClassVar[dict[str, tuple[str, str]]] = {
        "divergences": ("Divergences", ""),
        "energy": ("Energy", ":0.1f"),
        "n_steps": ("Minibatches", ""),
    }
    rule: ClassVar[Callable]
    compiled = (*BlockStep.compiled, "_entries")
    dynamics: tuple = ()  # what the rule takes besides step sizes

    @engine.compiles
    def __init__(
        self,
        schedule: Schedule,
        updates_per_draw: int,
        batch_size: int,
        model: pm.Model,
        rng: RandomGenerator,
    ):
        self.schedule, self.updates_per_draw, self.updates = schedule, updates_per_draw, 0
        self.potential = np.nan  # of the last draw
        self.adaptation = GivenFactor()
        name = type(self).__name__
        if not isinstance(model, BNN):
            raise ValueError(f"{name} needs a pymc_bnn network; use StaticHMC or NUTS.")
        if model.hidden and not model.activation.continuous:
            raise ValueError(
                f"{name}: energies of networks of {model.activation.name} units do not follow "
                "their gradients, and nothing rejects what goes wrong; use StaticHMC or NUTS."
            )
        super().__init__(model, weight_values(model), rng)
        if not self.conditional.fused:
            raise ValueError(f"{name} {self._why_not(model)}; use StaticHMC or NUTS.")
        self.minibatches = Minibatches(self.conditional, batch_size)
        self._compile()

    def _heat(self, step_sizes: np.ndarray) -> float:
        """Temperature that draws may have, at least 1."""
        return 1.0

    def _why_not(self, model: BNN) -> str:
        """Say what the energy of a minibatch would leave out."""
        if (reason := why_no_kernel(model)) is not None:
            return f"cannot sample this model, as {reason}"
        if model.parametrization != "centered":
            return "needs the centred parametrization"
        if not set(weight_values(model)) <= set(self.conditional.normal):
            return "needs normal weights"
        added = ", ".join(model.added)
        return f"needs nothing added that depends on the weights, and the model has {added}"

    def _compile_run(self) -> Callable[..., Any]:
        model, both = self.model, {WITH_GRADIENT: True, ALONE: False}
        kernel = kernel_of(likelihood_of(model)).energy
        self._entries = {w: network_entry(model.activation, kernel, g) for w, g in both.items()}
        estimate = compile_estimate(called_with_gradient)
        follow = engine.bind(self.rule, allocate=words_of, estimate=estimate)
        return engine.specialize(draw, follow=follow)

    def _forget(self, tune: int) -> None:
        super()._forget(tune)
        self.updates, self.potential = 0, np.nan
        self.adaptation.start(tune)

    def _update(
        self, q: np.ndarray, parameters: Parameters, data: Any
    ) -> tuple[np.ndarray, float, dict[str, Any]]:
        step_sizes = self.schedule(self.updates, self.updates_per_draw)
        step_sizes = step_sizes * self.adaptation.reduced(1.0, self.tune)
        whole = self.conditional.network_data(parameters, self._entries)
        batch = self.minibatches(parameters, whole, self._entries)
        given = parameters.mean, parameters.precision, batch, whole
        before = self.potential, self._heat(step_sizes)
        drawn: Drawn = self._run(self.rng, q, step_sizes, self.dynamics, *given, *before)
        self.updates, self.potential = self.updates + self.updates_per_draw, drawn.potential
        if self.tune:
            self.adaptation.update(drawn.position, 0.0 if drawn.diverging else 1.0)
        statistics = {
            "biased": True,
            "diverging": drawn.diverging,
            "n_steps": drawn.updates,
            "step_size": step_sizes[-1],
        }
        return drawn.position, drawn.potential, statistics | self._count(int(drawn.diverging))


def check_count(name: str, value: int, least: int = 1) -> int:
    """Return a whole number, or say which argument is none."""
    if not is_whole(value, least):
        raise ValueError(f"{name}={value!r}: give a whole number of at least {least}.")
    return int(value)

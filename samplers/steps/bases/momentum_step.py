"""What step methods have in common whose trajectories may go on from the momentum of the last."""

import numpy as np
from pymc.util import RandomGenerator

from ....models.data.choices import is_between
from ...dynamics.momentum import FRESH, PERSISTENT, Momentum, MomentumRule, plain_rule
from ...pymc_steps import dataclass_state
from .hamiltonian import HamiltonianState, HamiltonianStep


@dataclass_state
class MomentumState(HamiltonianState):
    """State of one chain."""

    momentum: np.ndarray


class MomentumStep(HamiltonianStep):
    """Base of the step methods that carry a momentum from one trajectory to the next.

    A subclass calls :meth:`_carry` before the base's constructor, and moves by
    :func:`.transition.transition` with ``self.momentum`` and ``self.rule``.
    """

    _state_class = MomentumState
    momentum_kind: Momentum
    rule: MomentumRule

    def _carry(self, persistence: float) -> None:
        """Choose how much of a momentum is kept."""
        if not is_between(persistence, 0, 1) or persistence == 1:
            raise ValueError(
                f"persistence={persistence!r}: give a number from 0, which draws every momentum "
                "anew, to less than 1."
            )
        self.momentum_kind = PERSISTENT if persistence else FRESH
        self.rule = plain_rule(persistence)
        self.momentum = np.zeros(0)

    def setup_chain(self, rng: RandomGenerator, tune: int, draws: int) -> None:
        """Forget the last chain."""
        super().setup_chain(rng, tune, draws)
        self._draw_momentum()

    def _draw_momentum(self) -> None:
        """Draw the momentum of a chain's start, if a trajectory will go on from it."""
        size = self.conditional.layout.size
        carried = self.momentum_kind != FRESH
        self.momentum = self.rng.standard_normal(size) if carried else np.zeros(size)

    def _compile(self) -> None:
        self.momentum = np.zeros(self.conditional.layout.size)
        super()._compile()

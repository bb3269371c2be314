"""A step size factor that is given, and what warm-up does where a chain cannot move with it.

Step sizes that suit the typical set can be far too large elsewhere. With all weights at zero, the
start that ``pm.sample`` gives, curvature says nothing about the path ahead; the energy at the end
of each trajectory is hundreds too high, and every one of them is rejected.
"""

import numpy as np

from ..pymc_steps import DataClassState, WithSamplingState, dataclass_state

# A chain that accepts one of a hundred still moves; ten such in a row by chance are rare.
LEAST_ACCEPTANCE, PATIENCE = 0.01, 10
SMALLEST = 2.0**-60  # of 0 nothing would ever grow again


def next_reduction(reduction, still, acceptance):  # type: ignore[no-untyped-def]  # compiled too
    """Decide by how much to reduce the next step sizes of warm-up.

    Plain arithmetic, that the batch of chains compiles too.

    Parameters
    ----------
    reduction : float
        What the step sizes of this iteration were multiplied by.
    still : int
        Iterations in a row that accepted next to nothing; from ten on also those since.
    acceptance : float
        Acceptance probability of this iteration.

    Returns
    -------
    tuple of float and int
        The next ``reduction`` and ``still``.

    Examples
    --------
    >>> from pymc_bnn.samplers.step_sizes.given_factor import next_reduction
    >>> next_reduction(1.0, 9, 0.0), next_reduction(0.5, 10, 0.0), next_reduction(0.5, 10, 0.9)
    ((0.5, 10), (0.25, 11), (1.0, 0))
    """
    if still < PATIENCE:
        still = 0 if acceptance >= LEAST_ACCEPTANCE else still + 1
        return (0.5 if still == PATIENCE else 1.0), still
    reduction *= 2.0 if acceptance >= 0.5 else 0.5
    if reduction >= 1.0:
        return 1.0, 0
    return max(reduction, SMALLEST), still + 1


@dataclass_state
class GivenFactorState(DataClassState):
    """What a chain has met."""

    reduction: float
    still: int


class GivenFactor(WithSamplingState):
    """A given step size factor, smaller in warm-up where a chain stands still.

    Once ten iterations in a row have accepted next to nothing, step sizes are halved until at
    least every other trajectory is accepted; then they are doubled, as long as that is so, up to
    the given ones. A chain that moves is left alone, and so are all chains after warm-up: there the
    algorithm is the one asked for, which leaves the posterior invariant, whether it moves or not.
    Nothing here is random, so that the same seed gives the same draws.

    Where log precisions move too, trajectories are shorter besides. Far from the typical set a
    long one turns millions of nats of potential energy into speed, and flies off to where the
    posterior is flat; fresh momenta take the speed away, the more often the shorter trajectories
    are. But too short ones crawl along a narrow valley, so that they are doubled every ten
    iterations.

    Attributes
    ----------
    reduction : float
        A power of 2 by which step sizes are multiplied in warm-up, 1 while the chain moves.
    still : int
        Iterations in a row that accepted next to nothing, up to ten; then iterations since.

    Examples
    --------
    >>> from pymc_bnn.samplers.step_sizes.given_factor import GivenFactor
    >>> factor = GivenFactor()
    >>> for _ in range(12):
    ...     factor.update(None, acceptance=0.0)
    >>> factor.reduced(0.3, tune=True) == 0.3 / 8, factor.reduced(0.3, tune=False)
    (True, 0.3)
    """

    _state_class = GivenFactorState

    def __init__(self) -> None:
        self.start(0)

    def start(self, tune: int) -> None:
        """Forget everything, for another chain."""
        self.reduction, self.still = 1.0, 0

    def reduced(self, step_scale: float, tune: bool) -> float:
        """Factor for the next trajectory, from the given one."""
        return step_scale * self.reduction if tune else step_scale

    def shortened(self, n_leapfrog: int, tune: bool) -> int:
        """Leapfrog steps of the next trajectory."""
        if self.reduction == 1.0 or not tune:
            return n_leapfrog
        longer = 2 ** min(self.still // PATIENCE - 1, 60)
        return int(np.clip(round(n_leapfrog * self.reduction * longer), 1, n_leapfrog))

    def update(self, q: object, acceptance: float) -> None:
        """Take note of one iteration of warm-up; where it led does not matter."""
        self.reduction, self.still = next_reduction(self.reduction, self.still, acceptance)

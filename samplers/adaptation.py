"""Step sizes learnt during warm-up.

One overall factor by dual averaging (Hoffman & Gelman 2014; Lau 2018, 2.4, Algorithm 8), times a
standard deviation for each component that is estimated in windows of growing length (Lau 2018,
2.5). After warm-up both are frozen.
"""

import numpy as np
from pymc.step_methods.state import DataClassState, WithSamplingState, dataclass_state
from pymc.step_methods.step_sizes import DualAverageAdaptation, StepSizeState

FIRST, BASE, LAST = 75, 25, 50  # iterations before, of the first, and after the windows


def window_ends(tune: int) -> list[int]:
    """Iterations of warm-up after which the standard deviations are renewed.

    A first interval finds the typical set, windows of doubling length estimate the standard
    deviations, and a last interval settles the step size. A short warm-up shrinks all three.

    Parameters
    ----------
    tune : int
        Iterations of warm-up.

    Returns
    -------
    list of int

    Examples
    --------
    >>> from pymc_bnn.samplers.adaptation import window_ends
    >>> window_ends(1000)
    [100, 150, 250, 450, 950]
    """
    if tune < 20:
        return []
    shrink = min(1.0, tune / 150)
    start, width, stop = int(FIRST * shrink), int(BASE * shrink), tune - int(LAST * shrink)
    ends = []
    while start + width <= stop:
        start += width
        width *= 2
        # a last window that cannot double is joined to this one
        if start + width > stop:
            start = stop
        ends.append(start)
    return ends


@dataclass_state
class AdaptationState(DataClassState):
    """What a chain has learnt."""

    factor: StepSizeState
    sd: np.ndarray
    mean: np.ndarray
    squares: np.ndarray
    count: int
    iteration: int
    ends: list[int]


class Adaptation(WithSamplingState):
    """What warm-up learns about step sizes: a factor and, if wanted, standard deviations.

    Parameters
    ----------
    size : int
        Number of components.
    step_scale : float
        Factor to start from.
    target_accept : float
        Mean acceptance probability to reach.
    learns_sd : bool
        Whether to learn the components' standard deviations too; they stay 1 otherwise.
    """

    _state_class = AdaptationState

    def __init__(self, size: int, step_scale: float, target_accept: float, learns_sd: bool):
        self.step_scale, self.target_accept = step_scale, target_accept
        self.learns_sd = learns_sd
        self.sd = np.ones(size)
        self.start(0)

    def start(self, tune: int) -> None:
        """Forget everything, for a chain with ``tune`` iterations of warm-up."""
        self.sd = np.ones(len(self.sd))
        self.ends = window_ends(tune) if self.learns_sd else []
        self.iteration = 0
        self._restart_factor(self.step_scale)
        self._restart_window()

    def _restart_factor(self, factor: float) -> None:
        self.factor = DualAverageAdaptation(factor, self.target_accept, 0.05, 0.75, 10)

    def _restart_window(self) -> None:
        self.count, self.mean, self.squares = 0, np.zeros_like(self.sd), np.zeros_like(self.sd)

    def current_factor(self, tune: bool) -> float:
        """Overall factor for the next trajectory."""
        return float(self.factor.current(tune))

    def update(self, q: np.ndarray, acceptance: float) -> None:
        """Learn from one iteration of warm-up.

        Parameters
        ----------
        q : ndarray, shape (size,)
            The new state.
        acceptance : float
            Acceptance probability of the trajectory.
        """
        self.factor.update(acceptance, True)
        self.iteration += 1
        if not self.ends:
            return
        self.count += 1
        difference = q - self.mean
        self.mean = self.mean + difference / self.count
        self.squares = self.squares + difference * (q - self.mean)
        if self.iteration == self.ends[0]:
            # shrunk towards a small variance, as the estimate of few draws is noisy
            old, self.sd = self.sd, np.sqrt((self.squares + 5e-3) / (self.count + 4))
            typical = np.exp(np.mean(np.log(old / self.sd)))
            self._restart_factor(self.current_factor(False) * float(typical))
            self._restart_window()
            self.ends = self.ends[1:]

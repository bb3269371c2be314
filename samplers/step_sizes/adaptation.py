"""Step sizes learnt during warm-up.

One overall factor by dual averaging (Hoffman & Gelman 2014; Lau 2018, 2.4, Algorithm 8), times the
square root of a covariance, or of variances alone, that is estimated in windows of growing length,
as in Stan (Lau 2018, 2.5). After warm-up both are frozen. Before its last interval warm-up may aim
at a lower acceptance, so that longer steps bring a chain to the typical set sooner.
"""

import logging
from numbers import Real

import numpy as np

from ...models.data.choices import check_positive
from ..pymc_steps import (
    DataClassState,
    DualAverageAdaptation,
    StepSizeState,
    WithSamplingState,
    dataclass_state,
)
from .welford import Welford, WelfordState

_log = logging.getLogger("pymc")

FIRST, BASE, LAST = 75, 25, 50  # iterations before, of the first, and after the windows


def check_factor(
    step_scale: float, target_accept: float | None, search_accept: float | None = None
) -> None:
    """Refuse a step size adjustment factor or an aim of warm-up that is none."""
    check_positive(step_scale=step_scale)
    for name, aim in {"target_accept": target_accept, "search_accept": search_accept}.items():
        if aim is not None and not (isinstance(aim, Real) and 0 < aim < 1):
            raise ValueError(f"{name}={aim!r}: give a number between 0 and 1.")


def window_bounds(tune: int) -> list[int]:
    """Iterations of warm-up between which draws are collected for an estimate.

    A first interval finds the typical set, windows of doubling length estimate scales, and a last
    interval settles the step size. A short warm-up shrinks all three.

    Parameters
    ----------
    tune : int
        Iterations of warm-up.

    Returns
    -------
    list of int
        The end of the first interval, then that of each window; empty for hardly any warm-up.

    Examples
    --------
    >>> from pymc_bnn.samplers.step_sizes.adaptation import window_bounds
    >>> window_bounds(1000)
    [75, 100, 150, 250, 450, 950]
    """
    if tune < 20:
        return []
    shrink = min(1.0, tune / 150)
    start, width, stop = int(FIRST * shrink), int(BASE * shrink), tune - int(LAST * shrink)
    bounds = [start]
    while start + width <= stop:
        start += width
        width *= 2
        # a last window that cannot double is joined to this one
        if start + width > stop:
            start = stop
        bounds.append(start)
    return bounds


@dataclass_state
class AdaptationState(DataClassState):
    """What a chain has learnt."""

    factor: StepSizeState
    scale: np.ndarray
    moments: WelfordState
    iteration: int
    bounds: list[int]


class Adaptation(WithSamplingState):
    """What warm-up learns about step sizes: a factor and, if wanted, scales of the components.

    Parameters
    ----------
    size : int
        Number of components.
    step_scale : float
        Factor to start from.
    target_accept : float
        Mean acceptance probability to reach.
    metric : {"diag", "dense", "unit"}
        What to learn besides the factor: the components' standard deviations, their covariance,
        or nothing.
    search_accept : float, optional
        Acceptance to aim at before the last interval, where it is lower.

    Attributes
    ----------
    scale : ndarray, shape (size,) or (size, size)
        Standard deviations, all 1 before the first window ends; for a dense metric the lower
        Cholesky factor of the covariance.
    """

    _state_class = AdaptationState

    def __init__(
        self,
        size: int,
        step_scale: float,
        target_accept: float,
        metric: str,
        search_accept: float | None = None,
    ):
        self.size, self.step_scale, self.target_accept = size, step_scale, target_accept
        self.metric, self.search_accept = metric, search_accept
        self.start(0)

    def start(self, tune: int) -> None:
        """Forget everything, for a chain with ``tune`` iterations of warm-up."""
        self.scale = np.eye(self.size) if self.metric == "dense" else np.ones(self.size)
        self.bounds = [] if self.metric == "unit" else window_bounds(tune)
        self.iteration = 0
        self._restart_factor(self.step_scale)
        self._restart_window()
        longest = int(max(np.diff(self.bounds), default=0))
        if self.metric == "dense" and tune > 0 and longest <= self.size:
            _log.warning(
                f'metric="dense": no window of warm-up has more draws ({longest}) than there are '
                f'variables ({self.size}); tune longer, or use metric="diag".'
            )

    def _restart_factor(self, factor: float) -> None:
        self.factor = DualAverageAdaptation(factor, self.aim, 0.05, 0.75, 10)

    def _restart_window(self) -> None:
        self.moments = Welford(self.size, self.metric == "dense")

    @property
    def aim(self) -> float:
        """Acceptance that the next iteration should have."""
        if self.search_accept is None or len(self.bounds) < 2:
            return self.target_accept
        return min(self.target_accept, self.search_accept)

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
        if len(self.bounds) < 2:
            return
        begin, end = self.bounds[:2]
        if self.iteration > begin:
            self.moments.add(q)
        if self.iteration == end:
            self.bounds = self.bounds[1:]
            self._renew_scale()
            self._restart_window()

    def _renew_scale(self) -> None:
        new = self.moments.scale()
        if new is None:
            return
        old, self.scale = self.scale, new
        # a ratio of volumes, as the determinant of a triangular matrix is that of its diagonal
        widths = [s.diagonal() if s.ndim == 2 else s for s in (old, new)]
        typical = np.exp(np.mean(np.log(widths[0] / widths[1])))
        self._restart_factor(self.current_factor(False) * float(typical))

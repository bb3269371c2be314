"""One independent run of the bridge: fit of the quadratic, then each bridging distribution."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...step_sizes.adaptation import Adaptation
from ...step_sizes.jitter import jitter_factor
from .dynamics import BridgeDynamics, Moved
from .quadratic import Quadratic

FIT = 10  # trajectories of the fit, by those of a bridging distribution: 1000 and 100 in the paper
EACH = 10  # bridging distributions between two updates of the step size
UPDATE = 50  # trajectories of an update
ACCEPTANCE = 0.65
JITTER = 0.1
FIRST_FACTOR = 0.3
LARGEST_FACTOR = 1.0  # half of where leapfrog steps are unstable in a normal of width k^(-1/2)


@dataclass(frozen=True)
class Crossing:
    r"""What one run along the bridge recorded.

    Attributes
    ----------
    quadratic : Quadratic
        As fitted.
    fit : ndarray, shape (draws,)
        Energies above that of the centre while the quadratic was fitted.
    differences : ndarray, shape (places, draws)
        :math:`Q - (J - J(w_0))` at each :math:`\lambda`; at the last one nan where the model has
        no density.
    acceptance : ndarray, shape (places - 1,)
        Mean acceptance at each :math:`\lambda` but the last.
    divergences : int
        Diverging trajectories among those recorded.
    energy : float
        :math:`J(w_0)`.
    """

    quadratic: Quadratic
    fit: np.ndarray
    differences: np.ndarray
    acceptance: np.ndarray
    divergences: int
    energy: float


class Chain:
    r"""A chain that samples the posterior, fits the quadratic, and walks the bridge.

    Step sizes are a factor times a scale of each component, that of the fitted quadratic, which is
    right at all :math:`\lambda` where it is right at both ends. Paper: one step size for all. The
    factor varies by a tenth, or equal frequencies, which all are at the end of the bridge, could
    bring trajectories back to where they began.

    Parameters
    ----------
    dynamics : BridgeDynamics
        Trajectories.
    start : ndarray, shape (size,)
        Where to start.
    trajectories : int
        Recorded in each bridging distribution, after as many that are not.
    rng : Generator
        Where the random numbers come from.
    """

    def __init__(
        self,
        dynamics: BridgeDynamics,
        start: np.ndarray,
        trajectories: int,
        rng: np.random.Generator,
    ):
        self.dynamics, self.q, self.trajectories, self.rng = dynamics, start, trajectories, rng
        self.quadratic: Quadratic | None = None
        self.scale: np.ndarray = np.ones(start.size)
        self.factor = FIRST_FACTOR

    def cross(self, places: np.ndarray, minimum: np.ndarray | None) -> Crossing:
        r"""Fit the quadratic, and sample at each :math:`\lambda` from 0 to 1.

        Parameters
        ----------
        places : ndarray, shape (places,)
            The :math:`\lambda`.
        minimum : ndarray, shape (size,), optional
            Centre of the quadratic; by default the mean of the draws.
        """
        energies = self._fit(minimum)
        quadratic = self.quadratic
        assert quadratic is not None
        base, _ = self.dynamics.energy(quadratic.centre)
        differences = np.empty((places.size, self.trajectories))
        accepted, divergences = np.empty(places.size - 1), 0
        for place, share in enumerate(1 - places[:-1]):
            if place % EACH == 0:
                self._update(share)
            moves = list(self._moves(2 * self.trajectories, share))[self.trajectories :]
            differences[place] = [self._difference(one.position, base) for one in moves]
            accepted[place] = np.mean([one.acceptance for one in moves])
            divergences += sum(one.diverging for one in moves)
        last = quadratic.draws(self.trajectories, self.rng)
        differences[-1] = [self._difference(one, base) for one in last]
        return Crossing(quadratic, energies - base, differences, accepted, divergences, base)

    def _fit(self, minimum: np.ndarray | None) -> np.ndarray:
        r"""Sample the posterior and fit the quadratic (Eq. 20); return the energies."""
        count = FIT * self.trajectories
        adaptation = Adaptation(self.q.size, self.factor, ACCEPTANCE, "diag")
        adaptation.start(count)
        for _ in range(count):
            self.scale, self.factor = adaptation.scale, adaptation.current_factor(True)
            adaptation.update(self.q, self._move(1.0).acceptance)
        self.scale, self.factor = adaptation.scale, adaptation.current_factor(False)
        origin, first, second = self.q, np.zeros(self.q.size), np.zeros(self.q.size)
        origin = origin if minimum is None else minimum
        energies = np.empty(count)
        for draw, moved in enumerate(self._moves(count, 1.0)):
            first += moved.position - origin
            second += (moved.position - origin) ** 2
            energies[draw] = self.dynamics.energy(moved.position)[0]
        shift = first / count if minimum is None else 0.0
        squares = second / count - shift**2
        if not np.all(squares > 0):
            raise ValueError(
                f"n_leapfrog={self.dynamics.n_leapfrog}, trajectories={self.trajectories}: the "
                "chain did not move in the posterior; give more trajectories, or, where a minimum "
                'lies at walls, centre="start" and initvals=samplers.minimize(model).points.'
            )
        walls = self.dynamics.lower, self.dynamics.upper
        self.quadratic = Quadratic(origin + shift, 1 / squares, *walls)
        self.factor *= float(np.exp(np.mean(np.log(self.scale / np.sqrt(squares)))))
        self.scale = np.sqrt(squares)
        return energies

    def _update(self, share: float) -> None:
        """Adapt the factor of the step sizes."""
        adaptation = Adaptation(self.q.size, self.factor, ACCEPTANCE, "unit")
        for _ in range(UPDATE):
            self.factor = min(adaptation.current_factor(True), LARGEST_FACTOR)
            adaptation.update(self.q, self._move(share).acceptance)
        self.factor = min(adaptation.current_factor(False), LARGEST_FACTOR)

    def _moves(self, count: int, share: float) -> Iterator[Moved]:
        return (self._move(share) for _ in range(count))

    def _move(self, share: float) -> Moved:
        jitter = jitter_factor("uniform", self.rng, JITTER)
        step_sizes = self.factor * jitter * self.scale
        moved = self.dynamics.move(self.q, share, self.quadratic, step_sizes, self.rng)
        self.q = moved.position
        return moved

    def _difference(self, q: np.ndarray, base: float) -> float:
        r"""Slope of the energy by :math:`\lambda`; nan where the model has no density."""
        assert self.quadratic is not None
        energy, _ = self.dynamics.energy(q)
        return self.quadratic.energy(q) - (energy - base) if np.isfinite(energy) else np.nan

r"""Windows that grow by one state at a time (Lau 2018, Algorithm 3), on a standard normal.

A trajectory of :math:`L` leapfrog steps whose directions are drawn one by one visits the states
from :math:`-a` to :math:`L - a`, with :math:`a` from a binomial distribution. As each state of it
can be the start of as many trajectories only if its place is uniform, the rule by which a state is
kept is not all that matters. What a rule does to the variance is an integral over the plane of
positions and momenta.
"""

from collections.abc import Callable
from math import comb
from typing import NamedTuple

import numpy as np
import xarray as xr

WINDOWS_KEY = "growing-windows"
N_LEAPFROG = 10  # the thesis's shortest trajectories
STEP_SIZES = (0.25, 0.5, 1.0, 1.5)  # over the standard deviation
FAR, POINTS = 7.5, 401
FEWER = 201  # points along a line, for what is not known


class Plane(NamedTuple):
    r"""States along the trajectories from all points of a lattice.

    Attributes
    ----------
    density : ndarray
        Of the points, with sum 1.
    squares, weights : dict of int to ndarray
        Squared positions, and :math:`e^{-H}` over that of the start, by steps from the start.
    """

    density: np.ndarray
    squares: dict[int, np.ndarray]
    weights: dict[int, np.ndarray]

    def mean(self, values: np.ndarray) -> float:
        """Mean over the points."""
        return float((self.density * values).sum())


def plane(step_size: float, n_leapfrog: int, points: int = POINTS) -> Plane:
    """Follow trajectories both ways from all points of a lattice."""
    line = np.linspace(-FAR, FAR, points)
    q, p = np.meshgrid(line, line, indexing="ij")
    energy = 0.5 * (q**2 + p**2)
    squares, weights = {0: q**2}, {0: np.ones_like(q)}
    for sign in (-1, 1):
        at, momentum = q, p
        for k in range(1, n_leapfrog + 1):
            momentum = momentum - 0.5 * sign * step_size * at
            at = at + sign * step_size * momentum
            momentum = momentum - 0.5 * sign * step_size * at
            squares[sign * k] = at**2
            weights[sign * k] = np.exp(energy - 0.5 * (at**2 + momentum**2))
    density = np.exp(-energy)
    return Plane(density / density.sum(), squares, weights)


def as_printed(states: Plane, n_leapfrog: int) -> float:
    r"""Variance after an update by Algorithm 3, with :math:`e^{-H}` for the weights.

    A new state is kept with probability :math:`\min(1, w / w')`, where :math:`w'` is the weight of
    the state that was visited before it.
    """
    begun = np.ones_like(states.density), states.squares[0]
    paths = {(0, 0): begun}  # by steps back, and the last state: probability, and what is kept
    for k in range(n_leapfrog):
        longer: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}
        for (back, last), (chance, kept) in paths.items():
            for after, new in ((back + 1, -back - 1), (back, k + 1 - back)):
                accepted = np.minimum(1.0, states.weights[new] / states.weights[last])
                square = accepted * chance * states.squares[new] + (1 - accepted) * kept
                before = longer.get((after, new), (0.0, 0.0))
                longer[after, new] = before[0] + 0.5 * chance, before[1] + 0.5 * square
        paths = longer
    return sum(states.mean(kept) for _, kept in paths.values())


def beside_kept(states: Plane, n_leapfrog: int) -> float:
    r"""Variance after an update as :func:`as_printed`, :math:`w'` being that of the kept state."""
    chances = {0: {0: np.ones_like(states.density)}}  # by steps back, and the kept state
    for k in range(n_leapfrog):
        longer: dict[int, dict[int, np.ndarray]] = {}
        for back, kept in chances.items():
            for after, new in ((back + 1, -back - 1), (back, k + 1 - back)):
                found = longer.setdefault(after, {})
                for state, chance in kept.items():
                    accepted = np.minimum(1.0, states.weights[new] / states.weights[state])
                    found[state] = found.get(state, 0.0) + 0.5 * (1 - accepted) * chance
                    found[new] = found.get(new, 0.0) + 0.5 * accepted * chance
        chances = longer
    return sum(
        states.mean(chance * states.squares[state])
        for kept in chances.values()
        for state, chance in kept.items()
    )


def by_shares(states: Plane, n_leapfrog: int, places: np.ndarray) -> float:
    r"""Variance after a state is chosen from a whole trajectory in proportion to :math:`e^{-H}`.

    That is what keeping each new state by its share of all weights so far comes to.

    Parameters
    ----------
    states : Plane
        States along trajectories.
    n_leapfrog : int
        Leapfrog steps.
    places : ndarray, shape (n_leapfrog + 1,)
        Probabilities of as many steps back from the start.
    """
    found = 0.0
    for back, chance in enumerate(places):
        visited = range(-back, n_leapfrog + 1 - back)
        total = sum(states.weights[i] for i in visited)
        square = sum(states.weights[i] * states.squares[i] for i in visited)
        found += chance * states.mean(square / total)
    return found


def drawn_places(n_leapfrog: int) -> np.ndarray:
    """Probabilities of steps back where each direction is drawn by itself."""
    counts = [comb(n_leapfrog, back) for back in range(n_leapfrog + 1)]
    return np.array(counts) / 2.0**n_leapfrog


def equal_places(n_leapfrog: int) -> np.ndarray:
    """Probabilities of steps back where all are equal, as with ``window=n_leapfrog + 1``."""
    return np.full(n_leapfrog + 1, 1 / (n_leapfrog + 1))


# by how a row is named
UPDATES: dict[str, Callable[[Plane, int], float]] = {
    "as printed": as_printed,
    "beside the kept state": beside_kept,
    "by shares": lambda states, n: by_shares(states, n, drawn_places(n)),
    "by shares, start anywhere": lambda states, n: by_shares(states, n, equal_places(n)),
}


def update_variances(
    step_sizes: tuple[float, ...] = STEP_SIZES, n_leapfrog: int = N_LEAPFROG
) -> xr.Dataset:
    """Variance of a standard normal after one update by each rule.

    Parameters
    ----------
    step_sizes : tuple of float
        Step sizes.
    n_leapfrog : int
        Leapfrog steps of a trajectory.

    Returns
    -------
    Dataset
        ``variance`` along ``update``, ``step_size`` and ``points``, of a fine and a coarse lattice.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.runs.windows import update_variances
    >>> update_variances((1.0,), 4)["variance"].isel(points=0).values.round(4).ravel().tolist()
    [0.9689, 0.9511, 1.0084, 1.0]
    """
    found = [
        [
            [update(plane(size, n_leapfrog, points), n_leapfrog) for points in (POINTS, FEWER)]
            for size in step_sizes
        ]
        for update in UPDATES.values()
    ]
    coordinates = {"update": list(UPDATES), "step_size": list(step_sizes)}
    return xr.Dataset({"variance": (("update", "step_size", "points"), found)}, coordinates)

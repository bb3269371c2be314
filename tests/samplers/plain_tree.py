"""Trees of dynamic Hamiltonian Monte Carlo in plain Python: recursion over lists of points."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np


class Point(Protocol):
    """Point of a trajectory; ``v`` is the inverse mass matrix times ``p``."""

    @property
    def p(self) -> np.ndarray: ...
    @property
    def v(self) -> np.ndarray: ...
    @property
    def energy(self) -> float: ...


Met = Callable[[Sequence[Any]], bool]


class Grown[P: Point](NamedTuple):
    """A trajectory in the order of time, how many doublings it took, and why it ended.

    ``visited`` are all points after the start in the order of computation, those of an invalid
    branch too.
    """

    points: list[P]
    visited: list[P]
    depth: int
    diverging: bool
    ended: bool


def grow[P: Point](
    start: P, step: Callable[[P, int], P], met: Met, directions: Sequence[int]
) -> Grown[P]:
    """Double a trajectory until a criterion is met (Lau 2018, Algorithms 6, 7, 12 and 13)."""
    visited: list[P] = []
    diverging = False

    def build(last: P, sign: int, depth: int) -> tuple[list[P], bool]:
        nonlocal diverging
        if depth == 0:
            visited.append(step(last, sign))
            diverging = not visited[-1].energy - start.energy < 1000.0
            return [visited[-1]], not diverging
        near, valid = build(last, sign, depth - 1)
        if not valid:
            return near, False
        far, valid = build(near[-1], sign, depth - 1)
        return near + far, valid and not met(near + far)

    points = [start]
    for depth, sign in enumerate(directions):
        branch, valid = build(points[-1 if sign > 0 else 0], sign, depth)
        if not valid:
            return Grown(points, visited, depth, diverging, not diverging)
        points = points + branch if sign > 0 else branch[::-1] + points
        if met(points):
            return Grown(points, visited, depth + 1, False, True)
    return Grown(points, visited, len(directions), False, False)


def turns(points: Sequence[Point]) -> bool:
    """Generalised no-U-turn criterion (Lau 2018, 2.3)."""
    total = np.sum([point.p for point in points], axis=0)
    return bool(points[0].v @ total <= 0 or points[-1].v @ total <= 0)


def turns_across(points: Sequence[Point]) -> bool:
    """The same, also from each half to the nearest point of the other one."""
    half = len(points) // 2
    return turns(points) or turns(points[: half + 1]) or turns(points[half - 1 :])


def weights(points: Sequence[Point]) -> np.ndarray:
    """Probabilities of the points of a trajectory."""
    energies = np.array([point.energy for point in points])
    weight = np.exp(energies.min() - energies)
    return weight / weight.sum()

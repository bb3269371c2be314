"""Whether a step leaves the joint distribution of parameters and data invariant.

Parameters come from the prior and targets from the parameters, so that these are a draw from the
posterior of their targets. A step that is right leaves the mean of any function of both as it is,
over all replicates; no chain has to mix.
"""

from collections.abc import Callable, Iterable

import numpy as np
from scipy.stats import norm

from tests.samplers.table.joint import Arrays, Joint, Point

STATISTICS = 4000  # more than all cells have together
WIDEST = norm.isf(0.5e-3 / STATISTICS)  # 5.2: false alarms of all cells together below 1 in 1000


def measure(
    joint: Joint,
    move: Callable[[Point], list[Point]],
    replicates: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Mean changes of the statistics by moves, in standard errors; a move may have many ends."""
    points, data = joint.draw(replicates, rng)
    ends: list[Point] = []
    for i in range(replicates):
        joint.set_data({name: values[i] for name, values in data.items()})
        ends += move({name: np.asarray(points[name][i]) for name in joint.names})
    chains = len(ends) // replicates
    after = stacked(ends, points)
    late = joint.statistics(after, {k: np.repeat(v, chains, axis=0) for k, v in data.items()})
    scores = {}
    for name, early in joint.statistics(points, data).items():
        change = late[name].reshape(replicates, chains).mean(axis=1) - early
        if np.any(change):  # what a step holds fixed has not changed at all
            scores[name] = float(change.mean() / change.std() * np.sqrt(replicates))
    return scores


def stacked(points: list[Point], names: Iterable[str]) -> Arrays:
    """Points as arrays, with the points as their first dimension and in the order of the names."""
    return {name: np.array([point[name] for point in points]) for name in names}

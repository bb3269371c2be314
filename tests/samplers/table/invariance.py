"""Whether a step leaves the joint distribution of parameters and data invariant.

Parameters come from the prior and targets from the parameters, so that these are a draw from the
posterior of their targets. A step that is right leaves the mean of any function of both as it is,
over all replicates; no chain has to mix.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import norm

from tests.samplers.table.declaration import Cell
from tests.samplers.table.joint import Arrays, Joint
from tests.samplers.table.steps import move, set_up

STATISTICS = 4000  # more than all cells have together
WIDEST = norm.isf(0.5e-3 / STATISTICS)  # 5.2: false alarms of all cells together below 1 in 1000


def measure(
    cell: Cell, joint: Joint, steps: Sequence[Any], replicates: int, rng: np.random.Generator
) -> dict[str, float]:
    """Mean changes of the statistics by the steps of a cell, in standard errors."""
    model = joint.network.model
    points, data = joint.draw(replicates, rng)
    set_up(steps, rng)
    ends: list[dict[str, np.ndarray]] = []
    for i in range(replicates):
        for name, values in data.items():
            model[name].set_value(values[i].astype(model[name].dtype))
        point = {v.name: np.asarray(points[v.name][i]) for v in model.value_vars}
        ends += move(cell, steps, point, rng)
    chains = len(ends) // replicates
    after: Arrays = {name: np.array([end[name] for end in ends]) for name in points}
    late = joint.statistics(after, {k: np.repeat(v, chains, axis=0) for k, v in data.items()})
    scores = {}
    for name, early in joint.statistics(points, data).items():
        change = late[name].reshape(replicates, chains).mean(axis=1) - early
        if np.any(change):  # what a step holds fixed has not changed at all
            scores[name] = float(change.mean() / change.std() * np.sqrt(replicates))
    return scores

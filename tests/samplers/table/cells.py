"""Whether tested cells of the table leave the joint distribution of parameters and data invariant.

Each half of the cells is a file of tests, so that two processes share what has to be compiled.
"""

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from tests.samplers.table.declaration import BATCHES, SPLITS, TESTED, WHOLE, Cell
from tests.samplers.table.invariance import STATISTICS, WIDEST, measure
from tests.samplers.table.joint import Joint
from tests.samplers.table.networks import Network, build
from tests.samplers.table.steps import build_steps, move, set_up

REPLICATES = 2500
IN_A_BATCH = 800

JOINT = tuple(cell for cell in TESTED if cell.step in (*SPLITS, *WHOLE))
GIBBS = tuple(cell for cell in TESTED if cell not in JOINT)


def unmoved(network: Network, steps: Sequence[Any], scores: dict[str, float]) -> list[str]:
    """Variables of the steps of which no statistic changed in any replicate."""
    owned = {variable.name for step in steps for variable in step.vars}
    expected = {name: name for name in owned if name.endswith("_log__")}
    for name in network.groups:
        if network.noncentered:
            expected[f"{name}_raw"] = f"{name} over its scale, squared"
        else:
            expected[name] = name
    return [name for name in owned & set(expected) if expected[name] not in scores]


def assert_invariant(cell: Cell) -> None:
    """Fail if the steps of a cell change the mean of a statistic, or leave a variable alone."""
    network, rng = build(cell), np.random.default_rng(crc32(str(cell).encode()))
    replicates = IN_A_BATCH if cell.step in BATCHES else REPLICATES
    steps = build_steps(cell, network.model)
    set_up(steps, rng)
    scores = measure(Joint(network), lambda p: move(cell, steps, p, rng), replicates, rng)
    still = unmoved(network, steps, scores)
    assert still == [], still
    assert len(scores) * len(TESTED) < STATISTICS
    assert max(map(abs, scores.values())) < WIDEST, scores

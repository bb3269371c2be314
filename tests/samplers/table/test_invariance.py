"""Tested cells of the table leave the joint distribution of parameters and data invariant."""

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from tests.samplers.table.declaration import BATCHES, TESTED, Cell
from tests.samplers.table.invariance import STATISTICS, WIDEST, measure
from tests.samplers.table.joint import Joint
from tests.samplers.table.networks import Network, build
from tests.samplers.table.steps import build_steps, move, set_up

pytestmark = pytest.mark.usefixtures("quick_graphs")

REPLICATES = 2500
IN_A_BATCH = 800


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


@pytest.mark.parametrize("cell", TESTED, ids=str)
def test_step_leaves_the_joint_distribution_invariant(cell: Cell) -> None:
    network, rng = build(cell), np.random.default_rng(crc32(str(cell).encode()))
    replicates = IN_A_BATCH if cell.step in BATCHES else REPLICATES
    steps = build_steps(cell, network.model)
    set_up(steps, rng)
    scores = measure(Joint(network), lambda p: move(cell, steps, p, rng), replicates, rng)
    assert unmoved(network, steps, scores) == []
    assert len(scores) * len(TESTED) < STATISTICS
    assert max(map(abs, scores.values())) < WIDEST, scores

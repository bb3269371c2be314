"""Steps leave the joint distribution invariant that draw precisions given the weights."""

import pytest

from tests.samplers.table.cells import GIBBS, assert_invariant
from tests.samplers.table.declaration import Cell

pytestmark = pytest.mark.usefixtures("quick_graphs")


@pytest.mark.parametrize("cell", GIBBS, ids=str)
def test_step_leaves_the_joint_distribution_invariant(cell: Cell) -> None:
    assert_invariant(cell)

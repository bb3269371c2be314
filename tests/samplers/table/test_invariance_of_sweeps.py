"""Steps that run whole sweeps in compiled code leave the joint distribution invariant."""

import pytest

from tests.samplers.table.cells import OF_SWEEPS, assert_invariant
from tests.samplers.table.declaration import Cell

pytestmark = pytest.mark.usefixtures("quick_graphs")


@pytest.mark.parametrize("cell", OF_SWEEPS, ids=str)
def test_step_leaves_the_joint_distribution_invariant(cell: Cell) -> None:
    assert_invariant(cell)

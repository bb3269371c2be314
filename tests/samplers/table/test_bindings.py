"""Cells of the table that are not sampled: refused ones, and those of a tested cell's kernel.

Every pair of a prior, a likelihood and a structure is built with every step. That is enough: which
functions are bound depends on the likelihood and the structure, and what the arrays hold on the
prior and the structure.
"""

from itertools import combinations
from typing import Any

import pytest
from pymc_bnn.samplers.compiled.memory import initial_point

from tests.samplers.table.bindings import refusal_or_functions
from tests.samplers.table.declaration import (
    BATCHES,
    BIASED,
    CELLS,
    LIKELIHOODS,
    PRIORS,
    STEPS,
    STRUCTURES,
    TESTED,
    Cell,
    Refused,
    Same,
    Sampled,
    features,
    is_noncentered,
    kind,
)
from tests.samplers.table.networks import Network, build
from tests.samplers.table.steps import build_trajectories

pytestmark = pytest.mark.usefixtures("quick_graphs")

ROWS = [
    (prior, LIKELIHOODS[(i + j) % len(LIKELIHOODS)], structure)
    for i, prior in enumerate(PRIORS)
    for j, structure in enumerate(STRUCTURES)
]
_networks: dict[Any, Network] = {}
_bound: dict[Cell, Any] = {}


def network_of(cell: Cell) -> Network:
    """The model of a cell, which several steps share."""
    key = (*cell[1:], is_noncentered(cell))
    if key not in _networks:
        _networks[key] = build(cell)
    return _networks[key]


def bound(cell: Cell) -> str | frozenset[str]:
    """Refusal or functions of a cell, found once."""
    if cell.step in BATCHES and isinstance(bound(alone(cell)), str):
        return bound(alone(cell))
    if cell not in _bound:
        _bound[cell] = refusal_or_functions(cell, network_of(cell))
    return _bound[cell]


def alone(cell: Cell) -> Cell:
    """The cell of the step that a batch is made from, and that refuses for it."""
    return cell._replace(step=cell.step.replace(", batch", ""))


def test_no_cell_is_empty() -> None:
    assert [cell for cell in CELLS if kind(cell) is None] == []
    assert len(set(TESTED)) == len(TESTED)
    assert set(TESTED) == {cell for cell in CELLS if isinstance(kind(cell), Sampled)}


@pytest.mark.parametrize("step", [step for step in STEPS if step not in BIASED])
def test_every_level_that_a_step_takes_is_tested_with_it_or_with_the_same_function(
    step: str,
) -> None:
    for cell in (cell for cell in CELLS if cell.step == step):
        found = kind(cell)
        if isinstance(found, Same):
            assert found.tested[0].step == step
            assert all(isinstance(kind(other), Sampled) for other in found.tested)
            assert features(cell) <= frozenset().union(*map(features, found.tested))


def test_rows_hold_every_pair_of_levels() -> None:
    levels = (PRIORS, LIKELIHOODS, STRUCTURES)
    for a, b in combinations(range(3), 2):
        assert {(row[a], row[b]) for row in ROWS} == {(x, y) for x in levels[a] for y in levels[b]}


@pytest.mark.parametrize("row", ROWS, ids=" / ".join)
def test_cells_are_refused_or_bind_the_functions_of_tested_ones(row: tuple[str, str, str]) -> None:
    for cell in (Cell(step, *row) for step in STEPS):
        found = kind(cell)
        if found == Refused("biased"):
            continue
        if isinstance(found, Refused):
            words = bound(cell)
            assert isinstance(words, str), cell
            assert found.words in words
            assert "\n" not in words
        else:
            tested = found.tested if isinstance(found, Same) else (cell,)
            assert isinstance(bound(cell), frozenset), cell
            assert bound(cell) <= frozenset().union(*map(bound, tested)), cell


@pytest.mark.parametrize("step", BIASED)
def test_biased_steps_say_so_of_every_draw(step: str) -> None:
    cell = Cell(step, "Gaussian", "GaussianNoise", "one layer")
    network = network_of(cell)
    _, [statistics] = build_trajectories(cell, network.model).step(initial_point(network.model))
    assert statistics["biased"] is True

"""Which precisions interweaving moves together."""

import numpy as np
import pytest
from pymc_bnn import models
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.precisions.hierarchy import Hierarchy, find_hierarchy
from pymc_bnn.samplers.precisions.moves import Moves


def hierarchy_of(model: models.BNN) -> Hierarchy:
    return find_hierarchy(Conditional(model, model.groups), True, "test")


def by_move(moves: Moves) -> list[tuple[list[int], list[int]]]:
    precisions = np.split(moves.precision, moves.first[1:-1])
    members = np.split(moves.member, moves.start[1:-1])
    return [(p.tolist(), m.tolist()) for p, m in zip(precisions, members, strict=True)]


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.normal(size=(5, 3)), rng.normal(size=5)


@pytest.mark.parametrize("hidden", [(2,), (2, 4), ()])
def test_every_precision_of_weights_moves_alone_or_with_its_layer(
    hidden: tuple[int, ...], data: tuple[np.ndarray, np.ndarray]
) -> None:
    hierarchy = hierarchy_of(models.normal_inverse_gamma(*data, hidden=hidden))
    found = by_move(hierarchy.moves)
    scaled = [np.flatnonzero(hierarchy.unit == j) for j in range(2 * len(hidden) + 2)]
    expected = [[j] for j in range(len(scaled))]
    for layer in range(len(hidden)):  # weights and biases of a hidden layer, then the biases alone
        expected[2 * layer] = [2 * layer, 2 * layer + 1]
    assert [precisions for precisions, _ in found] == expected
    for precisions, members in found:
        assert members == np.concatenate([scaled[j] for j in precisions]).tolist()


def test_a_layer_with_a_precision_for_each_input_gets_a_move_of_its_own(
    data: tuple[np.ndarray, np.ndarray],
) -> None:
    hierarchy = hierarchy_of(models.ard(*data, hidden=(2,)))
    moves = [precisions for precisions, _ in by_move(hierarchy.moves)]
    singles, [together] = moves[:-1], moves[-1:]
    assert all(len(precisions) == 1 for precisions in singles)
    fed = np.unique(hierarchy.unit[: 3 * 2 + 2])  # of all weights and biases into hidden units
    assert together == fed.tolist()
    assert sorted(j for (j,) in singles) == sorted(set(hierarchy.unit.tolist()))


def test_a_layer_without_biases_has_no_move_of_its_own(
    data: tuple[np.ndarray, np.ndarray],
) -> None:
    model = models.normal_inverse_gamma(*data, hidden=(2,), biases=False)
    assert [p for p, _ in by_move(hierarchy_of(model).moves)] == [[0], [1]]

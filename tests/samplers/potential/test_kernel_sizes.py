"""The fused kernel computes the same whatever the numbers of cases, units, inputs and outputs."""

from itertools import product

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.models.activations import ACTIVATIONS

from .. import plain_network
from ..block import Block, Evaluation, Point

pytestmark = pytest.mark.usefixtures("quick_graphs")

TOLERANCE = 1e-12

# around the multiples of every power of two that a compiler or a kernel may cut the cases into
CASES = (
    *range(1, 18),
    *(24, 31, 32, 33, 40, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257),
    *(511, 512, 513, 1000, 1025),
)
FEW_CASES = (1, 7, 8, 9, 65, 300)
SMOOTH = [name for name, unit in ACTIVATIONS.items() if unit.continuous]

LIKELIHOODS = {
    "gaussian": models.GaussianNoise(sd=0.5),
    "noise_per_output": models.GaussianNoise(sd=0.5, per_output=True),
    "bernoulli": models.Bernoulli(),
    "categorical": models.Categorical(),
}
# (inputs, hidden, outputs): the products of the last ones are large enough for BLAS
ARCHITECTURES = [
    (1, (), 1),
    (3, (), 5),
    (1, (1,), 1),
    (1, (1, 1, 1), 1),
    (2, (8,), 1),
    (3, (7,), 2),
    (4, (2, 3), 4),
    (5, (9, 4, 3), 3),
    (8, (16, 8), 8),
    (13, (17,), 7),
    (33, (31, 1, 5), 9),
    (64, (33,), 10),
]


def targets(likelihood: str, cases: int, outputs: int) -> np.ndarray:
    """Targets that have all classes from the start."""
    if likelihood == "bernoulli":
        return np.arange(cases) % 2
    if likelihood == "categorical":
        return np.arange(cases)[::-1] * 5 % outputs
    return np.random.default_rng([cases, outputs]).normal(size=(cases, outputs))


def block_of(
    activation: str, likelihood: str, sizes: tuple[int, tuple[int, ...], int], biases: bool
) -> Block:
    inputs, hidden, outputs = sizes
    classes = tuple(range(outputs)) if likelihood == "categorical" else None
    model = models.BNN(
        np.zeros((outputs + 2, inputs)),
        targets(likelihood, outputs + 2, outputs),
        hidden,
        activation,
        models.Scaled(),
        LIKELIHOODS[likelihood],
        biases,
        classes=classes,
    )
    block = Block(model)
    assert block.conditional.fused
    return block


def resize(block: Block, likelihood: str, cases: int) -> None:
    """Give the model's data containers new data, as a user would."""
    model = block.model
    X = np.random.default_rng(cases).normal(size=(cases, len(model.inputs)))
    with model:
        pm.set_data({"X": X, "y": targets(likelihood, cases, len(model.outputs))})


def assert_equals_plain_network(block: Block, point: Point, ours: Evaluation) -> None:
    """Compare largest error with largest component: near zero, rounding is that of the others."""
    weights = block.parts(block.layout.ravel(point))
    energy, gradient = plain_network.energy_and_gradient(block.model, weights, ours.curvature)
    assert ours.energy == pytest.approx(float(energy), rel=TOLERANCE)
    for name, part in block.parts(ours.slope).items():
        expected = gradient[name]
        assert abs(part - expected).max() <= TOLERANCE * abs(expected).max(), name


@pytest.fixture(
    scope="module",
    params=[*product(SMOOTH, LIKELIHOODS), ("step", "gaussian")],
    ids=lambda given: "-".join(given),
)
def resizable(request: pytest.FixtureRequest) -> tuple[str, Block]:
    """A network of each kind, and the name of its likelihood."""
    activation, likelihood = request.param
    outputs = {"bernoulli": 1, "noise_per_output": 2}.get(likelihood, 3)
    return likelihood, block_of(activation, likelihood, (3, (5, 4), outputs), biases=True)


def test_numbers_of_cases(resizable: tuple[str, Block]) -> None:
    likelihood, block = resizable
    # the workspace holds the remains of other weights, as it does along a trajectory
    point, before = block.point(seed=3), block.point(seed=4, size=1e3)
    for cases in CASES:
        resize(block, likelihood, cases)
        assert_equals_plain_network(block, point, block.evaluate(point, before))


def test_cases_add_up(resizable: tuple[str, Block]) -> None:
    """Energy and gradient of all cases are the sums over the cases alone."""
    likelihood, block = resizable
    point = block.point(seed=5)
    resize(block, likelihood, 19)
    X, y = (block.model[name].get_value() for name in ("X", "y"))
    together = block.evaluate(point)
    alone = []
    for c in range(19):
        with block.model:
            pm.set_data({"X": X[[c]], "y": y[[c]]})
        alone.append(block.evaluate(point))
    assert together.energy == pytest.approx(sum(each.energy for each in alone), rel=TOLERANCE)
    total = np.sum([each.slope for each in alone], axis=0)
    assert abs(together.slope - total).max() <= TOLERANCE * abs(total).max()


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_energy_without_gradient(likelihood: str) -> None:
    block = block_of("tanh", likelihood, (3, (5, 4), 1 + (likelihood != "bernoulli")), True)
    point = block.point(seed=6)
    for cases in CASES:
        resize(block, likelihood, cases)
        ours = block.energy_without_gradient(point)
        assert ours == pytest.approx(block.evaluate(point).energy, rel=1e-14)


@pytest.mark.parametrize("sizes", ARCHITECTURES, ids=str)
def test_numbers_of_units(sizes: tuple[int, tuple[int, ...], int]) -> None:
    turn = ARCHITECTURES.index(sizes)
    for k, likelihood in enumerate(LIKELIHOODS):
        activation = SMOOTH[(turn + k) % len(SMOOTH)]
        outputs = 1 if likelihood == "bernoulli" else sizes[2] + (likelihood == "categorical")
        block = block_of(activation, likelihood, (*sizes[:2], outputs), (turn + k) % 2 == 0)
        point = block.point(seed=turn, size=0.5)
        for cases in FEW_CASES:
            resize(block, likelihood, cases)
            assert_equals_plain_network(block, point, block.evaluate(point))

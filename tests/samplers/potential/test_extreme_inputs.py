"""Saturated units, huge logits and overflow: right energies, and no NaN that is not due."""

from itertools import product

import numpy as np
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.models.activations import ACTIVATIONS

from .. import plain_network
from ..block import Block, Point

pytestmark = [
    pytest.mark.usefixtures("quick_graphs"),
    pytest.mark.filterwarnings("ignore::pymc_bnn.models.ScaleWarning"),  # one case has any scale
]

LIKELIHOODS = ("gaussian_noise", "bernoulli", "categorical")
BOUNDED = ("tanh", "logistic", "step")
SMOOTH = [name for name, unit in ACTIVATIONS.items() if unit.continuous]
CASES = 11

# a wider exponent tells what is infinite in double precision from what overflows on the way
wide = pytest.mark.skipif(
    np.finfo(np.longdouble).maxexp < 16000, reason="long double is no wider than double here"
)
each_kind = pytest.mark.parametrize(
    ("activation", "likelihood"), [*product(SMOOTH, LIKELIHOODS), ("step", "gaussian_noise")]
)


def network(
    activation: str, likelihood: str, units: int = 5, cases: int = CASES, biases: bool = True
) -> models.BNN:
    """One hidden layer; the first case and the first input are zero, unless there is but one."""
    X = np.random.default_rng(0).normal(size=(CASES, 3))
    X[0] = 0.0
    X[:, 0] = 0.0
    y = np.random.default_rng(1).normal(size=(CASES, 2))
    classes = {"bernoulli": 2, "categorical": 3}.get(likelihood)
    return models.BNN(
        X[-cases:],
        y[-cases:] if classes is None else np.arange(CASES)[-cases:] % classes,
        hidden=(units,),
        activation=activation,
        likelihood=likelihood,
        biases=biases,
        classes=None if classes is None else tuple(range(classes)),
    )


def extreme_point(block: Block, preactivation: float, output: float) -> Point:
    """Weights that give hidden units and outputs numbers of about these sizes."""
    point = block.point(seed=2)
    hidden = 1.0 if block.model.activation.name in BOUNDED else preactivation
    size = {"w0": preactivation, "b0": preactivation, "w1": output / hidden, "b1": output}
    return {name: np.asarray(size.get(name, 1.0) * value) for name, value in point.items()}


def assert_right(block: Block, point: Point) -> None:
    """Compare with exact numbers; a pre-activation of 1e6 is itself rounded by 1e-10."""
    ours = block.evaluate(point)
    weights = block.parts(block.layout.ravel(point))
    energy, gradient = plain_network.energy_and_gradient(block.model, weights, ours.curvature)
    assert ours.energy == pytest.approx(float(energy), rel=1e-9, abs=1e-300)
    largest = max(float(abs(part).max()) for part in gradient.values())
    for name, part in block.parts(ours.slope).items():
        assert abs(part - gradient[name]).max() <= 1e-9 * largest + 1e-300, name


@each_kind
@pytest.mark.parametrize("size", [(1, CASES), (5, 1), (1, 1), (5, CASES)], ids=str)
def test_saturated_units_and_huge_logits(
    activation: str, likelihood: str, size: tuple[int, int]
) -> None:
    block = Block(network(activation, likelihood, *size))
    for preactivation, output in product([1.0, 1e2, 1e4, 1e6], [1.0, 1e2, 1e4]):
        assert_right(block, extreme_point(block, preactivation, output))


@pytest.mark.parametrize(
    ("activation", "likelihood"),
    list(product(sorted(set(SMOOTH) - {"relu"}), LIKELIHOODS)),  # relu has no derivative at zero
)
def test_cases_and_weights_of_zero(activation: str, likelihood: str) -> None:
    block = Block(network(activation, likelihood, biases=False))
    assert_right(block, block.point(seed=3, size=0.0))


@wide
@each_kind
def test_energy_is_infinite_where_it_has_to_be(activation: str, likelihood: str) -> None:
    """Nothing but the size of the exact energy makes it infinite; no NaN while it is finite."""
    block = Block(network(activation, likelihood))
    for size in (1e75, 1e100, 1e150):
        point = block.point(seed=4, size=size)
        ours = block.evaluate(point)
        weights = block.parts(block.layout.ravel(point))
        energy, _ = plain_network.energy_and_gradient(block.model, weights, ours.curvature)
        with np.errstate(over="ignore"):
            assert ours.energy == pytest.approx(float(np.float64(energy)), rel=1e-12)
        if np.isfinite(ours.energy):
            assert not np.isnan(ours.slope).any()


@pytest.mark.parametrize(
    ("activation", "likelihood"), [("relu", "gaussian_noise"), *product(["tanh"], LIKELIHOODS)]
)
@pytest.mark.parametrize("size", [(1, 1), (5, CASES)], ids=str)
def test_iterations_from_extreme_weights(
    activation: str, likelihood: str, size: tuple[int, int]
) -> None:
    """The chain stays where it is, or moves to where the posterior density is finite."""
    block = Block(network(activation, likelihood, *size))
    kernel = samplers.StaticHMC(n_leapfrog=5, model=block.model, rng=1)
    for magnitude in (1e2, 1e4, 1e6, 1e150, 1e300):
        point = block.point(seed=5, size=magnitude)
        after, [statistics] = kernel.step(point)
        start, end = block.layout.ravel(point), block.layout.ravel(after)
        assert np.isfinite(end).all()
        assert 0 <= statistics["acceptance_rate"] <= 1
        if statistics["trajectory_accepted"]:
            assert np.isfinite(block.evaluate(after).logp)
        else:
            np.testing.assert_array_equal(start, end)

"""Log posterior and gradient of a block are PyTensor's own, for every kind of network."""

from collections.abc import Iterator
from itertools import cycle, islice, product
from typing import NamedTuple

import numpy as np
import pytest
from pymc_bnn import models
from pymc_bnn.models.activations import ACTIVATIONS
from pymc_bnn.models.likelihoods import LIKELIHOODS as REGISTERED

from ..block import Block, interpreted
from ..plain_graph import log_posterior_and_gradient

pytestmark = pytest.mark.usefixtures("quick_graphs")

TOLERANCE = 1e-12

X = np.random.default_rng(0).normal(size=(9, 3))
Y = np.random.default_rng(1).normal(size=(9, 3))
LIKELIHOODS = {
    "one output": (models.GaussianNoise(sd=0.5), Y[:, :1]),
    "several outputs": (models.GaussianNoise(sd=0.5), Y),
    "noise per output": (models.GaussianNoise(sd=0.5, per_output=True), Y),
    "two classes": (models.Bernoulli(), np.arange(9) % 2),
    "several classes": (models.Categorical(), np.arange(9) % 4),
}
# with one activation each, as each pair of both takes seconds to compile
NOISES = {
    "t noise": (models.StudentTNoise(sd=0.5, per_output=True), Y),
    "counts": (models.Poisson(rate=2.5), np.arange(27).reshape(9, 3) % 7),
    "noise by the network": (models.HeteroscedasticNoise(sd=0.4, spread=0.7), Y),
}
HIDDEN = ((), (4,), (5, 2), (5, 4, 3))
SMOOTH = [name for name, unit in ACTIVATIONS.items() if unit.continuous]
PRIORS = (
    models.Gaussian(sd=0.7),
    models.Scaled(),
    models.NormalInverseGamma(),
    models.ARD(by="source"),
    models.ARD(by="target"),
    models.Horseshoe(),
    models.Horseshoe(ard=True),
    models.RegularizedHorseshoe(),
    models.RegularizedHorseshoe(ard=True),
    models.ConjugateHorseshoe(),
    models.StudentT(),
    models.Stable(index=1.5),
)


class Case(NamedTuple):
    """One cell of the grid; its weight groups take the priors in turn, from the first one on."""

    activation: str
    likelihood: str
    depth: int
    first_prior: int
    biases: bool

    def priors(self) -> dict[str, models.Prior]:
        """Give every group its prior."""
        kinds = "wb" if self.biases else "w"
        groups = [f"{kind}{i}" for i in range(self.depth + 1) for kind in kinds]
        turn = islice(cycle(PRIORS), self.first_prior, None)
        return dict(zip(groups, turn, strict=False))

    def model(self, parametrization: str) -> models.BNN:
        """Build the network."""
        likelihood, y = (LIKELIHOODS | NOISES)[self.likelihood]
        return models.BNN(
            X,
            y,
            hidden=HIDDEN[self.depth],
            activation=self.activation,
            prior=self.priors(),
            likelihood=likelihood,
            biases=self.biases,
            parametrization=parametrization,
        )


def grid() -> Iterator[Case]:
    """Every activation with every likelihood at every depth.

    The fused kernel knows no more of the prior than a mean and a precision, and so the priors
    only take turns: each meets each activation, likelihood and depth.
    """
    for (a, activation), (k, likelihood), depth in product(
        enumerate(SMOOTH), enumerate(LIKELIHOODS), range(len(HIDDEN))
    ):
        first = (2 * (a + k) + depth) % len(PRIORS)
        yield Case(activation, likelihood, depth, first, (a + 2 * k + depth) % 4 > 0)


GRID = list(grid())
# every likelihood at every depth; the activations and priors take turns
DIAGONAL = [GRID[20 * ((k + depth) % 5) + 4 * k + depth] for k in range(5) for depth in range(4)]
MORE = [
    Case(activation, noise, depth, 3 * depth, depth < 3)
    for activation, noise in zip(("softplus", "relu", "tanh"), NOISES, strict=True)
    for depth in (1, 3)
]
MORE += [Case("step", "one output", depth, 2, biases=True) for depth in (1, 3)]
# few and with short priors, for each takes long to compile
NUMBA = [
    Case("tanh", "several classes", 1, 2, biases=False),
    Case("softplus", "noise per output", 1, 2, biases=True),
]


def name_of(case: Case) -> str:
    return f"{case.activation}-{case.likelihood}-{case.depth}".replace(" ", "_")


def block_of(case: Case, parametrization: str) -> Block:
    """Build a network's block, whose model remembers PyMC's log density for the comparison."""
    model = case.model(parametrization)
    terms = model.logp([*model.free_RVs, *model.observed_RVs], sum=False)
    model.logp = lambda *_, **options: terms
    return Block(model)


def assert_equals_pytensors_own(block: Block) -> None:
    """Compare at weights that give units of about unit size.

    Far out PyTensor's own graph, evaluated as it stands, takes the logarithm of a probability
    that has lost its digits. The largest error is compared with the largest component, because
    components near zero are differences of large numbers and carry their rounding.
    """
    point = block.point(seed=7, size=0.5)
    ours = block.evaluate(point)
    logp, *gradients = log_posterior_and_gradient(block, point)
    assert abs(ours.logp - logp) <= TOLERANCE * ours.size
    for (name, part), expected in zip(block.parts(ours.gradient).items(), gradients, strict=True):
        assert abs(part - expected).max() <= TOLERANCE * abs(expected).max(), name


@pytest.mark.parametrize("case", [*GRID, *MORE], ids=name_of)
def test_fused_network(case: Case) -> None:
    block = block_of(case, "centered")
    assert block.conditional.fused
    assert_equals_pytensors_own(block)


@pytest.mark.parametrize("case", DIAGONAL, ids=name_of)
def test_graph_of_a_noncentered_network(case: Case) -> None:
    with interpreted():
        assert_equals_pytensors_own(block_of(case, "noncentered"))


@pytest.mark.parametrize("case", NUMBA, ids=name_of)
def test_compiled_graph_of_a_noncentered_network(case: Case) -> None:
    block = block_of(case, "noncentered")
    assert not block.conditional.fused
    assert_equals_pytensors_own(block)


def test_grid_leaves_out_nothing_there_is() -> None:
    likelihoods = {type(likelihood) for likelihood, _ in (LIKELIHOODS | NOISES).values()}
    assert likelihoods == {kind for kind in REGISTERED.values() if kind.own_kernel()}
    classes = {c for c in vars(models).values() if isinstance(c, type)}
    priors = {c for c in classes if issubclass(c, models.Prior)} - {models.Prior}
    normal = {prior for prior in priors if prior.declare is models.Prior.declare}
    assert {type(prior) for prior in PRIORS} == normal
    # they have no kernel, and posteriors/test_box.py and test_logistic.py
    assert priors - normal == {models.Box, models.Logistic}
    for case in (GRID, DIAGONAL):
        assert {prior for c in case for prior in c.priors().values()} == set(PRIORS)
        assert {c.activation for c in case} == set(SMOOTH)  # and steps in MORE


@pytest.mark.parametrize("feature", ["activation", "likelihood", "depth"])
def test_every_prior_meets_every(feature: str) -> None:
    values = {getattr(case, feature) for case in GRID}
    met = {(getattr(case, feature), prior) for case in GRID for prior in case.priors().values()}
    assert len(met) == len(values) * len(PRIORS)

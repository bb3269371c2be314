"""Gradients of minibatches have the gradient of all cases as their mean."""

from itertools import combinations

import numpy as np
import pytest
from pymc_bnn import models
from pymc_bnn.models.simd.kernels import jit
from pymc_bnn.samplers.compiled import engine
from pymc_bnn.samplers.dynamics.minibatch import Minibatches, draw_cases, estimate, fill
from pymc_bnn.samplers.potential.likelihood_kernels import kernel_of
from pymc_bnn.samplers.potential.network_potential import network_entry
from pymc_bnn.samplers.potential.rest import WITH_GRADIENT, called_with_gradient, words_of

from ..block import Block, Point

gradient_of = engine.bound_later


@jit
def as_ordered(rng, batch):
    """Take the cases as they lie in ``order``, instead of drawing."""
    fill(batch)


def evaluate(q, batch, mean, precision):
    """Template: energy and gradient from one minibatch."""
    gradient = np.empty(q.size)
    energy = gradient_of(0, q, gradient, words_of(batch.data), batch, mean, precision)
    return energy, gradient


def averaged(block: Block, point: Point, size: int, order: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean energy of the likelihood and gradient over the minibatches of a partition."""
    conditional, model = block.conditional, block.model
    parameters, kernel = conditional.parameters(point), kernel_of(type(model.likelihood)).energy
    entries = {WITH_GRADIENT: network_entry(model.activation, kernel, gradient=True)}
    whole = conditional.network_data(parameters, entries)
    batch = Minibatches(conditional, size)(parameters, whole, entries)
    bound = engine.bind(estimate, rest=called_with_gradient, renew=as_ordered)
    run = engine.specialize(evaluate, gradient_of=bound)
    q = block.layout.ravel(point)
    found = []
    for chosen in order.reshape(-1, size):
        batch.order[:size] = chosen
        energy, gradient = run(q, batch, parameters.mean, parameters.precision)
        found.append((batch.weight * energy, gradient))
    energies, gradients = zip(*found, strict=True)
    return float(np.mean(energies)), np.mean(gradients, axis=0)


rng = np.random.default_rng(0)
X = rng.normal(size=(24, 3))
LARGE = rng.normal(size=(1600, 3))
NETWORKS = {
    "one output": lambda: models.ard(X, X[:, 0], (4,)),
    "noise per output": lambda: models.BNN(
        X, X[:, :2], (5, 3), likelihood=models.GaussianNoise(sd=0.5, per_output=True)
    ),
    "two classes": lambda: models.BNN(X, np.arange(24) % 2, (4,), likelihood="bernoulli"),
    "several classes": lambda: models.BNN(X, np.arange(24) % 4, (4,), likelihood="categorical"),
    "several blocks": lambda: models.BNN(LARGE, LARGE[:, :1], (8,)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_the_mean_over_a_partition_is_the_gradient_of_all_cases(name: str) -> None:
    model = NETWORKS[name]()
    block = Block(model)
    point = block.point(seed=1)
    whole = block.evaluate(point)
    cases = len(model["X"].get_value())
    order = np.random.default_rng(2).permutation(cases)
    for size in (cases // 2, cases // 8):
        energy, gradient = averaged(block, point, size, order)
        scale = np.abs(whole.gradient).max()
        np.testing.assert_allclose(-gradient / scale, whole.gradient / scale, atol=1e-12)
        assert energy == pytest.approx(whole.energy, rel=1e-12)


def test_all_subsets_are_equally_likely_and_independent() -> None:
    order = np.arange(5)
    rng = np.random.default_rng(3)
    subsets = {chosen: k for k, chosen in enumerate(combinations(range(5), 2))}
    counts = np.zeros((10, 10))
    before = None
    for _ in range(40_001):
        draw_cases(rng, order, 2)
        now = subsets[tuple(sorted(order[:2]))]
        if before is not None:
            counts[before, now] += 1
        before = now
    assert sorted(order) == [0, 1, 2, 3, 4]
    chi_square = ((counts - 400) ** 2 / 400).sum()
    assert abs(chi_square - 99) < 3.5 * np.sqrt(2 * 99)


def test_a_minibatch_of_all_cases_draws_nothing() -> None:
    block = Block(NETWORKS["one output"]())
    parameters = block.conditional.parameters(block.point(seed=1))
    whole = block.conditional.network_data(parameters)
    batch = Minibatches(block.conditional, 24)(parameters, whole, {})
    assert batch.order.size == 0
    assert batch.weight == 1.0
    assert batch.data is whole

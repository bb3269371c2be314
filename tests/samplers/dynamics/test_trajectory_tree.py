"""Compiled trees are those of the recursive algorithms, and every point grows them alike."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pymc as pm
import pytest
from pymc_bnn.samplers import NUTS, XHMC
from pymc_bnn.samplers.steps.bases.dynamic_hmc import DynamicHMC

from ..gaussian_tree import COVARIANCE, MEAN, SCALES, Dynamics, Phase, compiled_tree, gaussian
from ..plain_tree import Grown, Met, grow, turns, weights

DELTA, MEAN_DELTA = 0.04, 0.4
STAN = "XHMC as in Stan"
DEPTH = 7


def exhausted(points: Sequence[Phase]) -> bool:
    """Criterion of Lau (2018, 2.3), from its definition."""
    return measure(points) <= DELTA


def exhausted_on_average(points: Sequence[Phase]) -> bool:
    """The same as Stan has it (Betancourt 2016)."""
    return mean_change(points) <= MEAN_DELTA


def measure(points: Sequence[Phase]) -> float:
    return mean_change(points) / len(points)


def mean_change(points: Sequence[Phase]) -> float:
    return float(abs(weights(points) @ [point.virial for point in points]))


MET: dict[str, Met] = {"NUTS": turns, "XHMC": exhausted, STAN: exhausted_on_average}
MEASURES = {"XHMC": measure, STAN: mean_change}
METHODS: dict[str, Callable[..., DynamicHMC]] = {
    "NUTS": NUTS,
    "XHMC": lambda **options: XHMC(delta=DELTA, **options),
    STAN: lambda **options: XHMC(delta=MEAN_DELTA, per_point=False, **options),
}
KINDS = [("NUTS", "diag"), ("NUTS", "dense"), ("XHMC", "diag"), ("XHMC", "dense"), (STAN, "diag")]

type Made = Callable[[str, str], tuple[DynamicHMC, Dynamics]]


@pytest.fixture(scope="module")
def model() -> pm.Model:
    return gaussian()


@pytest.fixture(scope="module")
def made(model: pm.Model) -> Made:
    """A step method with the same dynamics in plain Python; each is compiled once."""
    steps: dict[tuple[str, str], DynamicHMC] = {}

    def make(name: str, metric: str) -> tuple[DynamicHMC, Dynamics]:
        if (name, metric) not in steps:
            steps[name, metric] = METHODS[name](metric=metric, model=model)
        return steps[name, metric], Dynamics(MEAN, COVARIANCE, SCALES[metric])

    return make


def random_start(dynamics: Dynamics, rng: np.random.Generator) -> Phase:
    return dynamics.at(rng.multivariate_normal(MEAN, COVARIANCE), rng.standard_normal(2))


def chosen(start: Phase, tree: Grown, uniforms: np.ndarray) -> Phase:
    """Point that uniform numbers choose: one of each branch, then that or the one before."""
    point, total = start, 1.0
    for depth in range(tree.depth):
        branch = tree.visited[2**depth - 1 : 2 ** (depth + 1) - 1]
        weight = 0.0
        for number, candidate in enumerate(branch, 2**depth - 1):
            own = np.exp(start.energy - candidate.energy)
            weight += own
            if uniforms[DEPTH + number] < own / weight:
                favourite = candidate
        if uniforms[depth] < weight / total:
            point = favourite
        total += weight
    return point


@pytest.mark.parametrize(("name", "metric"), KINDS)
@pytest.mark.parametrize("size", [0.3, 1.0, 2.0])
def test_compiled_tree_is_that_of_the_recursion(
    name: str, metric: str, size: float, made: Made
) -> None:
    step, _ = made(name, metric)
    scale = size * SCALES[metric]
    dynamics = Dynamics(MEAN, COVARIANCE, scale)
    rng = np.random.default_rng(1)
    depths = set()
    for _ in range(60):
        start = random_start(dynamics, rng)
        directions = 2 * rng.integers(2, size=DEPTH) - 1
        uniforms = rng.random(DEPTH + 2**DEPTH)
        expected = grow(start, dynamics.step, MET[name], list(directions))
        tree = compiled_tree(step, scale, start, directions, uniforms)
        assert (tree.steps, tree.depth) == (len(expected.visited), expected.depth)
        assert (tree.diverging, tree.ended) == (expected.diverging, expected.ended)
        errors = np.array([point.energy - start.energy for point in expected.visited])
        assert tree.acceptance == pytest.approx(np.exp(np.minimum(0, -errors)).mean())
        if tree.depth > 0:
            end = chosen(start, expected, uniforms)
            np.testing.assert_allclose(tree.position, end.q, atol=1e-9)
            assert tree.energy == pytest.approx(end.energy)
            assert tree.energy_error == pytest.approx(end.energy - start.energy, abs=1e-9)
        if name in MEASURES and tree.depth > 0:
            assert tree.measure == pytest.approx(MEASURES[name](expected.points), abs=1e-9)
        depths.add(tree.depth)
    assert len(depths) > 1


@pytest.mark.parametrize(("name", "metric"), KINDS)
def test_all_points_of_a_trajectory_grow_it_with_the_same_probability(
    name: str, metric: str, made: Made
) -> None:
    """So transitions are reversible, once a point is chosen in proportion to its density."""
    step, dynamics = made(name, metric)
    rng = np.random.default_rng(2)
    depth, several = 4, 0
    for _ in range(12):
        orbit = {0: random_start(dynamics, rng)}
        for i in range(1, 2**depth):
            orbit[i] = dynamics.step(orbit[i - 1], 1)
            orbit[-i] = dynamics.step(orbit[1 - i], -1)
        ways: dict[tuple[int, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for i, directions in product(orbit, product([-1, 1], repeat=depth)):
            tree = compiled_tree(step, SCALES[metric], orbit[i], np.array(directions))
            lengths = [2**k * directions[k] for k in range(tree.depth)]
            first = i + sum(length for length in lengths if length < 0)
            ways[first, i + sum(length for length in lengths if length > 0)][i] += 1
        for (first, last), counts in ways.items():
            if first <= 0 <= last:
                assert set(counts) == set(range(first, last + 1))
                assert len(set(counts.values())) == 1, (first, last, dict(counts))
                several += last > first
    assert several > 20


def test_growth_that_nothing_ends_reaches_the_maximal_depth(made: Made) -> None:
    _, dynamics = made("XHMC", "diag")
    step = XHMC(delta=1e-300, max_treedepth=3, model=made("XHMC", "diag")[0].model)
    start = random_start(dynamics, np.random.default_rng(3))
    tree = compiled_tree(step, SCALES["diag"], start, np.array([1, -1, 1]))
    assert (tree.steps, tree.depth, tree.diverging, tree.ended) == (7, 3, False, False)
    step.stop_tuning()
    _, [statistics] = step.step({"x": start.q})
    assert statistics["reached_max_treedepth"]
    assert not statistics["diverging"]


@pytest.mark.parametrize("name", METHODS)
def test_energy_that_explodes_is_a_divergence(name: str, made: Made) -> None:
    step, _ = made(name, "diag")
    scale = 40 * SCALES["diag"]
    start = random_start(Dynamics(MEAN, COVARIANCE, scale), np.random.default_rng(4))
    tree = compiled_tree(step, scale, start, np.ones(5, int))
    assert (tree.diverging, tree.ended, tree.depth, tree.steps) == (True, False, 0, 1)
    np.testing.assert_array_equal(tree.position, start.q)
    assert np.isnan(tree.measure)

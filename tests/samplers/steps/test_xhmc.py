"""Exhaustive Hamiltonian Monte Carlo: how long its trajectories are, and what they sample."""

import arviz as az
import numpy as np
import pymc as pm
import pytest
from pymc_bnn.samplers import NUTS, XHMC
from scipy import stats

from ..gaussian_tree import COVARIANCE, MEAN, Dynamics, Phase, compiled_tree, gaussian

CHOLESKY = np.linalg.cholesky(COVARIANCE)
DEPTH = 9


@pytest.fixture(scope="module")
def model() -> pm.Model:
    return gaussian()


@pytest.fixture(scope="module")
def step(model: pm.Model) -> XHMC:
    return XHMC(metric="dense", model=model)


def random_start(dynamics: Dynamics, rng: np.random.Generator) -> Phase:
    return dynamics.at(rng.multivariate_normal(MEAN, COVARIANCE), rng.standard_normal(2))


class Flow:
    """Exact flow from a point: whitened, each component of a Gaussian is a circular motion."""

    def __init__(self, start: Phase, step_size: float, delta: float):
        self.step_size, self.delta = step_size, delta
        self.centre = np.linalg.solve(CHOLESKY, MEAN)
        self.q = np.linalg.solve(CHOLESKY, start.q) - self.centre
        self.p = start.p

    def virial(self, steps: float) -> float:
        """Virial after a number of steps."""
        c, s = np.cos(steps * self.step_size), np.sin(steps * self.step_size)
        return float((self.centre + self.q * c + self.p * s) @ (self.p * c - self.q * s))

    def exhaustion(self, first: int, last: int) -> float:
        """Mean rate of change of the virial between points, over their number."""
        points = last - first + 1
        change = self.virial(last + 0.5) - self.virial(first - 0.5)
        return abs(change) / (points * self.step_size) / points

    def is_valid(self, first: int, last: int) -> bool:
        """Whether no subtree of a branch meets the criterion."""
        if first == last:
            return True
        middle = (first + last) // 2
        halves = self.is_valid(first, middle) and self.is_valid(middle + 1, last)
        return halves and self.exhaustion(first, last) > self.delta

    def grow(self, directions: np.ndarray) -> tuple[int, float]:
        """Doublings until the criterion is met, and its measure then."""
        first = last = 0
        for depth, sign in enumerate(directions):
            new = (last + 1, last + 2**depth) if sign > 0 else (first - 2**depth, first - 1)
            if not self.is_valid(*new):
                return depth, self.exhaustion(first, last)
            first, last = min(first, new[0]), max(last, new[1])
            if self.exhaustion(first, last) <= self.delta:
                return depth + 1, self.exhaustion(first, last)
        return len(directions), self.exhaustion(first, last)


@pytest.mark.parametrize("delta", [0.02, 0.1, 0.5])
def test_trajectories_are_as_long_as_the_exact_flow_has_them(delta: float, step: XHMC) -> None:
    """The mean of dG/dt is the change of G over the time that it takes."""
    step_size = 0.05
    scale = step_size * CHOLESKY
    rng = np.random.default_rng(1)
    step.threshold = delta
    agree = []
    for _ in range(100):
        start = random_start(Dynamics(MEAN, COVARIANCE, scale), rng)
        directions = 2 * rng.integers(2, size=DEPTH) - 1
        tree = compiled_tree(step, scale, start, directions)
        depth, exhaustion = Flow(start, step_size, delta).grow(directions)
        agree.append(tree.depth == depth)
        if tree.depth == depth > 0:
            assert tree.measure == pytest.approx(exhaustion, rel=0.02, abs=2e-3)
    assert np.mean(agree) > 0.95


def test_smaller_thresholds_give_longer_trajectories(step: XHMC) -> None:
    r"""A change of G that is bounded needs :math:`n \propto \delta^{-1/2}` points to be small."""
    scale = 0.05 * CHOLESKY
    lengths = []
    for delta in (1.0, 0.1, 0.01):
        rng = np.random.default_rng(2)
        step.threshold = delta
        points = []
        for _ in range(100):
            start = random_start(Dynamics(MEAN, COVARIANCE, scale), rng)
            directions = 2 * rng.integers(2, size=DEPTH) - 1
            points.append(2 ** compiled_tree(step, scale, start, directions).depth)
        lengths.append(np.mean(points))
    assert lengths[0] < lengths[1] < lengths[2]
    assert 5 < lengths[2] / lengths[0] < 20


@pytest.mark.parametrize("step_size", [0.4, 1.2])
def test_one_transition_leaves_a_gaussian_invariant(step_size: float, step: XHMC) -> None:
    rng = np.random.default_rng(3)
    step.threshold = 0.1
    scale = step_size * np.array([[1.0, 0.0], [0.2, 0.9]])
    dynamics = Dynamics(MEAN, COVARIANCE, scale)

    def functions(q: np.ndarray) -> np.ndarray:
        x = np.linalg.solve(CHOLESKY, q - MEAN)
        return np.concatenate([x, x**2, [x[0] * x[1]], np.abs(x) < 0.3, np.abs(x) > 1.5])

    changes = []
    for _ in range(5000):
        start = random_start(dynamics, rng)
        directions, uniforms = 2 * rng.integers(2, size=5) - 1, rng.random(5 + 2**5)
        end = compiled_tree(step, scale, start, directions, uniforms)
        changes.append(functions(end.position) - functions(start.q))
    scores = np.mean(changes, axis=0) / (np.std(changes, axis=0) / np.sqrt(len(changes)))
    assert np.abs(scores).max() < 4.0, scores


def test_quantiles_with_a_dense_metric(step: XHMC) -> None:
    step.threshold = 0.1
    with step.model:
        idata = pm.sample(
            draws=3000,
            tune=2000,
            step=step,
            chains=2,
            cores=1,
            progressbar=False,
            quiet=True,
            compute_convergence_checks=False,
            random_seed=4,
        )
    assert step.adaptation is not None
    learnt = step.adaptation.scale @ step.adaptation.scale.T
    np.testing.assert_allclose(learnt, COVARIANCE, atol=0.25)
    draws = idata["posterior"]["x"].transpose("chain", "draw", ...).values
    for i, level in np.ndindex(2, 3):
        probability = (0.05, 0.5, 0.95)[level]
        exact = stats.norm.ppf(probability, MEAN[i], np.sqrt(COVARIANCE[i, i]))
        error = float(az.mcse(draws[..., i], method="quantile", prob=probability))
        assert abs(np.quantile(draws[..., i], probability) - exact) < 4.0 * error
    found = idata["sample_stats"]
    assert (found["exhaustion"] <= 0.1).mean() > 0.5
    assert found["exhaustion"].dtype == np.float64
    assert not found["reached_max_treedepth"].any()


@pytest.mark.parametrize("delta", [0.0, -0.1, np.nan, np.inf])
def test_threshold_has_to_be_positive(delta: float, model: pm.Model) -> None:
    with pytest.raises(ValueError, match="delta="):
        XHMC(delta=delta, model=model)


@pytest.mark.parametrize("step", [NUTS, XHMC])
def test_other_bad_arguments_are_told(step: type, model: pm.Model) -> None:
    with pytest.raises(ValueError, match="unknown metric 'dens'; did you mean 'dense'"):
        step(metric="dens", model=model)
    with pytest.raises(ValueError, match=r'metric=.* needs step_sizes="adapt"'):
        step(metric="dense", step_sizes="neal", model=model)
    with pytest.raises(ValueError, match="max_treedepth="):
        step(max_treedepth=0, model=model)
    with pytest.raises(ValueError, match=r'^target_accept=None needs step_sizes="neal".*$'):
        step(target_accept=None, model=model)

"""The evidence from works that are drawn exactly."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from pymc_bnn.samplers.marginal_likelihood.works import (
    Estimate,
    from_both,
    from_posterior,
    from_prior,
)
from scipy.special import gammaln, logsumexp

TRUTH, SPREAD, RUNS = -7.0, 0.6, 80
METHODS: dict[str, Callable[[np.ndarray, np.ndarray], Estimate]] = {
    "prior": lambda forward, backward: from_prior(forward),
    "posterior": lambda forward, backward: from_posterior(backward),
    "both": from_both,
    "both, fewer backward": lambda forward, backward: from_both(forward, backward[::4]),
}


@pytest.mark.parametrize("method", METHODS)
def test_estimates_and_their_errors_are_right(method: str) -> None:
    """Normal works, whose densities have the ratio that Crooks' theorem asks for."""
    rng, scores = np.random.default_rng(1), []
    for _ in range(400):
        forward = rng.normal(TRUTH - SPREAD**2 / 2, SPREAD, RUNS)
        backward = rng.normal(TRUTH + SPREAD**2 / 2, SPREAD, RUNS)
        found = METHODS[method](forward, backward)
        scores.append((found.log_evidence - TRUTH) / found.standard_error)
    # of 400 scores of variance 1 the mean is within 0.2 and the variance within 0.28, each in
    # 9999 of 10 000; the log of a mean of 80 weights lies a tenth of its error too low or high
    assert abs(np.mean(scores)) < 0.3
    assert 0.72 < np.var(scores) < 1.4


@pytest.mark.parametrize(
    ("spread", "runs", "low", "high"),
    [
        (1.0, 2, 0.63, 0.69),
        (1.0, 5, 0.82, 0.88),
        (1.0, 10, 0.87, 0.93),
        (1.0, 100, 0.92, 0.97),
        (2.0, 100, 0.84, 0.90),
    ],
)
def test_two_standard_errors_hold_the_truth_as_often_as_cautions_say(
    spread: float, runs: int, low: float, high: float
) -> None:
    """Too seldom with few runs, as the caution of annealing says, and with wide log weights."""
    rng, cases = np.random.default_rng(3), 3000
    centres = TRUTH - spread**2 / 2, TRUTH + spread**2 / 2
    held = 0
    for _ in range(cases):
        found = from_both(*(rng.normal(centre, spread, runs) for centre in centres))
        held += abs(found.log_evidence - TRUTH) < 2 * found.standard_error
    # a share near 0.9 of 3000 has a standard error of 0.006
    assert low < held / cases < high


def test_errors_of_both_directions_together_are_smaller() -> None:
    rng = np.random.default_rng(2)
    forward, backward = rng.normal(-1, 1.4, 400), rng.normal(1, 1.4, 400)
    errors = [METHODS[m](forward, backward).standard_error for m in ("prior", "posterior", "both")]
    assert errors[2] < min(errors[:2])


def test_runs_that_the_posterior_refuses_have_no_weight() -> None:
    """A quarter of the prior is possible, and the likelihood is 1 there."""
    forward, backward = np.array([0.0, -np.inf, -np.inf, -np.inf] * 50), np.zeros(200)
    assert from_prior(forward).log_evidence == pytest.approx(np.log(0.25))
    assert from_posterior(backward).log_evidence == 0.0  # it cannot know what the prior holds
    both = from_both(forward, backward)
    assert both.log_evidence == pytest.approx(np.log(0.25))
    assert both.standard_error == pytest.approx(from_prior(forward).standard_error, rel=0.01)
    assert from_both(forward[:3], backward) == (pytest.approx(np.nan, nan_ok=True), np.inf)


def test_directions_that_disagree_leave_a_larger_error() -> None:
    """Each has an error of 0.1, and they are 1 apart."""
    spread = np.log([0.9, 1.1])
    near, far = (from_both(spread, apart - spread) for apart in (0.0, 1.0))
    assert far.log_evidence == pytest.approx(0.5)
    assert near.standard_error == pytest.approx(np.sqrt(0.5) * 0.1)
    assert far.standard_error == pytest.approx(0.5)
    alike = np.full(3, -5.0)  # whose error would be 0
    assert from_both(alike, np.array([-1.0, -2.0, -3.0])).standard_error > 1.0


POWERS = np.concatenate([[0.0], np.geomspace(1e-2, 1.0, 8)])
TARGETS = np.array([3.0, 3.2, 2.9, 3.1, 3.05])
GAMMA, RATE = 2.0, 0.1
GRID = np.linspace(-8.0, 8.0, 20001)
# of a mean with a standard normal prior, the precision of the noise integrated out
DENSITY = (
    -0.5 * GRID**2
    - 0.5 * np.log(2 * np.pi)
    + GAMMA * np.log(RATE)
    + gammaln(GAMMA + TARGETS.size / 2)
    - gammaln(GAMMA)
    - 0.5 * TARGETS.size * np.log(2 * np.pi)
    - (GAMMA + TARGETS.size / 2) * np.log(RATE + 0.5 * ((TARGETS - GRID[:, None]) ** 2).sum(axis=1))
)


def squares(mean: np.ndarray) -> np.ndarray:
    return ((TARGETS - mean[:, None]) ** 2).sum(axis=1)


def works(
    rng: np.random.Generator, mean: np.ndarray, precision: np.ndarray, powers: np.ndarray
) -> np.ndarray:
    """Works of exact draws, moved by precision given mean and then mean given precision."""
    total = np.zeros(mean.size)
    for here, beyond in pairwise(powers):
        if here not in (0.0, powers[0]):
            half = 0.5 * here
            precision = rng.gamma(GAMMA + half * TARGETS.size, 1 / (RATE + half * squares(mean)))
            inverse = 1.0 / (1.0 + here * TARGETS.size * precision)
            mean = inverse * here * precision * TARGETS.sum()
            mean += np.sqrt(inverse) * rng.standard_normal(mean.size)
        likelihood = 0.5 * TARGETS.size * np.log(precision / (2 * np.pi))
        total += abs(beyond - here) * (likelihood - 0.5 * precision * squares(mean))
    return total


def test_moves_need_not_be_reversible() -> None:
    """A sweep of two Gibbs draws, in the same order both ways, in which Crooks' relation fails."""
    rng, runs = np.random.default_rng(1), 20_000
    exact = float(logsumexp(DENSITY) + np.log(GRID[1] - GRID[0]))
    hot = rng.standard_normal(runs), rng.gamma(GAMMA, 1 / RATE, runs)
    forward = works(rng, *hot, POWERS)
    mean = rng.choice(GRID, runs, p=np.exp(DENSITY - logsumexp(DENSITY)))
    cold = rng.gamma(GAMMA + TARGETS.size / 2, 1 / (RATE + squares(mean) / 2))
    backward = works(rng, mean, cold, POWERS[::-1])
    found = from_both(forward, backward)
    assert abs(found.log_evidence - exact) < 3.0 * found.standard_error < 0.75, (found, exact)
    # Bennett's estimate is off by a third, sixteen of its standard errors
    assert abs(found.log_evidence - exact) < 0.15

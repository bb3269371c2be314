"""The evidence from works that are drawn exactly."""

from collections.abc import Callable

import numpy as np
import pytest
from pymc_bnn.samplers.marginal_likelihood.works import (
    Estimate,
    from_both,
    from_posterior,
    from_prior,
)

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
    assert from_both(forward, backward).log_evidence == pytest.approx(np.log(0.25))

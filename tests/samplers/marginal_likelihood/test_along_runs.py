"""Integrals along annealing runs, from states that are drawn exactly and lag by a known step."""

import numpy as np
import pytest
from pymc_bnn.samplers.marginal_likelihood.along_runs import Integrated, integrated
from pymc_bnn.samplers.marginal_likelihood.works import Estimate, from_prior

from .exact_draws import linear, powers_from

MODEL = linear(4)
RUNS, WIDEST = 200, 4.5


def found(temperatures: int, lag: int, runs: int = RUNS, seed: int = 0) -> Integrated:
    """Runs in both directions whose states are as many temperatures behind."""
    powers = powers_from(1e-3, temperatures)[::-1]  # from prior to posterior
    rng, ends = np.random.default_rng([seed, 1]), []
    hot = from_prior(powers[1] * MODEL.log_likelihood(powers[:1], (runs,), rng)[:, 0])
    for way in (1, -1):
        late = powers[np.clip(np.arange(1, temperatures) - way * lag, 1, temperatures - 1)]
        ends.append(MODEL.log_likelihood(late, (runs,), rng))
    return integrated(hot, *ends, powers[1:])


def test_without_lag_both_directions_have_the_closed_form() -> None:
    exact, one = MODEL.log_evidence(), found(60, 0)
    for estimate in (one.cooling, one.heating, one.both):
        assert abs(estimate.log_evidence - exact) < WIDEST * estimate.standard_error
        assert estimate.standard_error < 0.1
    assert abs(one.lag.log_evidence) < WIDEST * one.lag.standard_error


def test_lag_is_seen_cancels_to_first_order_and_falls_with_slower_runs() -> None:
    exact = MODEL.log_evidence()
    fast, slow = found(60, 3), found(240, 3)
    for one in (fast, slow):
        assert one.cooling.log_evidence < exact - WIDEST * one.cooling.standard_error
        assert one.heating.log_evidence > exact + WIDEST * one.heating.standard_error
        assert one.lag.log_evidence > WIDEST * one.lag.standard_error
        assert abs(one.both.log_evidence - exact) < one.lag.log_evidence / 3
    assert slow.lag.log_evidence == pytest.approx(fast.lag.log_evidence / 4, rel=0.25)


def test_errors_are_those_of_means() -> None:
    scores = [
        (one.both.log_evidence - MODEL.log_evidence()) / one.both.standard_error
        for one in (found(60, 0, 20, seed) for seed in range(100))
    ]
    assert 0.6 < np.var(scores) < 1.7  # of 100 scores, beyond in fewer than 1 of 1000


def test_few_temperatures_are_corrected_by_the_variance() -> None:
    off = found(8, 0, 1500).both.log_evidence - MODEL.log_evidence()
    assert abs(off) < 0.15  # 0.37 without the correction


def test_runs_that_start_without_likelihood_count_in_the_first_step_alone() -> None:
    runs = np.array([[-np.inf, -np.inf], [-1.0, -1.0], [-2.0, -2.0], [-3.0, -3.0]])
    powers = np.array([0.0, 1.0])
    one = integrated(Estimate(-0.5, 0.0), runs, runs - 1, powers)
    assert one.both.log_evidence == -3.0
    assert np.isnan(integrated(Estimate(-0.5, 0.0), runs[:2], runs, powers).both.log_evidence)

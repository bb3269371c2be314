"""The accept test, the test for divergence, and sums of weights."""

import numpy as np
import pytest
from pymc_bnn.samplers.dynamics.metropolis import (
    Decision,
    accept,
    acceptance_probability,
    decide,
    diverges,
    log_sum,
)


@pytest.mark.parametrize("error", [-1e300, -3.0, 0.0, 1e-3, 0.7, 5.0, 999.0])
def test_a_trajectory_is_accepted_by_its_energy_error(error: float) -> None:
    assert not diverges(error)
    assert acceptance_probability(error) == pytest.approx(np.exp(min(0.0, -error)), rel=1e-15)


@pytest.mark.parametrize("error", [1000.0, 1e300, np.inf, np.nan])
def test_a_diverging_trajectory_is_never_accepted(error: float) -> None:
    assert diverges(error)
    assert acceptance_probability(error) == 0.0


@pytest.mark.parametrize(("error", "uniform"), [(-2.0, 0.999), (0.7, 0.4), (0.7, 0.6), (1e3, 0.0)])
def test_one_uniform_number_decides(error: float, uniform: float) -> None:
    probability = acceptance_probability(error)
    assert accept(error, uniform) == Decision(probability, uniform < probability)


def test_ends_are_accepted_as_often_as_their_probability_says() -> None:
    rng = np.random.default_rng(1)
    found = [decide(rng, 0.7, None) for _ in range(4000)]
    assert np.mean([one.accepted for one in found]) == pytest.approx(np.exp(-0.7), abs=0.03)
    assert {one.probability for one in found} == {acceptance_probability(0.7)}


@pytest.mark.parametrize(("a", "b"), [(-1.0, 2.0), (-np.inf, 0.5), (700.0, 710.0), (0.3, -800.0)])
def test_weights_are_added_on_the_log_scale(a: float, b: float) -> None:
    assert log_sum(a, b) == pytest.approx(np.logaddexp(a, b), rel=1e-15)

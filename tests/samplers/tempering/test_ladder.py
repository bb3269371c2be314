"""Ladders, and acceptances of swaps against closed forms and all pairs."""

import numpy as np
import pytest
from pymc_bnn.samplers.tempering.ladder import equal_acceptance, swap_acceptance
from scipy.special import erfc

from ..marginal_likelihood.exact_draws import linear, powers_from


def over_all_pairs(draws: np.ndarray, powers: np.ndarray) -> list[float]:
    """Acceptances of neighbours, from cold to hot, by brute force."""
    flat = draws.reshape(-1, powers.size)
    found = []
    for i in range(powers.size - 1):
        difference = flat[None, :, i + 1] - flat[:, None, i]
        found.append(np.exp(np.minimum(0, (powers[i] - powers[i + 1]) * difference)).mean())
    return found


@pytest.mark.parametrize("scale", [0.01, 1.0, 1e4])
def test_acceptance_over_all_pairs(scale: float) -> None:
    rng = np.random.default_rng(1)
    powers = np.array([1.5, 1.0, 0.2, 0.0])
    draws = scale * rng.normal(size=(2, 60, 4)).round(1)  # with ties
    draws[0, :20, 3] = -np.inf
    expected = over_all_pairs(draws, powers)
    np.testing.assert_allclose(swap_acceptance(draws, powers), expected, rtol=1e-12)
    order = rng.permutation(4)
    np.testing.assert_allclose(swap_acceptance(draws[..., order], powers[order]), expected)


def test_acceptance_of_normal_energies() -> None:
    """Log likelihoods N(m + s^2 b, s^2) are those of one Gaussian family of distributions."""
    spread, powers = 30.0, np.array([0.1, 0.05, 0.0])
    draws = np.random.default_rng(2).normal(spread**2 * powers, spread, size=(4, 5000, 3))
    expected = erfc(spread * 0.05 / 2)
    np.testing.assert_allclose(swap_acceptance(draws, powers), expected, atol=0.01)


@pytest.mark.parametrize(
    ("weights", "hottest", "count"), [(1, 1e-3, 8), (5, 1e-3, 8), (50, 1e-4, 30)]
)
@pytest.mark.parametrize("acceptance", [0.2, 0.4, 0.7])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_neighbours_on_the_new_ladder_swap_as_asked(
    weights: int, hottest: float, count: int, acceptance: float, scale: float
) -> None:
    model, pilot = linear(weights, scale=scale), powers_from(hottest, count)
    rng = np.random.default_rng(3)
    draws = model.log_likelihood(pilot, (4, 500), rng)
    ladder = equal_acceptance(draws, pilot, acceptance)
    found = swap_acceptance(model.log_likelihood(ladder, (4, 2500), rng), ladder)
    assert (ladder[0], ladder[-1]) == (1.0, 0.0)
    assert np.all(np.diff(ladder) < 0)
    assert found.min() > acceptance - 0.06
    assert np.ptp(found) < 0.12
    if ladder.size > 8:  # else rounding up to whole steps shows
        assert found.max() < acceptance + 0.1


def test_a_ladder_that_is_right_stays() -> None:
    spread, powers = 30.0, np.linspace(1, 0, 13)
    draws = np.random.default_rng(4).normal(spread**2 * powers, spread, size=(4, 5000, 13))
    accepted = swap_acceptance(draws, powers).min()
    np.testing.assert_allclose(equal_acceptance(draws, powers, accepted), powers, atol=0.005)


def test_one_is_a_rung_of_a_ladder_with_colder_temperatures() -> None:
    pilot = np.append(np.geomspace(8, 0.01, 12), 0.0)
    draws = linear(5).log_likelihood(pilot, (4, 500), np.random.default_rng(5))
    ladder = equal_acceptance(draws, pilot, 0.3)
    assert 1.0 in ladder
    assert (ladder[0], ladder[-1]) == (8.0, 0.0)
    assert 1.0 not in equal_acceptance(draws[..., -6:-1], pilot[-6:-1], 0.3)


def test_a_pilot_run_with_gaps() -> None:
    """Acceptances too small to measure are replaced by the integral of the spread."""
    model, pilot = linear(50), np.array([1.0, 0.03, 0.001, 0.0])
    rng = np.random.default_rng(6)
    draws = model.log_likelihood(pilot, (4, 500), rng)
    assert swap_acceptance(draws, pilot).min() < 1e-3
    ladder = equal_acceptance(draws, pilot, 0.4)
    found = swap_acceptance(model.log_likelihood(ladder, (4, 1000), rng), ladder)
    assert 0.3 < found.min() < found.max() < 0.55


def test_likelihoods_of_zero_do_no_harm() -> None:
    draws = np.zeros((1, 50, 2))
    draws[0, :20, 1] = -np.inf
    assert np.array_equal(equal_acceptance(draws, np.array([1.0, 0.0]), 0.5), [1.0, 0.0])
    draws[0, :, 1] = -np.inf
    with pytest.raises(ValueError, match="-inf in all draws of the prior"):
        equal_acceptance(draws, np.array([1.0, 0.0]), 0.5)


@pytest.mark.parametrize("acceptance", [0.0, 1.0, np.nan])
def test_refused_acceptances(acceptance: float) -> None:
    with pytest.raises(ValueError, match=r"acceptance is .*: give a number between 0 and 1"):
        equal_acceptance(np.zeros((1, 9, 2)), np.array([1.0, 0.0]), acceptance)


def test_a_pilot_run_at_one_temperature() -> None:
    with pytest.raises(ValueError, match="a pilot run needs at least 2"):
        equal_acceptance(np.zeros((1, 9, 1)), np.array([1.0]), 0.5)

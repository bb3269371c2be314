"""Each caution comes of its cause, and of nothing else."""

import numpy as np
import pytest
from pymc_bnn.samplers.marginal_likelihood.cautions import autocorrelation_time
from pymc_bnn.samplers.marginal_likelihood.evidence import estimate

from .exact_draws import linear, powers_from

POWERS = powers_from(0.03, 10)


def records(seed: int, shape: tuple[int, int] = (4, 200)) -> np.ndarray:
    return linear(2).log_likelihood(POWERS, shape, np.random.default_rng(seed))


def test_healthy_records_have_no_cautions() -> None:
    found = [estimate(records(s), POWERS, "stepping_stone").cautions for s in range(200)]
    assert sum(map(bool, found)) <= 3  # one in a thousand expected


def test_a_gap_between_temperatures() -> None:
    powers = powers_from(1e-4, 4)
    draws = linear(50).log_likelihood(powers, (4, 200), np.random.default_rng(1))
    cautions = estimate(draws, powers, "stepping_stone").cautions
    assert any("hardly overlap" in caution for caution in cautions)


def test_a_gap_below_temperature_one_does_no_harm() -> None:
    powers = np.append(1e9, POWERS)
    draws = linear(2).log_likelihood(powers, (4, 200), np.random.default_rng(1))
    assert estimate(draws, powers, "stepping_stone").cautions == ()


@pytest.mark.parametrize("method", ["mbar", "stepping_stone", "thermodynamic_integration"])
def test_chains_that_disagree(method: str) -> None:
    draws = records(2)
    draws[3] -= 0.5
    [caution] = [c for c in estimate(draws, POWERS, method).cautions if "disagree" in c]
    values = [float(v) for v in caution.partition("(")[2].partition(")")[0].split(", ")]
    assert np.mean(values[:3]) - values[3] == pytest.approx(0.5, abs=0.25)


def test_chains_that_remember_longer_than_a_block() -> None:
    draws = records(3, (4, 20)).repeat(10, axis=1)
    cautions = estimate(draws, POWERS, "stepping_stone").cautions
    assert any("Blocks of 40 draws are short" in caution for caution in cautions)


def test_few_draws() -> None:
    [caution] = estimate(records(4, (4, 20)), POWERS, "stepping_stone").cautions
    assert caution.startswith("Blocks of 4 draws are short")


def test_an_integrand_whose_mean_does_not_exist() -> None:
    """Squared errors under a gamma prior of the weights' precision have no mean at infinity."""
    draws, rng = records(7), np.random.default_rng(7)
    at = int(np.argmin(POWERS))
    draws[..., at] -= rng.gamma(0.5, 1.0, size=draws.shape[:2]) ** -1.0
    cautions = estimate(draws, POWERS, "thermodynamic_integration").cautions
    assert any("so heavy a tail at inverse temperature 0 (Pareto k" in c for c in cautions)
    assert not any("heavy" in caution for caution in estimate(draws, POWERS, "mbar").cautions)


def test_means_of_light_tails_are_known() -> None:
    found = [estimate(records(s), POWERS, "thermodynamic_integration").cautions for s in range(100)]
    assert not any("heavy" in caution for cautions in found for caution in cautions)


def test_an_integral_over_too_few_temperatures() -> None:
    powers = np.array([1.0, 0.25, 0.0])
    draws = linear(2, scale=3.0).log_likelihood(powers, (4, 2000), np.random.default_rng(5))
    [caution] = estimate(draws, powers, "thermodynamic_integration").cautions
    assert "too few temperatures for this method" in caution
    assert estimate(draws, powers, "stepping_stone").cautions == ()


def test_equal_likelihoods_have_no_error_and_no_cautions() -> None:
    for method in ("mbar", "stepping_stone", "thermodynamic_integration"):
        found = estimate(np.full((4, 200, POWERS.size), -3.1), POWERS, method)
        assert found.log_evidence == pytest.approx(-3.1)
        assert found.standard_error == pytest.approx(0, abs=1e-9)
        assert found.cautions == ()


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_autocorrelation_time_of_an_autoregression(correlation: float) -> None:
    rng = np.random.default_rng(6)
    series = rng.normal(size=(8, 5000))
    for t in range(1, 5000):
        noise = np.sqrt(1 - correlation**2) * series[:, t]
        series[:, t] = correlation * series[:, t - 1] + noise
    expected = (1 + correlation) / (1 - correlation)
    assert autocorrelation_time(series) == pytest.approx(expected, rel=0.15)

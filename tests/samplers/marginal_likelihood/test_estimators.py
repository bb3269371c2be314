"""Estimates of the evidence against closed forms, from exact and independent draws."""

import numpy as np
import pytest
from pymc_bnn.samplers.marginal_likelihood import reweighting
from pymc_bnn.samplers.marginal_likelihood.estimators import (
    METHODS,
    mbar,
    stepping_stone,
    thermodynamic_integration,
)
from pymc_bnn.samplers.marginal_likelihood.evidence import estimate
from pymc_bnn.samplers.marginal_likelihood.jackknife import consecutive_blocks
from pymc_bnn.samplers.marginal_likelihood.reweighting import log_normalisers, tempered
from scipy import stats
from scipy.special import logsumexp

from .exact_draws import linear, logistic, powers_from

RARE = 5e-4  # of one tail: a test that should pass fails once in a thousand seeds


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("weights", "hottest", "count"), [(1, 1e-2, 15), (5, 1e-2, 25)])
def test_linear_models(method: str, weights: int, hottest: float, count: int) -> None:
    model, powers = linear(weights), powers_from(hottest, count)
    draws = model.log_likelihood(powers, (4, 500), np.random.default_rng(1))
    found = estimate(draws, powers, method)
    assert abs(found.log_evidence - model.log_evidence()) < 4 * found.standard_error
    assert 0 < found.standard_error < 0.1 * weights
    assert found.cautions == ()
    assert found.method == method


@pytest.mark.parametrize("method", METHODS)
def test_fifty_weights(method: str) -> None:
    model, powers = linear(50), powers_from(1e-4, 50)
    draws = model.log_likelihood(powers, (2, 150), np.random.default_rng(1))
    found = estimate(draws, powers, method)
    assert abs(found.log_evidence - model.log_evidence()) < 4 * found.standard_error < 4
    assert found.cautions == ()


@pytest.mark.parametrize("method", METHODS)
def test_logistic_model_against_quadrature(method: str) -> None:
    model, powers = logistic(), powers_from(1e-2, 20)
    draws = model.log_likelihood(powers, (4, 500), np.random.default_rng(2))
    found = estimate(draws, powers, method)
    assert abs(found.log_evidence - model.log_evidence()) < 4 * found.standard_error < 0.4
    assert found.cautions == ()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["linear", "logistic"])
def test_standard_errors_are_honest(method: str, name: str) -> None:
    model, count = (linear(2), 200) if name == "linear" else (logistic(), 200)
    powers, rng = powers_from(0.02, 10), np.random.default_rng(3)
    truth, scores = model.log_evidence(), []
    for _ in range(count):
        found = estimate(model.log_likelihood(powers, (4, 60), rng), powers, method)
        scores.append((found.log_evidence - truth) / found.standard_error)
    normal = stats.norm.ppf(stats.t.cdf(scores, df=19))  # of the 20 blocks
    assert RARE < stats.chi2.cdf(np.sum((normal - normal.mean()) ** 2), count - 1) < 1 - RARE
    assert abs(normal.mean()) * np.sqrt(count) < stats.norm.isf(RARE)


def test_standard_error_keeps_correlations_in_time() -> None:
    """Repeated draws carry no news; the number of draws alone would halve the error."""
    model, powers = linear(1), powers_from(0.1, 5)
    draws = model.log_likelihood(powers, (4, 200), np.random.default_rng(4))
    once, often = (estimate(d, powers, "stepping_stone") for d in (draws, draws.repeat(4, axis=1)))
    np.testing.assert_allclose(often.standard_error, once.standard_error)


def test_blocks_are_consecutive_and_of_one_chain() -> None:
    for chains, draws, each in ((1, 101, 20), (4, 30, 5), (3, 100, 7), (30, 9, 2), (1, 6, 6)):
        blocks = consecutive_blocks(chains, draws)
        assert np.array_equal(np.unique(blocks), np.arange(chains * each))
        assert np.all(np.diff(blocks.ravel()) >= 0)
        assert all(np.unique(row).size == each for row in blocks)
        sizes = np.bincount(blocks.ravel())
        assert np.ptp(sizes) <= 1


@pytest.mark.parametrize("method", METHODS)
def test_order_of_temperatures_makes_no_difference(method: str) -> None:
    powers, rng = powers_from(0.1, 6), np.random.default_rng(5)
    draws = linear(1).log_likelihood(powers, (2, 50), rng)
    order = rng.permutation(6)
    assert METHODS[method](draws, powers) == METHODS[method](draws[:, :, order], powers[order])


@pytest.mark.parametrize("method", METHODS)
def test_a_constant_factor_of_the_likelihood_is_one_of_the_evidence(method: str) -> None:
    powers = powers_from(0.1, 6)
    draws = linear(1).log_likelihood(powers, (2, 50), np.random.default_rng(5))
    higher = METHODS[method](draws + 1e6, powers)
    assert higher - 1e6 == pytest.approx(METHODS[method](draws, powers), abs=1e-6)


@pytest.mark.parametrize("method", ["stepping_stone", "thermodynamic_integration"])
def test_colder_temperatures_take_no_part(method: str) -> None:
    powers = np.array([2.0, 1.0, 0.3, 0.0])
    draws = linear(1).log_likelihood(powers, (2, 50), np.random.default_rng(6))
    assert METHODS[method](draws, powers) == METHODS[method](draws[:, :, 1:], powers[1:])


def test_colder_temperatures_help_reweighting() -> None:
    powers, rng = np.array([2.0, 1.0, 0.3, 0.0]), np.random.default_rng(6)
    model = linear(1)
    with_colder, without = [], []
    for _ in range(300):
        draws = model.log_likelihood(powers, (1, 100), rng)
        with_colder.append(mbar(draws, powers))
        without.append(mbar(draws[:, :, 1:], powers[1:]))
    assert np.mean(with_colder) == pytest.approx(model.log_evidence(), abs=0.02)
    assert np.mean(without) == pytest.approx(model.log_evidence(), abs=0.02)
    assert np.std(with_colder) < np.std(without)


def test_the_second_order_correction_is_that_of_friel_and_others() -> None:
    draws = np.array([[[-1.0, -5.0], [-3.0, -11.0]]])
    trapezium, correction = (-2 - 8) / 2, (2 - 18) / 12
    found = thermodynamic_integration(draws, np.array([1.0, 0.0]))
    assert found == pytest.approx(trapezium - correction)


def test_reweighting_solves_its_equations() -> None:
    powers = powers_from(1e-3, 8)[::-1]
    draws = linear(5).log_likelihood(powers, (100,), np.random.default_rng(7))
    found = log_normalisers(draws, powers)
    exponents = tempered(draws.ravel(), powers)
    log_mixture = logsumexp(exponents - found[:, None], axis=0) + np.log(100)
    np.testing.assert_allclose(logsumexp(exponents - log_mixture, axis=1), found, atol=1e-6)


def test_reweighting_finds_its_solution_from_afar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole steps of Newton's method overshoot from here; halved ones arrive."""
    powers = powers_from(1e-3, 8)[::-1]
    draws = linear(5).log_likelihood(powers, (100,), np.random.default_rng(7))
    near = log_normalisers(draws, powers)
    monkeypatch.setattr(reweighting, "_one_sided_means", lambda values, powers: 0 * powers)
    np.testing.assert_allclose(log_normalisers(draws, powers), near, atol=1e-6)


def test_reweighting_ends_where_temperatures_do_not_overlap() -> None:
    powers = np.array([0.0, 0.5, 1.0])
    draws = np.random.default_rng(8).normal([-1e7, -1e4, -1.0], 1.0, size=(50, 3))
    assert np.all(np.isfinite(log_normalisers(draws, powers)))


def box(shape: tuple[int, int], seed: int) -> np.ndarray:
    """Likelihood 1 in a third of the prior and 0 elsewhere, at inverse temperatures 1, 0.5, 0."""
    draws = np.zeros((*shape, 3))
    draws[..., 2][np.random.default_rng(seed).uniform(size=shape) > 1 / 3] = -np.inf
    return draws


@pytest.mark.parametrize("method", ["mbar", "stepping_stone"])
def test_likelihoods_of_zero(method: str) -> None:
    draws, powers = box((4, 500), 9), np.array([1.0, 0.5, 0.0])
    found = estimate(draws, powers, method)
    share = np.isfinite(draws[..., 2]).mean()
    assert found.log_evidence == pytest.approx(np.log(share), abs=1e-7)
    assert found.standard_error == pytest.approx(np.sqrt((1 - share) / share / 2000), rel=0.6)
    assert abs(found.log_evidence - np.log(1 / 3)) < 4 * found.standard_error
    assert found.cautions == ()


def test_likelihoods_of_zero_have_no_mean() -> None:
    with pytest.raises(ValueError, match=r'"thermodynamic_integration".*use "mbar" or "stepping_s'):
        estimate(box((4, 50), 9), np.array([1.0, 0.5, 0.0]), "thermodynamic_integration")


@pytest.mark.parametrize("method", ["mbar", "stepping_stone"])
def test_a_prior_without_likelihood(method: str) -> None:
    draws, powers = box((2, 50), 9), np.array([1.0, 0.5, 0.0])
    draws[..., 2] = -np.inf
    assert METHODS[method](draws, powers) == -np.inf
    with pytest.raises(ValueError, match=r"-inf in all draws of the prior: draw more"):
        estimate(draws, powers, method)
    draws[0, 3, 2] = 0.0
    found = estimate(draws, powers, method)
    assert found.log_evidence == pytest.approx(np.log(0.01))
    assert found.standard_error == np.inf
    assert any("in one block" in caution for caution in found.cautions)


def test_stepping_stones_do_not_overflow() -> None:
    draws = np.full((1, 4, 2), 1e5)
    assert stepping_stone(draws, np.array([0.0, 1.0])) == pytest.approx(1e5)


@pytest.mark.parametrize(
    ("draws", "powers", "message"),
    [
        (np.zeros((2, 9, 2)), [1.0, 0.1], r"lacks 0, the prior"),
        (np.zeros((2, 9, 2)), [0.5, 0.0], r"lacks 1, the posterior"),
        (np.zeros((2, 9, 3)), [1.0, 0.0], r"shape \(2, 9, 3\) and inverse_temperatures \(2,\)"),
        (np.zeros((9, 2)), [1.0, 0.0], r"shape \(9, 2\).*give \(chains"),
        (np.zeros((2, 0, 2)), [1.0, 0.0], r"at least one draw"),
        (np.zeros((2, 9, 3)), [1.0, 0.0, 0.0], r"entry twice"),
        (np.zeros((2, 9, 3)), [1.0, 0.0, -1.0], r"no numbers from 0"),
        (np.zeros((2, 9, 3)), [1.0, 0.0, np.nan], r"no numbers from 0"),
        (np.full((2, 9, 2), np.nan), [1.0, 0.0], r"nan or \+inf"),
        (np.full((2, 9, 2), np.inf), [1.0, 0.0], r"nan or \+inf"),
        (np.full((2, 9, 2), -np.inf), [1.0, 0.0], r"-inf at inverse temperature 1"),
        (np.zeros((2, 3, 2)), [1.0, 0.0], r"3 draws a chain: draw at least 4"),
    ],
)
def test_refused(draws: np.ndarray, powers: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        estimate(draws, np.array(powers))
    assert "\n" not in str(caught.value)


def test_unknown_method() -> None:
    with pytest.raises(ValueError, match=r'method "harmonic" is unknown: use one of mbar, step'):
        estimate(np.zeros((2, 9, 2)), np.array([1.0, 0.0]), "harmonic")

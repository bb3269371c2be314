"""Variances of means against plain loops, exact expectations and simulated coverage."""

from typing import Any

import numpy as np
import pytest
import xarray as xr
from pymc_bnn.studies import geometric_mean_performance, variance_of_means

from ..simulated_chains import LABELS, SHARE, draws_of, seven_chains


@pytest.fixture
def draws() -> xr.Dataset:
    return seven_chains()


def by_hand(chains: np.ndarray, mean: float) -> tuple[float, float]:
    """Eqs. 5.5 and 5.7 with loops; the second is a variance."""
    squares = []
    for chain in chains:
        total = 0.0
        for draw in chain:
            total += draw
        squares.append((total / len(chain) - mean) ** 2)
    n = len(squares)
    rho = sum(squares) / n
    return rho, sum((square - rho) ** 2 for square in squares) / (n - 1) / n


def test_equals_the_formulas_by_hand(draws: xr.Dataset) -> None:
    means = np.arange(6.0).reshape(2, 3)
    tree = xr.DataTree.from_dict({"posterior": draws})
    found = variance_of_means(tree, {"u": 1.0, "w": means})
    assert set(found.data_vars) == {"u", "w"}
    rho, variance = by_hand(draws["u"].values, 1.0)
    np.testing.assert_allclose(found["u"], [rho, np.sqrt(variance)], rtol=1e-12)
    for i, j in np.ndindex(2, 3):
        rho, variance = by_hand(draws["w"].values[:, :, i, j], means[i, j])
        cell = found["w"].sel(w_0=i, w_1=j)
        np.testing.assert_allclose(cell, [rho, np.sqrt(variance)], rtol=1e-12)
        assert float(cell.sel(statistic="value")) == float(cell[0])


def test_equals_the_stratified_formulas_by_hand(draws: xr.Dataset) -> None:
    found = variance_of_means(draws, {"u": 1.0}, stratum=LABELS, share=SHARE)
    outside, inside = (by_hand(draws["u"].values[name == LABELS], 1.0) for name in ("out", "in"))
    rho = 0.8 * outside[0] + 0.2 * inside[0]
    variance = 0.8**2 * outside[1] + 0.2**2 * inside[1]
    np.testing.assert_allclose(found["u"], [rho, np.sqrt(variance)], rtol=1e-12)


def test_labels_are_matched_by_chain(draws: xr.Dataset) -> None:
    draws = draws.assign_coords(chain=np.arange(7))
    order = np.array([3, 6, 0, 5, 1, 2, 4])
    shuffled = xr.DataArray(LABELS[order], dims="chain", coords={"chain": order})
    found = variance_of_means(draws, {"u": 1.0}, stratum=shuffled, share=SHARE)
    expected = variance_of_means(draws, {"u": 1.0}, stratum=LABELS, share=SHARE)
    xr.testing.assert_identical(found, expected)


def test_the_order_of_dimensions_does_not_matter(draws: xr.Dataset) -> None:
    given: dict[str, Any] = {"stratum": LABELS, "share": SHARE}
    turned = draws.transpose("w_1", "draw", "w_0", "chain")
    means = {"u": 1.0, "w": 0.0}
    expected = variance_of_means(draws, means, **given)
    found = variance_of_means(turned, means, **given).transpose(*expected.dims)
    xr.testing.assert_allclose(found, expected, rtol=1e-12)
    g = [geometric_mean_performance(x, means, list(means), **given, rng=1) for x in (draws, turned)]
    assert g[0].high == pytest.approx(g[1].high, rel=1e-12)


def test_a_dataset_of_true_means_is_matched_by_dimension(draws: xr.Dataset) -> None:
    means = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("w_0", "w_1"))
    found = variance_of_means(draws, xr.Dataset({"w": means.T, "v": 0.5}))
    expected = variance_of_means(draws, {"w": means.values, "v": 0.5})
    xr.testing.assert_allclose(found, expected, rtol=1e-12)


# Variables along "replicate" are independent repetitions of the whole experiment.


def replicated(chain_means: np.ndarray) -> xr.Dataset:
    """Chains of a single draw, shape (chains, replicates)."""
    return draws_of(x=chain_means[:, None])


def autoregression(correlation: float, shape: tuple[int, int, int], seed: int) -> np.ndarray:
    """Stationary chains of variance 1 with that correlation between neighbours."""
    rng = np.random.default_rng(seed)
    x = np.empty(shape)
    x[:, 0] = rng.standard_normal((shape[0], shape[2]))
    noise = np.sqrt(1 - correlation**2) * rng.standard_normal(shape)
    for t in range(1, shape[1]):
        x[:, t] = correlation * x[:, t - 1] + noise[:, t]
    return x


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_expectation_is_inefficiency_times_variance_over_draws(correlation: float) -> None:
    n = 40
    x = 3.0 + autoregression(correlation, (10, n, 2000), seed=5)
    found = variance_of_means(draws_of(x=x), {"x": 3.0})["x"]
    # the inefficiency T of n draws is the sum of (1 - |lag| / n) correlation^|lag|
    lags = np.arange(1, n)
    inefficiency = 1 + 2 * ((1 - lags / n) * correlation**lags).sum()
    value = found.sel(statistic="value")
    error = float(value.std(ddof=1)) / np.sqrt(2000)
    assert float(value.mean()) == pytest.approx(inefficiency / n, abs=4 * error)
    # Eq. 5.7 is an unbiased estimate of the variance of the value over experiments
    variances = found.sel(statistic="error") ** 2
    spread = ((value - inefficiency / n) ** 2) - variances
    assert abs(float(spread.mean())) < 4 * float(spread.std()) / np.sqrt(2000)


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_90_percent_of_errors_cover_the_truth(correlation: float) -> None:
    # chain means of an AR(1) are normal: only their variance differs
    sd = np.sqrt((1 + correlation) / (1 - correlation))
    means = sd * np.random.default_rng(6).standard_normal((400, 2000))
    found = variance_of_means(replicated(means), {"x": 0.0})["x"]
    gap = abs(found.sel(statistic="value") - sd**2) / found.sel(statistic="error")
    # standard error of a frequency of 0.9 among 2000: 0.007
    assert float((gap < 1.645).mean()) == pytest.approx(0.9, abs=0.025)


def oversampled(replicates: int, seed: int) -> tuple[xr.Dataset, np.ndarray, float]:
    """40 chains from outside a region of 5% and 10 inside, which do worse; and the true rho."""
    rng = np.random.default_rng(seed)
    outside = rng.normal(-0.1, 0.5, (40, replicates))
    inside = rng.normal(1.9, 1.0, (10, replicates))
    truth = 0.95 * (0.1**2 + 0.5**2) + 0.05 * (1.9**2 + 1.0**2)
    return replicated(np.vstack([outside, inside])), np.repeat([False, True], [40, 10]), truth


def test_strata_undo_oversampling() -> None:
    draws, region, truth = oversampled(2000, seed=7)
    share = {False: 0.95, True: 0.05}
    found = variance_of_means(draws, {"x": 0.0}, stratum=region, share=share)["x"]
    value = found.sel(statistic="value")
    error = float(value.std(ddof=1)) / np.sqrt(2000)
    assert float(value.mean()) == pytest.approx(truth, abs=4 * error)
    variances = found.sel(statistic="error") ** 2
    assert float(variances.mean()) == pytest.approx(float(value.var(ddof=1)), rel=0.15)
    naive = variance_of_means(draws, {"x": 0.0})["x"].sel(statistic="value")
    assert float(naive.mean()) > truth + 100 * error


def test_shares_like_the_numbers_of_chains_change_no_value(draws: xr.Dataset) -> None:
    found = variance_of_means(draws, {"u": 0}, stratum=LABELS, share={"out": 4 / 7, "in": 3 / 7})
    plain = variance_of_means(draws, {"u": 0})
    assert float(found["u"][0]) == pytest.approx(float(plain["u"][0]), rel=1e-12)


def test_g_is_the_geometric_mean_over_all_elements(draws: xr.Dataset) -> None:
    reference = {"u": 1.0, "w": 0.0, "unused": 5.0}
    found = geometric_mean_performance(draws, reference, ["u", "w"], rng=1)
    product = by_hand(draws["u"].values, 1.0)[0]
    for i, j in np.ndindex(2, 3):
        product *= by_hand(draws["w"].values[:, :, i, j], 0.0)[0]
    assert found.value == pytest.approx(product ** (1 / 7), rel=1e-12)
    assert found.low < found.value < found.high


def test_stratified_g_is_made_of_stratified_variances(draws: xr.Dataset) -> None:
    strata: dict[str, Any] = {"stratum": LABELS, "share": SHARE}
    found = geometric_mean_performance(draws, {"u": 1, "v": 0}, ["u", "v"], **strata, rng=1)
    rho = variance_of_means(draws, {"u": 1, "v": 0}, **strata).sel(statistic="value")
    assert found.value == pytest.approx(float(np.sqrt(rho["u"] * rho["v"])), rel=1e-12)


def test_realisations_keep_to_their_strata() -> None:
    # within a stratum all chains are alike, so there is nothing to vary
    draws = draws_of(x=np.array([1.0, -1.0, 1.0, 3.0, -3.0])[:, None])
    region = np.array([0, 0, 0, 1, 1])
    found = geometric_mean_performance(
        draws, {"x": 0}, ["x"], stratum=region, share={0: 0.75, 1: 0.25}, rng=2
    )
    expected = 0.75 * 1 + 0.25 * 9
    assert (found.low, found.value, found.high) == pytest.approx((expected,) * 3, rel=1e-12)


def test_a_seed_repeats_the_interval_and_a_generator_goes_on(draws: xr.Dataset) -> None:
    given: Any = (draws, {"u": 1}, ["u"])
    assert geometric_mean_performance(*given, rng=3) == geometric_mean_performance(*given, rng=3)
    rng = np.random.default_rng(3)
    first = geometric_mean_performance(*given, rng=rng)
    assert first == geometric_mean_performance(*given, rng=3)
    assert first != geometric_mean_performance(*given, rng=rng)


def coverage(chains: int, probability: float, replicates: int, seed: int) -> float:
    """How often the interval of g holds the true one, 1, with correlated variables."""
    rng = np.random.default_rng(seed)
    hits = 0
    names = ["delta", "u", "v", "a"]
    for _ in range(replicates):
        common = rng.standard_normal(chains)
        own = rng.standard_normal((4, chains))
        scales = np.array([[0.25], [0.5], [2.0], [4.0]])
        means = scales * np.sqrt(0.5) * (common + own)
        draws = draws_of(**dict(zip(names, means[..., None], strict=True)))
        found = geometric_mean_performance(
            draws,
            dict.fromkeys(names, 0.0),
            names,
            samples=300,
            probability=probability,
            rng=rng,
        )
        hits += found.low < 1 < found.high
    return hits / replicates


@pytest.mark.parametrize("probability", [0.5, 0.9])
def test_intervals_of_g_cover_the_truth_as_often_as_they_say(probability: float) -> None:
    # standard error of the frequency: 0.025 and 0.015
    tolerance = 3 * np.sqrt(probability * (1 - probability) / 400)
    assert coverage(100, probability, 400, 8) == pytest.approx(probability, abs=tolerance)

"""Ratios of two methods whose chains share their starts, against identities and simulation."""

import numpy as np
import pytest
import xarray as xr
from pymc_bnn.studies import compare_performance, geometric_mean_performance

from ..simulated_chains import SHARE, draws_of


def paired(seed: int) -> tuple[xr.Dataset, xr.Dataset]:
    """Two methods whose chains keep most of the deviation of their common start."""
    rng = np.random.default_rng(seed)
    start = rng.standard_normal(50)
    first, second = (
        draws_of(u=(scale * (start + 0.2 * rng.standard_normal(50)))[:, None])
        for scale in (1.0, 1.5)
    )
    return first, second


def test_the_ratio_is_that_of_the_two_g() -> None:
    first, second = paired(9)
    found = compare_performance(first, second, {"u": 0}, ["u"], rng=1)
    g = [geometric_mean_performance(x, {"u": 0}, ["u"], rng=1).value for x in (first, second)]
    assert found.value == pytest.approx(g[0] / g[1], rel=1e-12)
    turned = compare_performance(second, first, {"u": 0}, ["u"], rng=1)
    assert (1 / turned.high, 1 / turned.low) == pytest.approx((found.low, found.high), rel=1e-2)


def test_common_starts_narrow_the_interval_of_the_ratio() -> None:
    first, second = paired(9)
    found = compare_performance(first, second, {"u": 0}, ["u"], rng=1)
    other = second.isel(chain=np.random.default_rng(1).permutation(50))
    unpaired = compare_performance(first, other, {"u": 0}, ["u"], rng=1)
    assert unpaired.value == pytest.approx(found.value, rel=1e-12)
    assert np.log(found.high / found.low) < 0.6 * np.log(unpaired.high / unpaired.low)
    assert found.high < 1


def test_a_multiple_of_the_deviations_has_a_ratio_without_error() -> None:
    first, _ = paired(9)
    region = np.repeat(["out", "in"], [40, 10])
    found = compare_performance(
        first, 2 * first, {"u": 0}, ["u"], stratum=region, share=SHARE, rng=1
    )
    assert (found.low, found.value, found.high) == pytest.approx((0.25,) * 3, rel=1e-9)


def test_intervals_of_the_ratio_cover_the_truth() -> None:
    hits = 0
    for seed in range(300):
        first, second = paired(seed)
        found = compare_performance(first, second, {"u": 0}, ["u"], samples=300, rng=seed)
        hits += found.low < 1 / 1.5**2 < found.high
    assert hits / 300 == pytest.approx(0.9, abs=0.052)  # three standard errors

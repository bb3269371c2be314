"""WAIC against hand computation and against published values."""

from pathlib import Path

import arviz as az
import numpy as np
import pytest
import xarray as xr
from pymc_bnn.studies import waic

EIGHT_SCHOOLS = Path(__file__).parents[1] / "data" / "centered_eight_log_likelihood.npz"


def tree_of(log_likelihood: np.ndarray) -> xr.DataTree:
    dims = ("chain", "draw", "obs")
    return xr.DataTree.from_dict({"log_likelihood": xr.Dataset({"y_obs": (dims, log_likelihood)})})


def test_equals_the_formula_computed_by_hand() -> None:
    # two chains of two draws, two cases
    densities = np.array([[[0.5, 0.2], [0.4, 0.25]], [[0.6, 0.2], [0.5, 0.15]]])
    found = waic(tree_of(np.log(densities)))
    lppd = np.log([(0.5 + 0.4 + 0.6 + 0.5) / 4, (0.2 + 0.25 + 0.2 + 0.15) / 4])
    logs = np.log(densities.reshape(4, 2))
    variance = ((logs - logs.mean(axis=0)) ** 2).sum(axis=0) / 4
    pointwise = lppd - variance
    np.testing.assert_allclose(found.elpd_i, pointwise, rtol=1e-12)
    assert found.elpd == pytest.approx(pointwise.sum(), rel=1e-12)
    assert found.p == pytest.approx(variance.sum(), rel=1e-12)
    # two cases: the standard error is sqrt(2) times half their distance
    assert found.se == pytest.approx(abs(pointwise[0] - pointwise[1]) / np.sqrt(2), rel=1e-12)
    assert (found.n_samples, found.n_data_points, found.warning) == (4, 2, False)


def test_equals_the_published_values_of_the_eight_schools() -> None:
    with np.load(EIGHT_SCHOOLS) as archive:
        log_likelihood = archive[archive.files[0]].astype(np.float64)
    found = waic(tree_of(log_likelihood))
    # az.waic of ArviZ 0.23.4 on its example "centered_eight"
    assert round(found.elpd, 2) == -30.74
    assert round(found.se, 2) == 1.34
    assert round(found.p, 2) == 0.91
    published = [
        *(-4.88183718, -3.41680906, -3.86581024, -3.46151052),
        *(-3.47061294, -3.49819736, -4.18890062, -3.95780072),
    ]
    np.testing.assert_allclose(found.elpd_i, published, atol=1e-6)


def test_does_not_overflow_where_densities_do() -> None:
    found = waic(tree_of(np.full((2, 5, 3), -2000.0)))
    assert found.elpd == pytest.approx(-6000.0, rel=1e-12)


@pytest.mark.parametrize(("variance", "warns"), [(0.39, False), (0.41, True)])
def test_warns_from_a_pointwise_variance_of_0_4(variance: float, warns: bool) -> None:
    log_likelihood = np.zeros((2, 2, 3))
    # values -s and s alternate: their variance is s squared
    log_likelihood[:, :, 1] = np.sqrt(variance) * np.array([-1.0, 1.0])
    if warns:
        with pytest.warns(UserWarning, match="exceeds 0.4"):
            found = waic(tree_of(log_likelihood))
    else:
        found = waic(tree_of(log_likelihood))
    assert found.warning is warns


@pytest.mark.parametrize("value", [-np.inf, np.nan])
def test_cases_without_a_finite_density_leave_no_estimate(value: float) -> None:
    log_likelihood = np.random.default_rng(1).normal(-1.0, 0.1, size=(2, 50, 4))
    log_likelihood[0, 3, 2] = value
    with pytest.warns(UserWarning, match="1 of 4 cases is not finite under some draw"):
        found = waic(tree_of(log_likelihood))
    assert np.isnan([found.elpd, found.se, found.p]).all()
    assert found.warning
    assert np.isfinite(found.elpd_i).values.tolist() == [True, True, False, True]


def test_prints_as_waic_and_can_be_compared_by_arviz() -> None:
    rng = np.random.default_rng(1)
    good = waic(tree_of(rng.normal(-1.0, 0.1, size=(4, 100, 20))))
    bad = waic(tree_of(rng.normal(-2.0, 0.1, size=(4, 100, 20))))
    assert "elpd_waic" in str(good)
    ranking = az.compare({"bad": bad, "good": good}, round_to="none")
    assert list(ranking.index) == ["good", "bad"]
    assert ranking.loc["bad", "elpd_diff"] == pytest.approx(bad.elpd - good.elpd)
    assert ranking.loc["good", "weight"] > 0.99

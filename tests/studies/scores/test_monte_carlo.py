"""Monte Carlo errors of scores are those over independent samples of a posterior."""

import arviz as az
import numpy as np
import pytest
import xarray as xr
from arviz_stats.utils import ELPDData
from pymc_bnn.studies.scores.monte_carlo import bad_cases, elpd_mcse, log_scores
from scipy.signal import lfilter

Y = np.random.default_rng(0).normal(size=30)


def sample(seed: int, persistence: float) -> xr.DataArray:
    """Log likelihoods under chains that explore the posterior of a normal mean exactly."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(4, 400)) * np.sqrt(1 - persistence**2)
    noise[:, 0] = rng.normal(size=4)
    mean = Y.mean() + lfilter([1], [1, -persistence], noise, axis=1) / np.sqrt(len(Y))
    values = -0.5 * np.log(2 * np.pi) - 0.5 * (Y - mean[..., None]) ** 2
    return xr.DataArray(values, dims=("chain", "draw", "obs"), name="y")


def leave_one_out(log_likelihood: xr.DataArray) -> ELPDData:
    tree = xr.DataTree.from_dict({"log_likelihood": log_likelihood.to_dataset()})
    return az.loo(tree, pointwise=True, reff=1.0)


@pytest.mark.parametrize("persistence", [0.0, 0.8])
def test_it_is_the_spread_over_independent_samples(persistence: float) -> None:
    samples = [sample(seed, persistence) for seed in range(1, 101)]
    spread = np.std([leave_one_out(values).elpd for values in samples], ddof=1)
    errors = [elpd_mcse([values]) for values in samples]
    # a hundred samples know a standard deviation to 7%
    assert np.mean(errors) == pytest.approx(spread, rel=0.3)


def test_pieces_of_cases_give_the_same() -> None:
    values = sample(1, 0.5)
    pieces = [values.isel(obs=slice(0, 7)), values.isel(obs=slice(7, None))]
    assert elpd_mcse(pieces) == pytest.approx(elpd_mcse([values]), rel=1e-12)


@pytest.mark.parametrize("persistence", [0.0, 0.8])
def test_errors_of_log_scores_are_the_spread_over_independent_samples(persistence: float) -> None:
    found = [log_scores([sample(seed, persistence)]) for seed in range(1, 101)]
    spread = np.std([scores.mean() for scores, _ in found], ddof=1)
    assert np.mean([mcse for _, mcse in found]) == pytest.approx(spread, rel=0.3)


def test_pieces_of_cases_have_the_same_log_scores_and_error() -> None:
    values = sample(1, 0.5)
    whole, mcse = log_scores([values])
    pieces = [values.isel(obs=slice(0, 7)), values.isel(obs=slice(7, None))]
    parts, error = log_scores(pieces)
    assert np.array_equal(parts, whole)
    assert error == pytest.approx(mcse, rel=1e-12)
    assert whole == pytest.approx(np.log(np.exp(values).mean(("chain", "draw"))), rel=1e-12)


def test_the_error_of_a_case_that_no_draw_explains_is_not_known() -> None:
    values = sample(1, 0.0)
    values[..., 3] = -np.inf
    scores, mcse = log_scores([values])
    assert (scores[3], np.isnan(mcse)) == (-np.inf, True)


def test_a_pareto_k_that_is_unknown_is_bad() -> None:
    loo = leave_one_out(sample(1, 0.0))
    assert bad_cases(loo) == 0
    loo.pareto_k[3] = np.nan
    loo.pareto_k[4] = 0.9
    assert bad_cases(loo) == 2


def test_refitted_cases_have_the_error_of_their_refits() -> None:
    values, loo = sample(1, 0.5), leave_one_out(sample(1, 0.5))
    loo.elpd_i.attrs |= {"refitted": [3, 20], "refits_mcse": 0.3}
    others = elpd_mcse([values.drop_isel(obs=[3, 20])])
    pieces = [values.isel(obs=slice(0, 7)), values.isel(obs=slice(7, None))]
    assert elpd_mcse(pieces, loo) == pytest.approx(np.hypot(others, 0.3), rel=1e-12)
    loo.elpd_i.attrs["refitted"] = list(range(30))
    assert elpd_mcse(pieces, loo) == pytest.approx(0.3)

"""Repairs of leave-one-out, against exact densities, where importance sampling fails."""

import logging

import numpy as np
import pytensor
import pytest
from arviz_stats.utils import ELPDData
from pymc_bnn import models, samplers
from pymc_bnn.studies.scores.refitting import Refit, leave_one_out, tail, with_log_likelihood
from scipy.special import logsumexp
from xarray import DataArray, DataTree

from ..exact import exact_loo, linear_network, outlying_data

# draws, and refits of as many, so that a density far out in the tail is known to some percent
SAMPLING = {"draws": 1000, "tune": 200, "chains": 4, "cores": 1, "progressbar": False}


def fit(model: models.BNN) -> DataTree:
    idata = samplers.sample(model, seed=1, quiet=True, compute_convergence_checks=False, **SAMPLING)
    return with_log_likelihood(model, idata)


@pytest.fixture(scope="module")
def outlying() -> tuple[models.BNN, DataTree, np.ndarray]:
    X, y = outlying_data()
    model = linear_network(X, y)
    return model, fit(model), exact_loo(X, y)


@pytest.fixture(scope="module")
def plain(outlying: tuple) -> ELPDData:
    model, idata, _ = outlying
    return leave_one_out(model, idata)


def test_importance_sampling_is_exact_but_for_the_outlier(plain: ELPDData, outlying: tuple) -> None:
    exact = outlying[2]
    assert np.flatnonzero(plain.pareto_k > plain.good_k).tolist() == [0]
    np.testing.assert_allclose(plain.elpd_i[1:], exact[1:], atol=0.05)
    assert plain.elpd_i[0] - exact[0] > 0.3


def test_a_case_that_few_draws_of_its_refit_predict_stays_bad() -> None:
    """By the tail of its density over draws: 40 independent sets differ by more than a nat."""
    rng = np.random.default_rng(1)
    sds = rng.gamma(6, 0.05, size=(40, 4, 500))
    densities = -0.5 * (6.0 / sds) ** 2 - np.log(sds)
    means = logsumexp(densities, axis=(1, 2)) - np.log(2000)
    assert means.std() > 1
    drawn = [DataArray(one[..., None], dims=("chain", "draw", "obs")) for one in densities]
    assert np.median([tail(one) for one in drawn]) > 0.7
    near = [-0.5 * (0.3 / one) ** 2 - np.log(one) for one in sds]
    drawn = [DataArray(one[..., None], dims=("chain", "draw", "obs")) for one in near]
    assert np.max([tail(one) for one in drawn]) < 0.7
    assert tail(0 * drawn[0]) == -np.inf


@pytest.mark.parametrize("repair", ["moment_match", "refit"])
def test_a_repair_reaches_the_exact_density_of_the_outlier(
    repair: str, outlying: tuple, plain: ELPDData
) -> None:
    model, idata, exact = outlying
    repaired = leave_one_out(model, idata, **{repair: True}, seed=2)
    assert (repaired.pareto_k <= repaired.good_k).all()
    assert float(repaired.elpd_i[0]) == pytest.approx(exact[0], abs=0.25)
    np.testing.assert_array_equal(repaired.elpd_i[1:], plain.elpd_i[1:])
    assert repaired.elpd == pytest.approx(float(repaired.elpd_i.sum()))


def test_a_refit_is_an_honest_fit_without_the_case(outlying: tuple) -> None:
    model, idata, _ = outlying
    repaired = leave_one_out(model, idata, refit=True, seed=2)
    X, y = outlying_data()
    others = linear_network(X[1:], y[1:])
    density = others.log_likelihood(fit(others), X[:1], y[:1]).values
    by_chain = logsumexp(density[:, :, 0], axis=1) - np.log(density.shape[1])
    honest = logsumexp(by_chain) - np.log(len(by_chain))
    assert float(repaired.elpd_i[0]) == pytest.approx(honest, abs=4 * np.std(by_chain))


def test_moment_matching_takes_all_outputs_of_a_case_together() -> None:
    X, y = outlying_data(outputs=2)
    model = linear_network(X, y)
    idata = fit(model)
    assert float(leave_one_out(model, idata).pareto_k[0]) > 0.7
    with pytensor.config.change_flags(cxx="", mode="FAST_COMPILE"):  # is compiled elsewhere
        repaired = leave_one_out(model, idata, moment_match=True)
    np.testing.assert_allclose(repaired.elpd_i, exact_loo(X, y), atol=0.25)


def test_what_is_not_asked_for_is_not_done(
    outlying: tuple, plain: ELPDData, caplog: pytest.LogCaptureFixture
) -> None:
    model, idata, _ = outlying
    with caplog.at_level(logging.INFO, logger="pymc"):
        assert float(leave_one_out(model, idata).pareto_k[0]) == float(plain.pareto_k[0])
    assert not caplog.records


def test_refits_sample_as_much_as_the_fit_and_leave_out_the_right_case(outlying: tuple) -> None:
    model, idata, _ = outlying
    wrapper = Refit(model, idata, seed=1)
    assert (wrapper.sample_kwargs["draws"], wrapper.sample_kwargs["chains"]) == (1000, 4)
    (X, y), (X_out, y_out) = wrapper.sel_observations(3)
    all_X, all_y = outlying_data()
    np.testing.assert_array_equal(X, np.delete(all_X, 3, axis=0))
    np.testing.assert_array_equal(y, np.delete(all_y, 3, axis=0))
    np.testing.assert_array_equal(X_out, all_X[[3]])
    np.testing.assert_array_equal(y_out, all_y[[3]])

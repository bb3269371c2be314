"""Cases that all draws predict equally well are known, and spoil no others."""

import numpy as np
import pytest
import xarray as xr
from pymc_bnn import models
from pymc_bnn.studies.scores.densities import as_tree
from pymc_bnn.studies.scores.known import leave_one_out_if_known
from pymc_bnn.studies.scores.monte_carlo import bad_cases, elpd_mcse
from pymc_bnn.studies.scores.refitting import leave_one_out
from pymc_bnn.studies.scores.smoothing import relative_efficiency

CASES, CERTAIN = 6, 2


def densities(log_likelihood: np.ndarray) -> xr.DataArray:
    labels = {"obs": np.arange(log_likelihood.shape[2])}
    return xr.DataArray(log_likelihood, dims=("chain", "draw", "obs"), coords=labels)


def idata(log_likelihood: np.ndarray, still: bool = False) -> xr.DataTree:
    """Draws of a weight, which moves or does not, with given densities of the cases."""
    chains, draws, _ = log_likelihood.shape
    weight = np.zeros((chains, draws)) if still else np.random.default_rng(2).normal(size=(4, 100))
    posterior = xr.Dataset({"w": (("chain", "draw"), weight)})
    tree = as_tree(densities(log_likelihood))
    tree["posterior"] = xr.DataTree(posterior)
    return tree


@pytest.fixture(scope="module")
def model() -> models.BNN:
    X = np.linspace(-1.0, 1.0, CASES)[:, None]
    return models.gaussian(X, X[:, 0], hidden=())


@pytest.fixture
def varying() -> np.ndarray:
    return np.random.default_rng(1).normal(-1.0, 0.2, size=(4, 100, CASES))


@pytest.mark.parametrize("noise", [0.0, 1e-16, 1e-300], ids=["equal", "rounded", "denormal"])
def test_a_certain_case_has_its_density_and_leaves_the_others_alone(
    noise: float, model: models.BNN, varying: np.ndarray
) -> None:
    alone = leave_one_out(model, idata(varying))
    varying[..., CERTAIN] = -noise * np.random.default_rng(3).uniform(size=(4, 100))
    loo = leave_one_out_if_known(model, idata(varying))
    others = np.arange(CASES) != CERTAIN
    assert float(loo.elpd_i[CERTAIN]) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(loo.elpd_i[others], alone.elpd_i[others], atol=0.01)
    assert loo.elpd == pytest.approx(float(loo.elpd_i.sum()))
    assert loo.elpd_i["obs"].values.tolist() == list(range(CASES))
    assert bad_cases(loo) == 0
    assert np.isfinite(elpd_mcse([idata(varying)["log_likelihood"]["y_obs"]]))


def test_a_certain_case_has_no_part_in_the_share_of_effective_draws() -> None:
    """That of the others sets how much of a tail is smoothed."""
    noise = np.random.default_rng(4).normal(size=(4, 100, CASES))
    for draw in range(1, noise.shape[1]):
        noise[:, draw] += 0.8 * noise[:, draw - 1]
    share = relative_efficiency([densities(noise)])
    certain = np.concatenate([noise, np.full((4, 100, 2), -0.5)], axis=2)
    assert 0.05 < share < 0.5
    assert relative_efficiency([densities(certain)]) == pytest.approx(share)


def test_the_limit_of_k_is_that_of_as_many_draws(model: models.BNN, varying: np.ndarray) -> None:
    plain = leave_one_out(model, idata(varying))
    varying[...] = -0.5
    loo = leave_one_out(model, idata(varying))
    assert loo.good_k == plain.good_k
    assert (loo.elpd, loo.p, loo.n_data_points) == (-0.5 * CASES, 0.0, CASES)
    assert not loo.warning


def test_nothing_is_known_where_chains_stand_still(model: models.BNN, varying: np.ndarray) -> None:
    varying[...] = -0.5
    still = idata(varying, still=True)
    with pytest.raises(ValueError, match="chains stand still"):
        leave_one_out(model, still)
    assert np.isnan(leave_one_out_if_known(model, still).elpd_i).all()


def test_nothing_is_known_where_a_chain_stays_at_the_worst(
    model: models.BNN, varying: np.ndarray
) -> None:
    varying[0] = -9.0
    assert np.isnan(leave_one_out_if_known(model, idata(varying)).elpd_i).all()


def test_densities_of_zero_are_not_certain(model: models.BNN, varying: np.ndarray) -> None:
    varying[..., CERTAIN] = -np.inf
    assert leave_one_out_if_known(model, idata(varying)).elpd_i[CERTAIN] != 0.0

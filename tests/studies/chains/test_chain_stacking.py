"""Chains that stay apart are weighed by what they predict, and chains that agree are left alone."""

import arviz as az
import numpy as np
import pytest
import xarray as xr
from pymc_bnn import models
from pymc_bnn.studies.chains import chain_stacking
from pymc_bnn.studies.chains.chain_stacking import (
    ChainWeights,
    predicting_draws,
    stack_chains,
    weigh,
    weights_where_apart,
)
from pymc_bnn.studies.chains.convergence import check_convergence
from pymc_bnn.studies.chains.mixture_weights import optimal_weights
from pymc_bnn.studies.chains.weighted_draws import weighted_draws
from pymc_bnn.studies.errors import InputError
from pymc_bnn.studies.scores.arviz_parts import ELPDDataLOO

CASES, DRAWS = 150, 200
X = np.linspace(-1, 1, CASES)[:, None]
Y = X[:, 0] + 0.3 * np.random.default_rng(0).normal(size=CASES)


@pytest.fixture(scope="module")
def line() -> models.BNN:
    return models.gaussian(X, Y, hidden=())


def draws(*slopes: float, noise: float = 0.3) -> xr.DataTree:
    """Independent draws around a slope of each chain's own."""
    rng, size = np.random.default_rng(3), (len(slopes), DRAWS)
    w0 = np.array(slopes)[:, None] + 0.03 * rng.normal(size=size)
    values = {"w0": w0[..., None, None], "b0": 0.03 * rng.normal(size=(*size, 1))}
    values["noise_precision"] = np.full(size, noise**-2)
    data = {
        name: (("chain", "draw", *(f"{name}_{i}" for i in range(v.ndim - 2))), v)
        for name, v in values.items()
    }
    return xr.DataTree.from_dict({"posterior": xr.Dataset(data)})


def log_score(model: models.BNN, idata: xr.DataTree) -> float:
    """Of new cases."""
    new = X[:, 0] + 0.3 * np.random.default_rng(9).normal(size=CASES)
    return float(model.log_score(idata, X, new))


def test_the_mode_that_predicts_better_has_the_weight(line: models.BNN) -> None:
    idata = draws(1.0, 0.2, 1.0, -0.5)
    found = stack_chains(line, idata)
    assert found.better
    assert found.gain > 5 * found.gain_se
    assert found.weights[0] + found.weights[2] > 0.94
    assert min(found.weights[0], found.weights[2]) > 0.2  # they predict alike
    weighted = predicting_draws(idata, found)
    assert log_score(line, weighted) > log_score(line, idata) + 0.2
    assert "Chains stay apart, and predictions weigh them by stacking, 0." in found.words()


def test_weights_go_with_the_labels_of_chains(line: models.BNN) -> None:
    idata = draws(1.0, -0.5)
    idata["posterior"] = xr.DataTree(idata["posterior"].dataset.assign_coords(chain=[3, 7]))
    found = stack_chains(line, idata)
    assert found.chains == (3, 7)
    assert found.weights[0] > 0.9
    turned = xr.DataTree.from_dict({"posterior": idata["posterior"].dataset.isel(chain=[1, 0])})
    for given in (idata, turned):
        predicting = predicting_draws(given, found)["posterior"]
        assert float((predicting["w0"] > 0.5).mean()) == pytest.approx(found.weights[0], abs=0.01)
    others = idata["posterior"].dataset.assign_coords(chain=[3, 8])
    with pytest.raises(ValueError, match=r"has the chains \(3, 8\), and weights are of \(3, 7\)"):
        predicting_draws(xr.DataTree.from_dict({"posterior": others}), found)


def test_chains_of_another_temperature_are_not_weighed(line: models.BNN) -> None:
    idata = draws(1.0, 0.2, 1.0, -0.5)
    convergence = check_convergence(line, idata)
    assert convergence.only_mixing
    assert weights_where_apart(line, idata, convergence) is not None
    idata.attrs["temperature"] = 0.5
    assert weights_where_apart(line, idata, convergence) is None
    with pytest.raises(ValueError, match=r"draws at temperature 0\.5 and not from the posterior"):
        stack_chains(line, idata)


def test_chains_that_agree_stay_as_they_are(line: models.BNN) -> None:
    idata = draws(1.0, 1.0, 1.0, 1.0)
    found = stack_chains(line, idata)
    assert not found.better
    assert predicting_draws(idata, found) is idata
    weighted = weighted_draws(idata, found.weights)  # even if they were used
    assert abs(log_score(line, weighted) - log_score(line, idata)) < 0.01


def test_a_chain_that_hardly_moves_leaves_weights_equal(line: models.BNN) -> None:
    """Of its draws all but one are the same, and leave-one-out is not known."""
    idata = draws(1.0, 0.2)
    for values in idata["posterior"].data_vars.values():
        values.values[1, :-1] = values.values[1, 0]
    found = stack_chains(line, idata)
    assert not found.better
    assert found.failing == CASES
    assert f"it fails for {CASES} of {CASES} cases in some chain" in found.words()


def test_weights_of_many_cases_are_made_of_some_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are of the drawn cases alone, whose densities are those of the whole table."""
    few = 120
    monkeypatch.setattr(chain_stacking, "MOST_CASES", few)
    cases = chain_stacking._some_cases(CASES)
    assert np.array_equal(np.unique(cases), cases)
    assert (cases.size, cases[0] >= 0, cases[-1] < CASES) == (few, True, True)
    model, idata = models.gaussian(X, Y, hidden=()), draws(1.0, 0.2)
    found = stack_chains(model, idata)
    monkeypatch.setattr(chain_stacking, "MOST_CASES", CASES)
    alone = models.gaussian(X[cases], Y[cases], hidden=())
    same = stack_chains(alone, idata)
    np.testing.assert_allclose(found.weights, same.weights, rtol=1e-6)
    assert found.gain == pytest.approx(same.gain * CASES / few)
    assert found.gain_se == pytest.approx(same.gain_se * CASES / few)
    assert (found.cases, found.drawn_from, same.drawn_from) == (few, CASES, 0)
    assert "density, by 120 cases drawn from 150." in found.words()


def test_chains_of_some_draws_are_refused(line: models.BNN) -> None:
    with pytest.raises(InputError, match="idata: 5 draws of each chain are too few"):
        stack_chains(line, draws(1.0, 0.2).isel(draw=slice(5)))


def test_chains_that_mix_beat_each_of_them() -> None:
    """Each of two chains predicts half of the cases well: both are wanted, as by equal weights."""
    scores = np.where(np.arange(400) % 2 == np.arange(2)[:, None], -1.0, -5.0)
    found = weigh(scores)
    np.testing.assert_allclose(found.weights, 0.5, atol=1e-6)
    assert not found.better


def test_weights_are_those_of_arviz() -> None:
    scores = np.random.default_rng(4).normal(size=(4, 300)) * [[0.5], [1.0], [1.5], [2.0]]
    criteria = {
        str(chain): ELPDDataLOO(
            elpd=float(one.sum()),
            se=float(one.std() * np.sqrt(one.size)),
            p=1.0,
            n_samples=100,
            n_data_points=one.size,
            scale="log",
            warning=False,
            good_k=0.7,
            elpd_i=xr.DataArray(one, dims="obs"),
            pareto_k=xr.zeros_like(xr.DataArray(one, dims="obs")),
        )
        for chain, one in enumerate(scores)
    }
    expected = az.compare(criteria, method="stacking", round_to="none")["weight"]
    found = optimal_weights(scores, prior_cases=0.0)
    np.testing.assert_allclose(found, expected.loc[list("0123")], atol=2e-3)


def test_a_gain_is_of_cases_that_did_not_choose_the_weights() -> None:
    """Noise alone makes weights that flatter the cases they come from."""
    gains = []
    for seed in range(20):
        scores = np.random.default_rng(seed).normal(size=(8, 100))
        found = weigh(scores)
        gains.append(found.gain)
        own = optimal_weights(scores, prior_cases=0.0)
        assert np.log(own @ np.exp(scores)).sum() > np.log(np.exp(scores).mean(axis=0)).sum()
    assert np.mean(gains) < 0, gains


def test_a_gain_that_is_unknown_is_not_called_small() -> None:
    scores = np.random.default_rng(0).normal(size=(4, 200))
    scores[:, 3] = -np.inf
    found = weigh(scores)
    assert not found.better
    assert found.words() == (
        "Chains stay apart, and predictions weigh them equally, as what stacking gains is unknown "
        "(scores of some cases are not finite)."
    )


def test_few_cases_decide_nothing() -> None:
    assert not ChainWeights((1.0, 0.0), 50.0, 1.0, 99).better
    assert ChainWeights((1.0, 0.0), 50.0, 1.0, 100).better
    assert not ChainWeights((1.0, 0.0), 9.0, 9.0, 100).better
    assert not ChainWeights((1.0, 0.0), 3.9, 1.0, 100).better
    assert not weigh(np.full((2, 200), -np.inf)).better


def test_leave_one_out_that_fails_decides_nothing() -> None:
    """On four splits of Boston housing weights won by leave-one-out, and lost on other cases."""
    good, bad = (ChainWeights((0.9, 0.1), 18.0, 4.0, 354, failing) for failing in (17, 18))
    assert good.better
    assert not bad.better
    assert "equally, as leave-one-out cannot tell otherwise (it fails for 18 of 354" in bad.words()


def test_cases_that_a_chain_fits_too_closely_are_counted(line: models.BNN) -> None:
    """Far narrower noise than that of the cases makes each case outweigh the draws."""
    found = stack_chains(line, draws(1.0, 1.0, noise=0.02))
    assert found.failing > 0.05 * CASES
    assert not found.reliable
    assert stack_chains(line, draws(1.0, 0.2)).reliable


def test_draws_have_the_shares_of_their_chains() -> None:
    idata = draws(1.0, 2.0, 3.0)
    found = weighted_draws(idata, (0.5, 0.25, 0.25))["posterior"]
    assert dict(found.sizes)["chain"] == 1
    taken = found["w0"].values.ravel()
    assert taken.size == 2 * DRAWS
    assert len(set(taken)) == taken.size
    np.testing.assert_array_equal(np.unique(taken.round(), return_counts=True)[1], [200, 100, 100])

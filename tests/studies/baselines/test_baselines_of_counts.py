"""Simpler models of counts are Poisson too, so that a network is not worth it for that alone."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import models, studies
from pymc_bnn.studies.baselines.baseline import Baseline, fit_baselines
from pymc_bnn.studies.baselines.cases import Cases
from pymc_bnn.studies.baselines.counting import LEAST_MEAN, poisson_regression, score_counts
from pymc_bnn.studies.baselines.worth import state_worth
from pymc_bnn.studies.comparison import comparison
from pymc_bnn.studies.comparison.found import NOT_HELD_OUT, NOT_SIMPLER, Comparison
from pymc_bnn.studies.tables.target_likelihood import named_likelihood
from scipy.stats import poisson

ROWS = 400


def defects(level: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, means whose logarithm is a line, and counts."""
    rng = np.random.default_rng(seed)
    X = 2.0 + 3.0 * rng.normal(size=(2 * ROWS, 2))
    mean = np.exp(level + 0.13 * X[:, 0])
    return X, mean, rng.poisson(mean).astype(float)


def fitted(X: np.ndarray, y: np.ndarray, likelihood: str = "poisson") -> dict[str, Baseline]:
    model = models.gaussian(X[:ROWS], y[:ROWS], hidden=(), likelihood=likelihood)
    return fit_baselines(model, (X[ROWS:], y[ROWS:]))


def test_networks_of_more_scatter_are_not_compared_with_poisson_models() -> None:
    """Any of them would win where counts vary more than their means."""
    X, _, y = defects(1.0, 1)
    assert fitted(X, y, "negative_binomial") == {}


@pytest.mark.parametrize("cases", [{}, {"test": 3}])
def test_that_a_network_of_more_scatter_is_not_asked_for_is_said(cases: dict[str, int]) -> None:
    """Held-out cases would not help."""
    found = {
        name: SimpleNamespace(model=SimpleNamespace(likelihood=likelihood))
        for name, likelihood in (("p", models.Poisson()), ("n", models.NegativeBinomial()))
    }
    said = {}
    for name, result in found.items():
        results: Any = {name: result}
        said[name] = Comparison(pd.DataFrame(), results, pd.DataFrame(), cases=cases)
    assert said["n"].baseline_verdict == NOT_SIMPLER
    assert said["p"].baseline_verdict == (None if cases else NOT_HELD_OUT)
    assert "--likelihood poisson" in NOT_SIMPLER
    assert named_likelihood("poisson") == "poisson"


@pytest.mark.parametrize("order", [("p", "n"), ("n", "p")])
def test_simpler_models_beside_several_networks_are_those_of_the_one_that_has_them(
    order: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, _, y = defects(1.0, 1)
    likelihoods = {"p": "poisson", "n": "negative_binomial"}
    networks = {n: models.gaussian(X, y, hidden=(), likelihood=likelihoods[n]) for n in order}
    asked = []
    monkeypatch.setattr(comparison, "load", lambda idata: networks[idata.name])
    monkeypatch.setattr(comparison, "fit_baselines", lambda model, *_: asked.append(model))
    monkeypatch.setattr(comparison, "evaluate", lambda name, *_, **__: None)
    monkeypatch.setattr(comparison, "put_together", lambda *_: None)
    fits = {name: xr.DataTree.from_dict({"posterior": xr.Dataset()}, name=name) for name in order}
    studies.compare(fits, test=(X, y))
    assert asked == [networks["p"]]


def test_a_network_of_more_scatter_is_not_judged_by_models_of_less() -> None:
    scores = xr.Dataset({"log_score": ("obs", np.zeros(3))})
    given = {"answer": "converged", "scores": scores, "held_out_mcse": 0.1, "name": "n"}
    model = SimpleNamespace(likelihood=models.NegativeBinomial())
    results: Any = {"n": SimpleNamespace(model=model, **given)}
    simpler: Any = {"Poisson regression": SimpleNamespace()}
    found = Comparison(pd.DataFrame(), results, pd.DataFrame(), baselines=simpler)
    assert found.baseline_verdict == NOT_SIMPLER


def test_densities_are_not_compared_with_probabilities() -> None:
    X, _, y = defects(1.0, 1)
    kinds = {"a": "gaussian_noise", "b": "poisson"}
    networks = {n: models.gaussian(X, y, (), likelihood=kind) for n, kind in kinds.items()}
    with pytest.raises(studies.InputError, match="'a' and 'b': one has densities"):
        comparison._check_same_cases(networks)


@pytest.mark.parametrize("level", [-2.5, 1.0, 12.0])
def test_the_true_model_has_the_score_of_its_scatter(level: float) -> None:
    """It is not worth a network, although rare counts are far from normal."""
    X, mean, y = defects(level, 1)
    found = fitted(X, y)
    assert list(found) == ["Poisson regression", "boosted trees"]
    exact = poisson.logpmf(y[ROWS:], mean[ROWS:])
    # 400 cases know each of three coefficients to half a nat in all
    assert abs(float(found["Poisson regression"].scores["log_score"].mean()) - exact.mean()) < 0.02
    assert not state_worth("network", exact, found).startswith("A network is worth it")
    alone = {"Poisson regression": found["Poisson regression"]}
    assert state_worth("network", exact, alone).startswith("Undecided")
    inside = studies.summarize_scores(found["Poisson regression"].scores)["coverage_90"]
    assert inside > 0.86  # of counts more than their share may be inside


def test_scores_are_those_of_draws_from_the_same_distribution() -> None:
    X, _, y = defects(1.0, 2)
    scores = fitted(X, y)["Poisson regression"].scores
    mean, observed = (scores[name].values for name in ("mean", "observed"))
    draws = np.random.default_rng(3).poisson(mean, (4000, *mean.shape))
    np.testing.assert_allclose(scores["crps"], studies.crps(draws, observed), atol=0.15)
    assert float((scores["crps"] - studies.crps(draws, observed)).mean()) == pytest.approx(
        0.0, abs=0.005
    )
    below, up_to = ((draws < observed).mean(axis=0), (draws <= observed).mean(axis=0))
    assert (scores["pit"] > below - 0.04).all()
    assert (scores["pit"] < up_to + 0.04).all()
    assert abs(float(scores["pit"].mean()) - 0.5) < 0.06
    levels = np.quantile(draws, scores["quantile"], axis=0)
    assert float(np.abs(levels - scores["quantiles"]).mean()) < 0.1


def test_the_prior_of_weights_does_not_depend_on_how_large_counts_are() -> None:
    """Nor on the unit of inputs; the posterior mode of a Poisson regression is what it is."""
    X, _, y = defects(0.0, 4)
    mean = poisson_regression(X, y, X, 0)
    np.testing.assert_allclose(poisson_regression(1e3 * X - 7.0, y, X * 1e3 - 7.0, 0), mean)
    inputs = (X - X.mean(axis=0)) / X.std(axis=0)
    centred = np.log(mean) - np.log(mean).mean()
    weights = np.linalg.lstsq(inputs, centred, rcond=None)[0]
    # where the gradient of the log posterior is zero, of a normal prior of deviation 1
    np.testing.assert_allclose(inputs.T @ (y - mean), weights, atol=0.2)


def test_each_output_has_its_own_model() -> None:
    X, _, y = defects(1.0, 5)
    two = fitted(X, np.column_stack([y, 3 * y]))
    for name, one in fitted(X, y).items():
        mean = two[name].scores["mean"]
        assert mean.shape == (ROWS, 2)
        np.testing.assert_allclose(mean[:, :1], one.scores["mean"])
        assert float((mean[:, 1] / mean[:, 0] / 3 - 1).mean()) == pytest.approx(0.0, abs=0.1)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_counts_far_from_the_others_have_a_score() -> None:
    X = np.linspace(-2, 2, 50)[:, None]
    y = np.round(np.exp(2 * X[:, 0]))
    cases = Cases(X, y, np.array([[-300.0], [300.0]]), np.array([2.0, 2.0]))
    scores = score_counts(poisson_regression, cases, 0)
    assert scores["mean"].values[0, 0] == LEAST_MEAN
    assert all(np.isfinite(values).all() for values in scores.data_vars.values())


def test_cases_without_an_event_are_refused() -> None:
    X = np.zeros((30, 1))
    with pytest.raises(ValueError, match=r"no training case has a count above 0\."):
        score_counts(poisson_regression, Cases(X, np.zeros(30), X, np.ones(30)), 0)

"""Simpler models are scored as networks are, and a network is worth it only where it wins."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xarray as xr
from pymc_bnn import models, studies
from pymc_bnn.studies.baselines import regression
from pymc_bnn.studies.baselines.baseline import Baseline, fit_baselines
from pymc_bnn.studies.baselines.cases import Cases
from pymc_bnn.studies.baselines.regression import gaussian_process, score_normals
from pymc_bnn.studies.baselines.worth import state_worth
from pymc_bnn.studies.comparison.found import NOT_HELD_OUT
from pymc_bnn.studies.scores.paired_scores import LEAST_HELD_OUT
from scipy.stats import norm
from threadpoolctl import threadpool_info, threadpool_limits

from ..conftest import Run

NOISE = 0.5


def line(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    return X, X @ [1.0, -0.5] + NOISE * rng.normal(size=rows)


@pytest.fixture(scope="module")
def lines() -> dict[str, Baseline]:
    return fit_baselines(models.gaussian(*line(300, 1), hidden=()), line(2000, 2))


def test_the_true_model_has_the_score_of_its_noise(lines: dict[str, Baseline]) -> None:
    """2000 cases know the mean log density of normal noise to 0.016; 300 cost 0.005 more."""
    exact = -norm(0, NOISE).entropy()
    for name in ("linear", "gaussian process"):
        assert abs(lines[name].scores["log_score"].mean() - exact) < 0.08
    # trees make steps of a line, and know about how bad that is
    trees = float(lines["boosted trees"].scores["log_score"].mean())
    assert exact - 0.6 < trees < exact - 0.03
    summary = studies.summarize_scores(lines["linear"].scores, 10.0)
    assert abs(summary["rmse"] / 10 - NOISE) < 0.04
    for one in lines.values():
        assert abs(studies.summarize_scores(one.scores)["coverage_90"] - 0.9) < 0.05
    assert all(one.seconds > 0 for one in lines.values())


def test_scores_are_those_of_draws_from_the_same_distribution(lines: dict[str, Baseline]) -> None:
    scores = lines["linear"].scores.isel(obs=slice(20))
    residual = scores["observed"].values - scores["mean"].values
    density = np.exp(scores["log_score"].values)[:, None]
    # the scale follows from density and residual, as the fit is nearly that of the truth
    sd = NOISE * np.ones_like(residual)
    np.testing.assert_allclose(norm.pdf(residual, scale=sd), density, rtol=0.3)
    draws = scores["mean"].values + NOISE * np.random.default_rng(3).normal(size=(4000, 20, 1))
    by_draws = studies.crps(draws, scores["observed"].values)
    np.testing.assert_allclose(scores["crps"], by_draws, atol=0.05)
    below = (draws <= scores["observed"].values).mean(axis=0)
    np.testing.assert_allclose(scores["pit"], below, atol=0.06)


def test_each_is_fitted_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several wait for each other where other processes are at work."""
    threads: list[int] = []

    def counted(*given: Any) -> xr.Dataset:
        threads.extend(one["num_threads"] for one in threadpool_info())
        return score_normals(*given)

    monkeypatch.setattr(regression, "score_normals", counted)
    with threadpool_limits(2):
        fit_baselines(models.gaussian(*line(20, 4), hidden=()), line(20, 5))
        assert set(threads) == {1}
        assert {one["num_threads"] for one in threadpool_info()} == {2}


def test_each_output_has_its_own_model() -> None:
    X, y = line(120, 3)
    two = np.column_stack([y, -3.0 * y])
    found = fit_baselines(models.gaussian(X, two, hidden=()), (X[:50], two[:50]))
    one = fit_baselines(models.gaussian(X, y, hidden=()), (X[:50], y[:50]))
    for name, baseline in found.items():
        scores = baseline.scores
        assert scores["mean"].shape == (50, 2)
        np.testing.assert_allclose(scores["mean"][:, 0], one[name].scores["mean"][:, 0])
        np.testing.assert_allclose(scores["mean"][:, 1], -3 * scores["mean"][:, 0], atol=0.05)
        expected = 2 * one[name].scores["log_score"] - np.log(3)
        np.testing.assert_allclose(scores["log_score"], expected, atol=0.1)


@pytest.mark.parametrize("classes", [2, 3])
def test_classes_have_the_probabilities_that_they_are_drawn_with(classes: int) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 1))
    logits = X * np.linspace(-2, 2, classes)
    y = np.array(["a", "b", "c"])[np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)]
    true = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    best = true[np.arange(500), np.searchsorted(["a", "b", "c"], y)][300:].mean()
    likelihood = "bernoulli" if classes == 2 else "categorical"
    model = models.gaussian(X[:300], y[:300], hidden=(), likelihood=likelihood)
    found = fit_baselines(model, (X[300:], y[300:]))
    assert list(found) == ["linear", "gaussian process", "boosted trees"]
    for name in ("linear", "gaussian process"):
        scores = found[name].scores
        assert scores["probability"].sizes["output"] == len(model.outputs)
        assert best - 0.06 < float(scores["log_score"].mean()) < best + 0.03
    seen, last = scores["observed"].values, scores["probability"].values[:, -1]
    assert last[seen == classes - 1].mean() > last[seen == 0].mean() + 0.1
    errors = {n: studies.summarize_scores(b.scores)["error_rate"] for n, b in found.items()}
    assert errors["linear"] < 0.5
    assert float(found["boosted trees"].scores["log_score"].mean()) < best


def made(*gaps: float, cases: int = 100, mcse: float = np.nan, error: float = 0.1) -> str:
    """The verdict on a network that is better than simpler models by so much, with an error."""
    rng = np.random.default_rng(6)
    score = rng.normal(size=cases)
    baselines = {}
    for i, gap in enumerate(gaps):
        apart = rng.normal(size=cases)
        apart = gap + error * np.sqrt(cases) * (apart - apart.mean()) / apart.std(ddof=1)
        data = xr.Dataset({"log_score": ("obs", score - apart)})
        baselines[f"model {i}"] = Baseline(f"model {i}", data, 1.0)
    return state_worth("ard", score, baselines, mcse)


def test_the_verdict_can_be_yes_no_and_undecided() -> None:
    assert made(0.5, 0.6).startswith("A network is worth it: on the 100 held-out cases ard predi")
    said = made(0.5, -0.4, 0.1)
    assert said.startswith("A network is not worth it: ")
    assert "ard predicts worse than model 1 (-0.400 ± 0.100); ard predicts better than" in said
    assert "it is open against model 2 (+0.100 ± 0.100)" in said
    said = made(0.5, 0.1)
    assert said.startswith("Undecided whether a network is worth it: ")
    # one in forty may go wrong for all together: 2 standard errors are not enough for three
    assert made(0.21).startswith("A network is worth it")
    assert made(0.21, 0.9, 0.9).startswith("Undecided")
    assert "too few" in made(5.0, cases=LEAST_HELD_OUT - 1)
    said = made(0.21, mcse=10.0)  # which is as much as the error of 0.1 by cases
    assert said.startswith("Undecided")
    assert "(+0.210 ± 0.141)" in said


@pytest.mark.parametrize("gap", [0.0004, -0.0004])
def test_a_certain_difference_counts_if_it_is_large_enough(gap: float) -> None:
    said = made(gap, error=2e-6)
    assert said == (
        "Undecided whether a network is worth it: on the 100 held-out cases it differs too little "
        f"(4 nats or less in all) from model 0 ({gap:+.4f} ± 0.000002) (log score per case)."
    )
    assert made(gap, cases=20_000, error=2e-6).startswith("A network is ")


def test_comparisons_have_them_where_there_are_held_out_cases(
    wave_comparison: studies.Comparison,
) -> None:
    table = wave_comparison.baseline_table
    assert list(table.index) == ["linear", "gaussian process", "boosted trees"]
    assert {"rmse", "crps", "log_score", "coverage_90", "seconds"} == set(table.columns)
    # a sine, of which a line knows little
    assert table.loc["gaussian process", "rmse"] < 0.2 < 0.5 < table.loc["linear", "rmse"]
    # the network's draws cannot be used, the line's can
    said = str(wave_comparison.baseline_verdict)
    assert said.startswith(
        "A network is not worth it: on the 60 held-out cases line predicts worse"
    )
    alone = {name: r.idata for name, r in wave_comparison.results.items() if name == "line"}
    found = studies.compare(alone)
    assert found.baselines == {}
    assert found.baseline_verdict == NOT_HELD_OUT
    assert "test=(X, y)" in NOT_HELD_OUT
    assert (NOT_HELD_OUT,) in found.findings
    # nor is it said of held-out cases to which none could be fitted, of which there are warnings
    assert replace(wave_comparison, baselines={}).baseline_verdict is None


def test_reports_show_them(houses_run: Run, flowers_run: Run) -> None:
    """With a verdict where held-out cases and draws allow one, and what each is."""
    words = {
        "a linear model; a Gaussian process; boosted trees, whose noise is that of": houses_run,
        "logistic regression; a Gaussian process; boosted trees.": flowers_run,
    }
    for said, run in words.items():
        page = (run.out / "report.html").read_text("utf-8")
        section = page.split('id="baselines"')[1].split("<section>")[0]
        for name in ("linear", "gaussian process", "boosted trees"):
            assert f"<td>{name}</td>" in section
        assert f"held-out ones: {said}" in section


def test_what_cannot_be_fitted_is_left_out_and_said() -> None:
    X = line(40, 4)[0]
    kinds = np.array(["a", "b", "c"])[np.arange(40) % 3]
    model = models.gaussian(X, kinds, hidden=(), likelihood="categorical")
    without = model.with_data(X[kinds != "c"], kinds[kinds != "c"])
    with pytest.warns(UserWarning, match="is left out: only 2 of 3 classes have a row"):
        assert fit_baselines(without, (X, kinds)) == {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_gaussian_process_does_not_depend_on_the_unit_of_targets() -> None:
    X, y = line(80, 4)
    new, _ = line(20, 5)
    mean, sd = gaussian_process(X, y, new, 0)
    for factor, shift in ((1e-3, 0.0), (150.0, 2000.0)):
        other, others_sd = gaussian_process(X, factor * y + shift, new, 0)
        np.testing.assert_allclose((other - shift) / factor, mean, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(others_sd / factor, sd, rtol=1e-3)
    constant, certain = gaussian_process(X, np.full(80, 7.0), new, 0)
    np.testing.assert_allclose(constant, 7.0)
    assert (certain < 0.01).all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_targets_that_are_all_alike_have_no_simpler_models() -> None:
    X, y = line(60, 6)
    model = models.gaussian(X, np.zeros(60), hidden=())
    with pytest.warns(UserWarning, match="is left out: training targets are all alike") as said:
        assert fit_baselines(model, (X, y)) == {}
    assert len(said) == 3


def test_a_model_without_scatter_is_refused() -> None:
    X, y = line(60, 6)
    with pytest.raises(ValueError, match="it predicts without scatter"):
        score_normals(lambda *_: (np.zeros(60), np.zeros(60)), Cases(X, y, X, y), 0)

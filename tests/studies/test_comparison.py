"""Which of several fits predicts best, by how much, and whether to believe it."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import models, studies
from pymc_bnn.studies import refitting
from pymc_bnn.studies.verdict import advise_on_pareto_k, state_verdict
from scipy.special import logsumexp

from .conftest import wave

COLUMNS = {
    *("rank", "elpd_loo", "se", "elpd_diff", "dse", "p_loo", "weight"),
    *("elpd_waic", "se_waic", "p_waic", "bad_k", "advice"),
    *("rmse", "crps", "coverage_50", "coverage_90", "log_score", "log_score_se"),
    *("max_rhat", "min_ess", "divergences", "converged", "problems"),
    *("seconds", "gradient_evaluations", "ess_per_second"),
}


def test_the_table_has_every_criterion(wave_comparison: studies.Comparison) -> None:
    assert set(wave_comparison.table.columns) == COLUMNS
    assert wave_comparison.cases == {"training": 60, "test": 60}


def test_the_clearly_better_model_wins(wave_comparison: studies.Comparison) -> None:
    table = wave_comparison.table
    assert list(table.index) == list(wave_comparison.results) == ["network", "line"]
    assert table["rank"].tolist() == [0, 1]
    network, line = table.loc["network"], table.loc["line"]
    assert line.elpd_diff == pytest.approx(line.elpd_loo - network.elpd_loo)
    assert line.elpd_diff < -20
    assert network.weight > 0.9
    # noise of 0.1 against a line through a sine
    assert network.rmse < 0.2 < 0.5 < line.rmse
    assert network.crps < line.crps
    assert network.log_score > line.log_score
    assert network.elpd_waic > line.elpd_waic
    assert wave_comparison.verdict.startswith("network predicts best: line is worse by ")


def test_criteria_are_those_of_the_draws(wave_comparison: studies.Comparison) -> None:
    row = wave_comparison.table.loc["line"]
    result = wave_comparison.results["line"]
    log_likelihood = result.model.log_likelihood(result.idata, *wave(60, seed=3))
    lppd = (logsumexp(log_likelihood, axis=(0, 1)) - np.log(600)).sum()
    assert row.elpd_waic == pytest.approx(lppd - row.p_waic)
    assert row.p_waic == pytest.approx(float(log_likelihood.var(("chain", "draw")).sum()))
    # a line with two slopes, a bias and a noise level
    assert 1 < row.p_loo < 6
    assert row.p_loo == pytest.approx(lppd - row.elpd_loo)
    assert row.elpd_loo == pytest.approx(row.elpd_waic, abs=0.5)


def test_held_out_scores_are_those_of_the_predictions(
    wave_comparison: studies.Comparison, wave_test: tuple
) -> None:
    X, y = wave_test
    for name, result in wave_comparison.results.items():
        row = wave_comparison.table.loc[name]
        f = result.model.predict(result.idata, X, draws=["f"], seed=1)["predictions"]["f"]
        mean = f.mean(("chain", "draw")).values[:, 0]
        # y is the mean of noisy targets there, 600 of them
        assert row.rmse == pytest.approx(np.sqrt(np.mean((mean - y) ** 2)), rel=0.05)
        assert row.log_score == pytest.approx(result.model.log_score(result.idata, X, y))
        assert 0.75 <= row.coverage_90 <= 1.0
        assert row.coverage_50 < row.coverage_90


def test_work_is_counted(wave_comparison: studies.Comparison, wave_fits: dict) -> None:
    for name, idata in wave_fits.items():
        row = wave_comparison.table.loc[name]
        assert row.gradient_evaluations == int(idata["sample_stats"]["n_steps"].sum()) > 0
        assert row.seconds > 0
        assert row.ess_per_second == pytest.approx(row.min_ess / row.seconds)


def test_a_single_fit_has_a_report_too(wave_fits: dict) -> None:
    comparison = studies.compare({"line": wave_fits["line"]})
    assert list(comparison.table.index) == ["line"]
    assert "rmse" not in comparison.table  # there are no held-out cases
    assert comparison.table.loc["line", "elpd_diff"] == 0.0
    assert comparison.verdict.startswith("line is the only model")


def test_fits_are_left_as_they_were(wave_fits: dict, wave_comparison: studies.Comparison) -> None:
    assert all("log_likelihood" not in idata for idata in wave_fits.values())


def test_single_chains_are_compared_but_not_believed(wave_fits: dict) -> None:
    comparison = studies.compare({name: v.isel(chain=[0]) for name, v in wave_fits.items()})
    assert not comparison.table["converged"].any()
    assert comparison.verdict.split(". ")[0].startswith("network predicts best")
    assert "cannot be believed before a longer run" in comparison.verdict


def test_repairs_are_passed_on(wave_fits: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def spy(model: models.BNN, idata: xr.DataTree, *options: object) -> object:
        asked.append(options)
        return refitting.leave_one_out(model, idata)

    monkeypatch.setattr("pymc_bnn.studies.comparison.leave_one_out", spy)
    studies.compare({"line": wave_fits["line"]}, moment_match=True, seed=3)
    studies.compare({"line": wave_fits["line"]}, refit=True, seed=4)
    assert asked == [(True, False, 3), (False, True, 4)]


def test_fits_of_different_targets_are_refused(wave_fits: dict) -> None:
    other = wave_fits["line"].copy(deep=True)
    other["observed_data"]["y_obs"].values[0] += 1.0
    with pytest.raises(studies.InputError, match="'line' and 'other' are of different targets"):
        studies.compare({"line": wave_fits["line"], "other": other})


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(studies.InputError, match="no fit"):
        studies.compare({})


def test_the_table_goes_to_csv(wave_comparison: studies.Comparison, tmp_path_factory) -> None:
    path = wave_comparison.to_csv(tmp_path_factory.mktemp("csv") / "comparison.csv")
    read = pd.read_csv(path, index_col="model")
    np.testing.assert_allclose(read["elpd_loo"], wave_comparison.table["elpd_loo"])
    assert list(read["advice"]) == list(wave_comparison.table["advice"])


def verdict_of(*rows: tuple[float, float, bool, int]) -> str:
    columns = ["elpd_diff", "dse", "converged", "bad_k"]
    return state_verdict(pd.DataFrame(rows, columns=columns, index=list("abcd")[: len(rows)]))


@pytest.mark.parametrize(
    ("second", "clear"),
    [
        ((-10.0, 4.0), True),
        ((-10.0, 6.0), False),  # less than two standard errors
        ((-3.9, 0.1), False),  # too small to matter
    ],
)
def test_a_difference_counts_when_it_is_large_and_certain(second: tuple, clear: bool) -> None:
    said = verdict_of((0, 0, True, 0), (*second, True, 0))
    assert ("a clear difference" in said) == clear
    assert ("no other model is clearly worse" in said) != clear
    assert "It can be believed" in said


def test_models_too_close_to_call_are_named() -> None:
    good = (True, 0)
    said = verdict_of((0, 0, *good), (-1, 1, *good), (-30, 5, *good))
    assert "with b too close to call (b is worse by 1.0 ± 1.0" in said
    assert "the others are clearly worse" in said


@pytest.mark.parametrize(
    ("rows", "belief"),
    [
        (
            ((0, 0, False, 0), (-9, 1, True, 0)),
            "It cannot be believed before a longer run: the sampler has not converged for a.",
        ),
        (
            ((0, 0, True, 0), (-9, 1, False, 0)),
            "Believe it with care: the sampler has not converged for b.",
        ),
        (
            ((0, 0, True, 3), (-9, 1, True, 0)),
            "Believe it with care: leave-one-out is unreliable for some cases of a.",
        ),
        (
            ((0, 0, True, 3), (-9, 1, True, 1)),
            "Believe it with care: leave-one-out is unreliable for some cases of both.",
        ),
    ],
)
def test_doubts_are_said_with_whose_they_are(rows: tuple, belief: str) -> None:
    assert verdict_of(*rows).endswith(belief)


@pytest.mark.parametrize(
    ("bad", "advice"),
    [
        (0, "leave-one-out is reliable"),
        (10, "10 of 100 cases: use moment matching, then exact refits"),
        (11, "11 of 100 cases: use K-fold cross-validation or the held-out scores"),
    ],
)
def test_advice_depends_on_how_many_cases_are_bad(bad: int, advice: str) -> None:
    assert advise_on_pareto_k(bad, 100) == advice

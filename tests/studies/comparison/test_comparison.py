"""Which of several fits predicts best, by how much, and whether to believe it."""

import dataclasses
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import models, samplers, studies
from pymc_bnn.models.description import attach, description_of
from pymc_bnn.studies.comparison import announcing, comparing, comparison
from pymc_bnn.studies.comparison import found as found_module
from pymc_bnn.studies.comparison.announcing import say_verdicts, summary_table
from pymc_bnn.studies.comparison.comparison import put_together
from pymc_bnn.studies.comparison.request import Request
from pymc_bnn.studies.scores import refitting
from rich.console import Console
from scipy.special import logsumexp

from ..conftest import wave

COLUMNS = {
    *("rank", "elpd_loo", "se", "elpd_diff", "dse", "elpd_mcse", "p_loo", "weight"),
    *("elpd_waic", "se_waic", "p_waic", "bad_k", "advice"),
    *("rmse", "crps", "coverage_50", "coverage_90", "log_score", "log_score_se"),
    "log_score_mcse",
    *("max_rhat", "min_ess", "min_ess_tail", "divergences"),
    *("converged", "grade", "answer", "stable", "chains", "problems"),
    *("estimated_seconds", "seconds", "gradient_evaluations", "ess_per_second"),
}


def test_the_table_has_every_criterion(wave_comparison: studies.Comparison) -> None:
    assert set(wave_comparison.table.columns) == COLUMNS
    assert wave_comparison.cases == {"training": 60, "test": 60}


def test_the_clearly_better_model_comes_first(wave_comparison: studies.Comparison) -> None:
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


def test_how_many_can_be_judged_is_said_first_and_then_why_others_cannot(
    wave_comparison: studies.Comparison,
) -> None:
    """Of 600 draws of the network 55 are effective for one of its precisions."""
    table = wave_comparison.table
    assert table["grade"].to_dict() == {"network": "not yet", "line": "nearly"}
    assert wave_comparison.best is None
    said = wave_comparison.verdict
    first = "Of 2 models line alone can be judged, and is compared with none. "
    assert said.startswith(f"{first}network cannot be judged: ")
    assert "best" not in said


@pytest.fixture(scope="module")
def lines() -> studies.Comparison:
    """A line through the input that matters, and one through the other."""
    rng = np.random.default_rng(7)
    X, _ = wave(160, seed=6)
    y = X["matters"].to_numpy() + rng.normal(size=160)
    quiet = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
    fits = {
        name: samplers.sample(
            models.gaussian(X[[name]][:120], y[:120], ()), 1500, 300, 2, cores=1, seed=5, **quiet
        )
        for name in ("does_not", "matters")
    }
    results = {
        name: studies.compare({name: idata}, (X[[name]][120:], y[120:])).results[name]
        for name, idata in fits.items()
    }
    return put_together(results)


def test_a_clear_difference_of_draws_that_can_be_used_is_a_verdict(
    lines: studies.Comparison,
) -> None:
    assert lines.table["grade"].tolist() == ["converged", "converged"]
    assert lines.best == "matters"
    margin = lines.table.loc["does_not"]
    said = lines.verdict
    assert said.startswith(f"matters predicts best: does_not is worse by {-margin.elpd_diff:.1f} ±")
    assert "The Monte Carlo error of each score is 0." in said
    assert "The 40 held-out cases agree that matters is better than does_not (+" in said
    assert (lines.table["elpd_mcse"] < 0.3 * margin.dse).all()


def test_draws_and_scores_that_are_no_numbers_are_named(lines: studies.Comparison) -> None:
    """They rank last, and neither win nor lose."""
    idata = lines.results["matters"].idata.copy(deep=True)
    idata["posterior"]["w0"].values[0, 3] = np.nan
    good = lines.results["does_not"]
    found = put_together({"broken": studies.compare({"b": idata}).results["b"], "good": good})
    assert list(found.table.index) == ["good", "broken"]
    assert found.table.loc["broken", "bad_k"] == 120
    assert found.table.loc["broken", "grade"] == "not yet"
    assert np.isnan(found.table.loc["broken", "elpd_loo"])
    first = "Of 2 models does_not alone can be judged, and is compared with none."
    assert found.verdict.startswith(
        f"{first} b cannot be judged: draws that are not finite, of 3000: w0"
    )
    assert found.best is None


@pytest.mark.usefixtures("without_plots")
def test_the_report_is_written_after_every_model(
    lines: studies.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that ends at its second model leaves the report of the first."""
    evaluated = iter([lines.results["matters"]])
    monkeypatch.setattr(comparison, "evaluate", lambda *a, **k: next(evaluated))
    fits = dict.fromkeys(("matters", "again"), lines.results["matters"].idata)
    with pytest.raises(StopIteration):
        studies.compare(fits, report=tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "Not yet compared: again." in page
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


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
    assert comparison.best is None
    assert comparison.verdict.endswith("so there is nothing to compare it with.")


def test_fits_are_left_as_they_were(wave_fits: dict, wave_comparison: studies.Comparison) -> None:
    assert all("log_likelihood" not in idata for idata in wave_fits.values())


def test_single_chains_are_compared_but_not_believed(wave_fits: dict) -> None:
    comparison = studies.compare({name: v.isel(chain=[0]) for name, v in wave_fits.items()})
    assert not comparison.table["converged"].any()
    assert "line cannot be judged: a single chain cannot show" in comparison.verdict
    assert comparison.verdict.startswith("None of 2 models can be judged. ")
    assert comparison.best is None


def test_repairs_are_passed_on(wave_fits: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def spy(model: models.BNN, idata: xr.DataTree, *options: object) -> object:
        asked.append(options)
        return refitting.leave_one_out(model, idata)

    monkeypatch.setattr("pymc_bnn.studies.scores.known.leave_one_out", spy)
    studies.compare({"line": wave_fits["line"]}, moment_match=True, seed=3)
    studies.compare({"line": wave_fits["line"]}, refit=True, seed=4)
    assert asked == [(True, False, 3), (False, True, 4)]


def test_fits_of_different_targets_are_refused(wave_fits: dict) -> None:
    other = wave_fits["line"].copy(deep=True)
    other["observed_data"]["y_obs"].values[0] += 1.0
    attach(other, description_of(other))  # as a fit to these would have it
    with pytest.raises(studies.InputError, match="'line' and 'other' are of different targets"):
        studies.compare({"line": wave_fits["line"], "other": other})


@pytest.mark.parametrize("same", [True, False])
def test_targets_are_compared_by_their_labels_and_not_by_codes(same: bool) -> None:
    """The codes of an ordered categorical follow its order, those of labels the alphabet."""
    labels = np.array(["low", "high", "middle"])[np.arange(30) % 3]
    order = ["low", "middle", "high"]
    x = np.linspace(-1, 1, 30)[:, None]
    one = models.BNN(x, labels, (), likelihood="categorical")
    # of other labels whose codes are the same
    others = labels if same else np.array(order)[one["y"].get_value()]
    y = pd.Series(pd.Categorical(others, order, ordered=True))
    other = models.BNN(x, y, (), likelihood="ordered")
    assert np.array_equal(one["y"].get_value(), other["y"].get_value()) != same
    if same:
        comparison._check_same_cases({"one": one, "other": other})
        return
    with pytest.raises(studies.InputError, match="'one' and 'other' are of different targets"):
        comparison._check_same_cases({"one": one, "other": other})


@pytest.mark.parametrize("report", ["nowhere/report.html", Path("nowhere") / "report.html"])
def test_a_report_into_a_folder_that_is_not_there_is_refused(
    wave_fits: dict, report: str | Path
) -> None:
    with pytest.raises(studies.InputError, match="there is no folder nowhere"):
        studies.compare(wave_fits, report=report)


def test_held_out_cases_are_a_pair(wave_fits: dict) -> None:
    with pytest.raises(studies.InputError, match=r"test: give held-out cases as \(X, y\)"):
        studies.compare(wave_fits, np.zeros((3, 1)))  # type: ignore[arg-type]


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(studies.InputError, match="no fit"):
        studies.compare({})


def test_the_table_goes_to_csv(wave_comparison: studies.Comparison, tmp_path_factory) -> None:
    path = wave_comparison.to_csv(tmp_path_factory.mktemp("csv") / "comparison.csv")
    read = pd.read_csv(path, index_col="model")
    np.testing.assert_allclose(read["elpd_loo"], wave_comparison.table["elpd_loo"])
    assert list(read["advice"]) == list(wave_comparison.table["advice"])


def four_chains(result: studies.ModelResult, apart: float) -> xr.DataTree:
    """Each chain twice; the log posterior of the first two is shifted, and nothing else."""
    idata = result.idata.copy()
    for group in ("posterior", "sample_stats"):
        twice = xr.concat([idata[group].dataset] * 2, "chain").assign_coords(chain=range(4))
        idata[group] = xr.DataTree(twice.copy(deep=True))
    idata["sample_stats"]["lp"].values[:2] += apart
    return idata


@pytest.mark.usefixtures("without_plots")
def test_predictions_may_be_stable_where_chains_disagree(
    lines: studies.Comparison, tmp_path: Path
) -> None:
    agreeing = studies.compare({"a": four_chains(lines.results["matters"], 0.0)})
    assert agreeing.table.loc["a", "answer"] == "converged"
    assert pd.isna(agreeing.table.loc["a", "stable"])  # which nobody needs to ask
    idata = four_chains(lines.results["matters"], 100.0)
    found = studies.compare({"apart": idata, "other": lines.results["matters"].idata})
    row = found.table.loc["apart"]
    assert (row["grade"], row["answer"]) == ("not yet", "predictions stable")
    assert row["stable"]
    assert "Predictions of apart are stable all the same, and can be used" in found.verdict
    assert found.best is None
    page = found.to_html(tmp_path / "report.html").read_text("utf-8")
    assert "Predictions are stable: in the worst split into halves, by chains or by time" in page


def test_a_model_with_another_fault_has_no_stable_predictions(lines: studies.Comparison) -> None:
    idata = four_chains(lines.results["matters"], 100.0)
    lp = idata["sample_stats"]["lp"]
    idata["sample_stats"]["diverging"] = xr.ones_like(lp, bool)
    found = studies.compare({"a": idata})
    assert found.table.loc["a", "answer"] == "not yet"
    assert "stable" not in found.verdict


@pytest.mark.usefixtures("without_plots")
def test_divergences_alone_call_for_smaller_steps_and_not_for_longer_chains(
    lines: studies.Comparison, tmp_path: Path
) -> None:
    draws = {name: lines.results[name].idata.copy() for name in lines.results}
    for idata in draws.values():
        stats = idata["sample_stats"].dataset.copy(deep=True)
        stats["diverging"] = xr.zeros_like(stats["lp"], bool)
        stats["diverging"].values[0, 5] = True
        idata["sample_stats"] = xr.DataTree(stats.drop_vars("divergences", errors="ignore"))
    one = {name: studies.compare({name: idata}).results[name] for name, idata in draws.items()}
    found = put_together(one)
    assert set(found.table["grade"]) == {"nearly"}
    console = Console(width=200, file=io.StringIO())
    say_verdicts(found, console)
    page = found.to_html(tmp_path / "report.html").read_text("utf-8")
    for said in (found.verdict, console.file.getvalue(), page):
        assert "less exact than they should be (divergences). Use smaller steps: a higher" in said
    numbers = pd.read_csv(found.to_csv(tmp_path / "numbers.csv"), index_col="model")["problems"]
    for said in (found.verdict, console.file.getvalue(), *numbers):
        assert "target_accept" in said
        assert "longer" not in said


@pytest.mark.usefixtures("without_plots")
def test_chains_that_stay_apart_are_weighed(lines: studies.Comparison, tmp_path: Path) -> None:
    """Of four chains two have moved off their line; held-out cases are predicted by the others."""
    idata = four_chains(lines.results["matters"], 0.0)
    idata["posterior"]["b0"].values[:2] += 2.0
    test = lines.results["matters"].model.training_data()
    found = studies.compare({"apart": idata, "other": lines.results["matters"].idata}, test)
    assert dict(found.table["chains"]) == {"apart": "stacked", "other": "equal"}
    # chains set end to end are no series of which a Monte Carlo error is known
    assert found.table["log_score_mcse"].isna().to_dict() == {"apart": True, "other": False}
    apart, other = (found.table.loc[name, "log_score"] for name in ("apart", "other"))
    assert abs(apart - other) < 0.05
    assert found.table.loc["apart", "answer"] == "not yet"
    page = found.to_html(tmp_path / "report.html").read_text("utf-8")
    assert "Chains stay apart, and predictions weigh them by stacking, 0.0" in page


@pytest.mark.usefixtures("without_plots")
def test_simpler_models_are_scored_once_for_a_report(
    wave_comparison: studies.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, tabulated = [], found_module.baseline_table

    def spy(*given: object) -> pd.DataFrame:
        asked.append(given)
        return tabulated(*given)

    monkeypatch.setattr(found_module, "baseline_table", spy)
    found = dataclasses.replace(wave_comparison)
    found.to_html(tmp_path / "report.html")
    assert [given[0] for given in asked] == [found.baselines]


def test_a_narrow_console_cuts_neither_headings_nor_names(
    wave_comparison: studies.Comparison,
) -> None:
    table = wave_comparison.table.rename(index={"line": "a_name_that_is_long_and_longer"})
    table = table.assign(log_evidence=-123.45, log_evidence_se=0.25, probability=0.5)
    console = Console(width=80, file=io.StringIO())
    console.print(summary_table(dataclasses.replace(wave_comparison, table=table)))
    printed = console.file.getvalue()
    assert "…" not in printed
    for whole in ("Δ elpd ± se", "weight", "RMSE", "score", "evidence", "prob.", "draws"):
        assert whole in printed
    assert "-123.5 ± 0.2" in printed or "-123.4 ± 0.2" in printed


@pytest.mark.parametrize(
    ("probability", "said"), [(0.9996, "> 0.999"), (3e-4, "< 0.001"), (np.nan, "–")]
)
def test_the_console_calls_no_model_certain(probability: float, said: str) -> None:
    [column] = [column for column in announcing.COLUMNS if column.key == "probability"]
    assert column.cell(pd.Series({"probability": probability})) == said


def test_a_network_that_cannot_be_used_is_not_compared_with_simpler_models(
    wave_comparison: studies.Comparison,
) -> None:
    result = wave_comparison.results["network"]
    assert result.answer == "not yet"
    found = put_together({"network": result}, wave_comparison.baselines)
    assert found.baseline_verdict is not None
    assert "the draws of none can be used" in found.baseline_verdict


def test_chains_that_agree_are_not_said_to_disagree(lines: studies.Comparison) -> None:
    idata = four_chains(lines.results["matters"], 0.0)
    diverging = xr.zeros_like(idata["sample_stats"]["lp"], bool)
    diverging[0, :2] = True
    idata["sample_stats"]["diverging"] = diverging
    table = (compared := studies.compare({"a": idata})).table
    found = compared.results["a"]
    assert found.convergence.warnings
    assert found.stability is not None
    assert found.stability.stable
    assert (table.loc["a", "answer"], table.loc["a", "stable"]) == ("nearly", True)


@pytest.mark.usefixtures("without_plots")
def test_rows_where_chains_disagree_are_named_though_they_have_another_fault(
    lines: studies.Comparison, tmp_path: Path
) -> None:
    idata = four_chains(lines.results["matters"], 100.0)
    idata["posterior"]["w0"].values[:2] += 0.5
    lp = idata["sample_stats"]["lp"]
    idata["sample_stats"]["diverging"] = xr.ones_like(lp, bool)
    found = studies.compare({"a": idata})
    assert found.table.loc["a", "answer"] == "not yet"
    page = found.to_html(tmp_path / "report.html").read_text("utf-8")
    assert "Halves differ most at rows" in page


def test_the_last_line_says_how_new_rows_are_predicted(
    wave_comparison: studies.Comparison, tmp_path: Path
) -> None:
    names = ("path", "numbers", "predictions", "dependence")
    places = {name: tmp_path / f"{name}.csv" for name in names}
    request = SimpleNamespace(out=tmp_path / "my report")
    for found in (wave_comparison, dataclasses.replace(wave_comparison, results={})):
        console = Console(width=200, file=io.StringIO())
        report: Any = SimpleNamespace(request=request, write=lambda notes, f=found: f, **places)
        comparing._conclude(report, (), console)
        said = console.file.getvalue()  # type: ignore[attr-defined]
        best = found.explained
        assert (str(places["dependence"]) in said) == (best is not None)
        again = [line for line in said.splitlines() if "pymc-bnn predict" in line]
        assert len(again) == (best is not None)
        if best is not None:
            fit = request.out / "fits" / f"{best.name}.zarr"
            assert again[0].endswith(f"pymc-bnn predict '{fit}' NEW.csv")
    assert wave_comparison.explained is not None


def test_the_command_that_does_it_again_writes_into_the_same_folder() -> None:
    assert "--out" not in Request().command()
    assert Request(out=Path("my report")).command().endswith("--out 'my report'")

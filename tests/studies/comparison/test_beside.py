"""A report that another process makes says what one made here says, and survives its loss."""

import multiprocessing
import warnings
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import samplers
from pymc_bnn.models import BNN
from pymc_bnn.studies.comparison import beside, comparing
from pymc_bnn.studies.comparison.beside import ReportBeside, pays
from pymc_bnn.studies.comparison.comparison import Comparison
from pymc_bnn.studies.comparison.request import Request
from pymc_bnn.studies.fits.estimating import Estimate, Timed
from pymc_bnn.studies.fits.fitting import attributes, build_models
from pymc_bnn.studies.fits.manifest import PARTIAL
from pymc_bnn.studies.fits.schedule import Schedule
from pymc_bnn.studies.fits.settings import Settings
from pymc_bnn.studies.fits.time_limit import TimeLimit
from pymc_bnn.studies.reports import report as page
from pymc_bnn.studies.reports import running_report
from pymc_bnn.studies.reports.running_report import RunningReport
from pymc_bnn.studies.tables.table import Prepared, prepare
from threadpoolctl import threadpool_info, threadpool_limits

from ..conftest import call, houses

NAMES = ["gaussian", "scaled"]
SETTINGS = Settings(hidden=(2,), draws=60, tune=40, chains=2, cores=1)
TIMES = ["seconds", "estimated_seconds", "ess_per_second"]


class Fitted:
    """Networks of a small table, and a report of them in a folder."""

    def __init__(self) -> None:
        self.prepared: Prepared = prepare(houses(), "price")
        self.models: dict[str, BNN] = build_models(self.prepared, NAMES, SETTINGS)
        self.draws: dict[str, xr.DataTree] = {}
        schedule = Schedule(SETTINGS)
        for name, model in self.models.items():
            schedule.settings_of(name, model)
            self.draws[name] = samplers.sample(
                model, 60, 40, 2, cores=1, seed=1, progressbar=False, quiet=True
            )
            self.draws[name].attrs |= attributes(self.prepared, schedule, name, 1, 1.0)

    def report(self, kind: type[RunningReport], out: Path) -> RunningReport:
        """A report that nothing is in yet."""
        out.mkdir()
        return kind(Request(out=out), self.prepared, NAMES)

    def fill(self, report: RunningReport) -> Comparison:
        """Have all models evaluated, and the report written."""
        for name, model in self.models.items():
            report.add(name, model, self.draws[name])
        return report.write(("A note.",))


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    return Fitted()


@pytest.fixture(autouse=True)
def the_same_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page says when it was written; a process that is forked keeps the clock of this one."""
    noon = SimpleNamespace(now=lambda: datetime(2026, 1, 1, 12))
    monkeypatch.setattr(page, "datetime", noon)


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    assert not multiprocessing.active_children()


def page_of(report: RunningReport) -> list[str]:
    """Lines of the page, and those of its tables; each is to be made again in its own folder."""
    page = report.path.read_text("utf-8").replace(str(report.request.out), "")
    lines = page.splitlines()
    tables = report.numbers, report.predictions, report.dependence
    written = [path for path in tables if path.exists()]  # dependence is that of usable draws
    return lines + [line for path in written for line in path.read_text("utf-8").splitlines()]


def refuse(*arguments: object, **options: object) -> None:
    """Take the place of an evaluation."""
    raise AssertionError("evaluated here")


def test_another_process_makes_the_same_report(
    fitted: Fitted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = fitted.report(RunningReport, tmp_path / "here")
    expected = fitted.fill(here)
    report = fitted.report(ReportBeside, tmp_path / "there")
    with report.at_work(fitted.models):
        monkeypatch.setattr(running_report, "evaluate", refuse)
        found = fitted.fill(report)
    pd.testing.assert_frame_equal(found.table, expected.table, check_exact=True)
    assert page_of(report) == page_of(here)
    assert found.findings == expected.findings
    assert found.notes == ("A note.",)
    for name, result in found.results.items():
        assert result.model is fitted.models[name]
        assert result.idata is fitted.draws[name]
        assert np.array_equal(result.loo.elpd_i, expected.results[name].loo.elpd_i)


@pytest.mark.usefixtures("without_plots")
@pytest.mark.parametrize("lost", ["before", "at the end"])
def test_a_report_whose_process_is_lost_is_made_here(
    lost: str, fitted: Fitted, tmp_path: Path
) -> None:
    expected = fitted.fill(fitted.report(RunningReport, tmp_path / "here")).table
    report = fitted.report(ReportBeside, tmp_path / "there")
    with report.at_work(fitted.models):
        (process,) = multiprocessing.active_children()
        for step in ("before", "at the end"):
            if step == lost:
                process.kill()
                process.join()
            for name, model in fitted.models.items() if step == "before" else ():
                report.add(name, model, fitted.draws[name])
        found = report.write(())
    pd.testing.assert_frame_equal(found.table, expected, check_exact=True)
    assert report.path.exists()


def test_an_error_of_the_other_process_is_one_of_this(
    fitted: Fitted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_report, "evaluate", refuse)
    report = fitted.report(ReportBeside, tmp_path / "there")
    with pytest.raises(AssertionError, match="evaluated here"), report.at_work(fitted.models):
        fitted.fill(report)


@pytest.mark.usefixtures("without_plots")
def test_a_warning_of_the_other_process_is_said_here(
    fitted: Fitted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*arguments: object) -> Mapping[str, object]:
        warnings.warn("the baseline is left out", stacklevel=2)
        return {}

    monkeypatch.setattr(running_report, "fit_baselines", none)
    report = fitted.report(ReportBeside, tmp_path / "there")
    with (
        pytest.warns(UserWarning, match="the baseline is left out"),
        report.at_work(fitted.models),
    ):
        fitted.fill(report)


@pytest.mark.usefixtures("without_plots")
def test_a_model_that_was_sampled_is_reported_though_the_next_one_fails(
    fitted: Fitted, tmp_path: Path
) -> None:
    report = fitted.report(ReportBeside, tmp_path / "there")

    def failing() -> None:
        with report.at_work(fitted.models):
            report.add("gaussian", fitted.models["gaussian"], fitted.draws["gaussian"])
            raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        failing()
    assert pd.read_csv(report.numbers)["model"].tolist() == ["gaussian"]


def test_what_an_ended_process_has_half_written_is_removed(fitted: Fitted, tmp_path: Path) -> None:
    report = fitted.report(ReportBeside, tmp_path / "there")
    half = report.path.with_name(f"{report.path.name}.0-1{PARTIAL}")

    def interrupted() -> None:
        with report.at_work(fitted.models):
            half.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not list(report.path.parent.iterdir())


def test_a_model_is_evaluated_by_one_thread(
    fitted: Fitted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[int]] = []

    def look(*arguments: object, **options: object) -> None:
        seen.append({library["num_threads"] for library in threadpool_info()})
        raise InterruptedError

    monkeypatch.setattr(running_report, "evaluate", look)
    report = fitted.report(RunningReport, tmp_path / "here")
    with threadpool_limits(2), pytest.raises(InterruptedError):
        report.add("gaussian", fitted.models["gaussian"], fitted.draws["gaussian"])
    assert seen == [{1}]


def test_it_pays_where_fits_were_timed_and_nothing_else_needs_the_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(beside, "active_count", lambda: 1)
    timed = {"gaussian": Timed([], Estimate(0.0, 0.0, 0.01, 1.0))}
    limit = TimeLimit(5.0, 0.0, 0.0, 1.0)
    assert pays(Request(), Schedule(SETTINGS, timed))
    assert not pays(Request(), Schedule(SETTINGS))
    assert not pays(Request(), Schedule(SETTINGS, timed, limit))
    assert not pays(Request(refit=True), Schedule(SETTINGS, timed))
    assert not pays(Request(evidence=True), Schedule(SETTINGS, timed))
    monkeypatch.setattr(beside, "active_count", lambda: 2)  # whose locks a fork would take along
    assert not pays(Request(), Schedule(SETTINGS, timed))


@pytest.mark.usefixtures("without_plots")
def test_a_command_says_the_same_with_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    houses().to_csv(tmp_path / "houses.csv", index=False)
    sizes = ["--draws", 60, "--tune", 40, "--chains", 2, "--cores", 1, "--hidden", 2]
    command = ["compare", tmp_path / "houses.csv", "--target", "price", *sizes]
    command += ["--variants", ",".join(NAMES)]
    made = []
    for name in ("with", "without"):
        monkeypatch.setattr(comparing, "pays", lambda *_, name=name: name == "with")
        run = call(*command, out=tmp_path / name)
        assert run.code == 0
        table = pd.read_csv(run.out / "comparison.csv", index_col=0)
        made.append((table.drop(columns=TIMES), run.said.count("done after")))
    pd.testing.assert_frame_equal(made[0][0], made[1][0], check_exact=True)
    assert made[0][1] == made[1][1]

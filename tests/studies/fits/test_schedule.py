"""Fits are timed before they start, which changes no draw, and keep to a limit of time."""

import io
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.studies import InputError, load_fit, prepare
from pymc_bnn.studies.comparison import timing
from pymc_bnn.studies.comparison.announcing import kept_of
from pymc_bnn.studies.comparison.timing import notes_on_time
from pymc_bnn.studies.fits import estimating, schedule, time_limit
from pymc_bnn.studies.fits.estimating import Estimate, Timed, draw_chains, time_model
from pymc_bnn.studies.fits.fitting import build_models, fit_models
from pymc_bnn.studies.fits.progress import Progress
from pymc_bnn.studies.fits.schedule import Schedule
from pymc_bnn.studies.fits.settings import Settings
from pymc_bnn.studies.fits.time_limit import TimeLimit, check_minutes
from rich.console import Console

from ..conftest import call, houses

X = np.linspace(-1, 1, 20)[:, None]
SETTINGS = Settings(draws=60, tune=40, chains=2, cores=1, seed=3)


def nothing(trace: Any, draw: Any) -> None:
    """A callback that does nothing."""


@pytest.fixture(scope="module")
def line() -> models.BNN:
    return models.gaussian(X, X[:, 0], ())


def test_timing_changes_no_draw(line: models.BNN) -> None:
    plain = samplers.recommended_steps(line, **estimating.step_settings(line))
    expected = draw_chains(line, plain, SETTINGS, nothing)["posterior"]
    timed = time_model(line, SETTINGS)
    found = draw_chains(line, timed.steps, SETTINGS, nothing)["posterior"]
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name])
    numbers = sum(values.size for values in expected.values()) / (2 * 60)
    statistics = timed.estimate.size - 8 * numbers
    assert 0 < statistics < 200  # bytes of a draw


class Sleeping(samplers.GibbsHMC):
    """A step whose transitions take 20 ms."""

    def step(self, point: Any) -> Any:
        time.sleep(0.02)
        return super().step(point)


def test_an_interrupt_at_the_first_timed_draw_is_one(
    line: models.BNN, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyMC takes it for too few draws."""
    check, calls = estimating.Interruption.check, []

    def pressed(self: estimating.Interruption) -> None:
        calls.append(self)
        self.pressed = self.pressed or len(calls) == 3
        check(self)

    monkeypatch.setattr(estimating.Interruption, "check", pressed)
    with pytest.raises(KeyboardInterrupt):
        time_model(line, SETTINGS)


def test_an_estimate_is_what_transitions_take(
    line: models.BNN, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [Sleeping(n_leapfrog=2, model=line)]
    monkeypatch.setattr(estimating, "recommended_steps", lambda *model, **options: steps)
    estimate = time_model(line, SETTINGS).estimate
    assert 0.02 < estimate.draw < 0.1  # what is not sleep takes less, on a busy machine too
    whole = estimate.seconds(SETTINGS)
    assert whole == pytest.approx(estimate.begin + 2 * 100 * estimate.draw)  # one after the other
    two = Settings(draws=60, tune=40, chains=3, cores=2)
    assert estimate.seconds(two) == pytest.approx(whole)  # two at a time, then one
    assert estimate.bytes(two) == 3 * 60 * estimate.size


def test_the_estimate_says_what_evaluation_takes(
    line: models.BNN, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the models that are to be sampled, with all of their draws."""
    monkeypatch.setattr(timing, "seconds_of_evaluation", lambda cases, s: cases * s.draws / 100)
    known = {name: Timed([], MINUTE) for name in ("gaussian", "scaled")}
    console = Console(width=200, file=io.StringIO())
    timing.time_models(dict.fromkeys(known, line), ASKED, None, console, known, one_at_least=True)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert "Estimate of all: 120 s of sampling and 0.0 MB of draws; compilation is over." in said
    assert "Evaluation comes on top, about 400 s of one core for what grows with the cases" in said


def test_what_an_evaluation_takes_grows_with_cases_and_is_timed_with_all_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shapes = []
    monkeypatch.setattr(timing, "smoothed", lambda drawn, share: shapes.append(drawn.shape))
    now = iter([10.0, 12.0])
    monkeypatch.setattr(timing, "monotonic", lambda: next(now))
    seconds = timing.seconds_of_evaluation(500, ASKED)
    assert seconds == timing.SMOOTHINGS * 5 * 2.0
    assert shapes[-1] == (2, 1000, timing.CASES)


class Clock:
    """A clock that moves when it is told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time_limit, "monotonic", clock)
    return clock


ASKED = Settings(tune=500, draws=1000, chains=2, cores=2)
MINUTE = Estimate(0.0, 0.0, 0.04, 0.0)  # of sampling


def test_all_are_made_shorter_alike_before_one_is_left_out(clock: Clock) -> None:
    limit = TimeLimit(3.0, begun=clock.now - 10, ready=clock.now)
    limit.after = 20.0  # of each model
    assert limit.length([MINUTE] * 2, ASKED) == ASKED  # 160 s take both, and their reports
    five = limit.length([MINUTE] * 5, ASKED)
    assert five is not None
    # 170 s less five reports, for five minutes of sampling
    assert (five.tune, five.draws) == (500 * 70 // 300, 1000 * 70 // 300)
    # of nine there is time for seven: 30 of 420 s are too short, and so are 50 of 360
    seven = limit.length([MINUTE] * 9, ASKED)
    assert seven is not None
    assert seven.draws == 1000 * 50 // 360
    clock.now += 145
    assert limit.length([MINUTE], ASKED) is None  # 5 s


def test_what_models_took_counts_for_those_to_come(clock: Clock) -> None:
    limit = TimeLimit(2.0, begun=clock.now - 8, ready=clock.now)
    first = limit.length([MINUTE] * 3, ASKED)
    assert first is not None
    # each report is to take 0.75 times as long as the command took to begin
    assert first.draws == int(1000 * (112 - 18) / 180)
    clock.now += 62
    limit.learn(estimated=20.0, sampled=40.0, after=22.0)
    then = limit.length([MINUTE] * 2, ASKED)
    assert then is None or then.draws >= 100
    # 50 s for one model, that takes twice as long as was estimated, and its report
    assert then is not None
    assert then.draws == int(1000 * (50 - 22) / 120)


def test_sampling_ends_where_it_stands_if_it_is_much_too_late(clock: Clock) -> None:
    limit = TimeLimit(1.0, begun=clock.now, ready=clock.now)
    limit.after = 6.0
    clock.now += 59.9
    assert not limit.too_late()  # a tenth of the time more, less the report
    clock.now += 0.2
    assert limit.too_late()


@pytest.mark.parametrize("minutes", [0, -1.0, float("nan"), float("inf"), "3", True])
def test_minutes_that_are_none_are_refused(minutes: Any) -> None:
    with pytest.raises(InputError, match=r"^--minutes .*: give a number above 0, as in 5\.$"):
        check_minutes(minutes)


def test_what_there_is_when_time_is_over_is_kept(tmp_path: Path) -> None:
    settings = Settings(hidden=(), draws=60, tune=20, chains=1, cores=1, minutes=5.0)
    prepared = prepare(houses(), "price", task="regression")
    variants = ["gaussian", "scaled"]
    made = build_models(prepared, variants, settings)
    limit = TimeLimit(5.0, time.monotonic(), time.monotonic())
    timed = {"gaussian": time_model(made["gaussian"], settings)}
    plan = Schedule(settings, timed, limit, variants)
    drawn: list[Any] = []

    class Late(Progress):
        def draw(self, trace: Any, draw: Any) -> None:
            drawn.append(draw)
            if len(drawn) == 50:
                limit.begun -= 1e4

    progress = Late(variants, 1, 20, 60)
    fits = fit_models(made, prepared, plan, tmp_path, progress)
    assert plan.late == fits.interrupted == "gaussian"
    kept = load_fit(fits.paths["gaussian"])["posterior"].sizes["draw"]
    assert 25 <= kept <= 35
    assert kept_of(fits, plan) == f"of gaussian, {kept} of 60 draws of 1 of 1 chains are kept"
    assert notes_on_time(plan, variants, fits) == (
        f"5 minutes had passed, and sampling was ended: {kept_of(fits, plan)}.",
        "There was no time in 5 minutes for scaled.",
    )


def pretending(seconds: dict[str, float]) -> Any:
    """Time models truly, and say that a draw takes other seconds."""

    def pretend(model: models.BNN, settings: Settings) -> Timed:
        found = time_model(model, settings)
        prior = next(iter(model.priors.values()))
        return found._replace(
            estimate=Estimate(0.0, 0.0, seconds[type(prior).__name__], found.estimate.size)
        )

    return pretend


@pytest.mark.usefixtures("without_plots")
def test_a_comparison_keeps_to_minutes_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    houses().to_csv(tmp_path / "houses.csv", index=False)
    lasting = {"Gaussian": 0.75, "Scaled": 0.375, "ARD": 1e6}
    for module in (timing, schedule):
        monkeypatch.setattr(module, "time_model", pretending(lasting))
    command = ["compare", tmp_path / "houses.csv", "--target", "price", "--task", "regression"]
    command += ["--variants", "gaussian,scaled,ard", "--hidden", "0"]
    command += ["--draws", "200", "--tune", "200", "--chains", "1", "--cores", "1"]
    out = tmp_path / "report"
    run = call(*command, "--minutes", "3", out=out)
    assert run.code == 0, run.said
    assert "400 draws of 1 chains, 1 at a time, will take about 300 s (750 ms each)" in run.said
    assert "Estimate of the first 2: 450 s of sampling and 0." in run.said
    fit = load_fit(out / "fits" / "gaussian.zarr")
    draws = fit["posterior"].sizes["draw"]
    # 3 minutes, less 15% for the report and what went before, for 450 s and 300 of the last model
    assert 20 < draws <= 200 * 0.85 * 180 / 750
    assert json.loads(fit.attrs["length"]) == {"tune": draws, "draws": draws}
    assert f"the 200 + 200 draws that were asked for: gaussian {draws} + {draws}." in run.said
    # sampling was quicker than was said, so that there is time for all draws of the next one
    assert load_fit(out / "fits" / "scaled.zarr")["posterior"].sizes["draw"] == 200
    assert "There was no time in 3 minutes for ard." in run.said
    page = (out / "report.html").read_text("utf-8")
    assert "To keep to 3 minutes, chains are shorter" in page
    assert f"s, where {draws * 1.5 + 150:.0f} s were estimated" in page
    table = pd.read_csv(out / "comparison.csv", index_col="model")
    assert table.loc["scaled", "estimated_seconds"] == 150.0
    assert "--minutes 3" in page

    again = call(*command, "--minutes", "3", out=out)
    assert "gaussian: kept from an earlier run" in again.said
    assert "scaled: kept from an earlier run" in again.said
    assert f"the 200 + 200 draws that were asked for: gaussian {draws} + {draws}." in again.said
    assert "To keep to 3 minutes" in (out / "report.html").read_text("utf-8")
    longer = call(*command, "--minutes", "5", out=out)
    assert longer.code == 2
    assert "(minutes: 3.0 there, 5.0 now); name another folder" in longer.said

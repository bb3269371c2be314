"""A comparison from the command line ends with the options that go with what it found."""

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from pymc_bnn.models import GaussianNoise, Poisson, StudentTNoise
from pymc_bnn.samplers.diagnosis.findings import Finding
from pymc_bnn.studies.cli import app
from pymc_bnn.studies.comparison import options
from pymc_bnn.studies.comparison.asked import settings_of
from pymc_bnn.studies.comparison.options import ELSEWHERE, options_of
from pymc_bnn.studies.comparison.request import Request

from ..conftest import Run

WIDE = (16, 16)


def finding(name: str, severity: str = "warning", value: float = 1.0) -> Finding:
    return Finding(name, severity, value, 0.0, "", "Something is wrong.", "Do something.")


def result(
    *findings: Finding, name: str = "ard", hidden: tuple[int, ...] = (8,), bad_cases: int = 0
) -> Any:
    """What is asked of a model."""
    made = SimpleNamespace(name=name, bad_cases=bad_cases)
    made.convergence = SimpleNamespace(diagnosis=SimpleNamespace(findings=findings))
    made.model = SimpleNamespace(hidden=hidden, likelihood=object.__new__(GaussianNoise))
    made.standing = SimpleNamespace(obstacle=None)
    return made


APART, SLOW = finding("R-hat", "error"), finding("bulk ESS")


@pytest.mark.parametrize(
    ("found", "asked", "said"),
    [
        (SLOW, {}, "For chains that are 4 times as long: --draws 4000 --tune 2000."),
        (
            SLOW,
            {"draws": 200, "tune": 100, "minutes": 5.0},
            "For longer chains: more --minutes, or --draws 800 --tune 400 without them.",
        ),
        (finding("divergences"), {}, "For smaller steps: --target-accept 0.98."),
        (
            finding("divergences"),
            {"target_accept": 0.98},
            "For smaller steps: --target-accept 0.99.",
        ),
        (finding("acceptance"), {}, "For a longer warm-up: --tune 2000."),
        (finding("chains", "error"), {}, "For chains that can be compared: --chains 4."),
        (finding("draws"), {"draws": 20}, "For chains that can be judged: --draws 1000."),
    ],
)
def test_a_finding_comes_with_its_option(found: Finding, asked: dict[str, Any], said: str) -> None:
    assert options_of(Request(**asked), [result(), result(found)]) == (said, ELSEWHERE)


@pytest.mark.parametrize(
    "found",
    [
        finding("divergences", "note"),
        finding("R-hat", "error", float("nan")),  # no chain is known to be apart
        finding("still", "error"),
        finding("draws"),  # as many as are enough were asked for, and fewer are there
    ],
)
def test_nothing_is_said_where_no_option_goes_with_it(found: Finding) -> None:
    assert options_of(Request(), [result(found)]) == ()


def test_other_models_are_named_where_chains_are_apart() -> None:
    """As long as they are not there yet, and without a promise."""
    _, said, last = options_of(Request(), [result(APART, hidden=WIDE)])
    assert last == ELSEWHERE
    assert "may agree, which may predict worse" in said
    named = ["--variants scaled", "--hidden 8", "--likelihood heteroscedastic_noise"]
    assert re.findall(r"--\w+ \w+", said) == named
    scaled = result(name="scaled", hidden=WIDE)
    assert "--variants" not in str(options_of(Request(), [result(APART, hidden=WIDE), scaled]))
    assert "--hidden" not in str(options_of(Request(), [result(APART)]))
    counts = result(APART, name="scaled")
    for other in (Poisson, StudentTNoise):
        counts.model.likelihood = object.__new__(other)
        assert len(options_of(Request(), [counts])) == 2
        assert "--likelihood" not in str(options_of(Request(), [result(APART), counts]))
    assert len(options_of(Request(), [result(finding("R-hat"), hidden=WIDE)])) == 2


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, ("For a repair of leave-one-out: --moment-match, then --refit.",)),
        ({"moment_match": True}, ("For a repair of leave-one-out: --refit.",)),
        ({"moment_match": True, "refit": True}, ()),
        (
            {"minutes": 5.0},
            (
                "For a repair of leave-one-out: --moment-match, then --refit, without --minutes; "
                "fits are made anew for that, in another folder, by --out.",
            ),
        ),
    ],
)
def test_repairs_of_leave_one_out_are_named(asked: dict[str, Any], said: tuple[str, ...]) -> None:
    assert options_of(Request(**asked), [result(bad_cases=2)]) == said
    broken = result(bad_cases=2)
    broken.standing.obstacle = "chains disagree."
    assert options_of(Request(**asked), [broken]) == ()


@pytest.mark.parametrize("minutes", [None, 5.0])
def test_the_folder_stays_where_fits_are_those_of_a_repair(minutes: float | None) -> None:
    """Settings of fits know nothing of repairs, but of minutes, which repairs are refused with."""
    asked = Request(minutes=minutes)
    [said] = options_of(asked, [result(bad_cases=2)])
    repair = replace(asked, minutes=None, moment_match=True, refit=True)
    same = settings_of(asked) == settings_of(repair)
    assert same == ("another folder" not in said)


def test_the_command_line_has_all_options_that_are_named() -> None:
    command = typer.main.get_command(app).commands["compare"]  # type: ignore[attr-defined]
    there = {option for parameter in command.params for option in parameter.opts}
    with open(options.__file__, encoding="utf-8") as source:
        named = set(re.findall(r"--[a-z][a-z-]+", source.read()))
    assert len(named) >= 9
    assert named <= there


def test_options_are_said_on_the_console_and_in_the_report(houses_run: Run) -> None:
    said = "For chains that can be judged: --draws 1000."
    assert f"- {said}" in houses_run.said.splitlines()
    assert f"<li>{said}</li>" in (houses_run.out / "report.html").read_text("utf-8")

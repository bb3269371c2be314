"""What the thesis says of one network each, and the longest trajectories: numbers and verdicts."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
from pymc_bnn.studies.choo2000.design.starts import is_inside
from pymc_bnn.studies.choo2000.numbers import beside, beyond, discussed, larger
from pymc_bnn.studies.choo2000.numbers.data import NOISE, cases
from pymc_bnn.studies.choo2000.numbers.results import Results
from pymc_bnn.studies.choo2000.runs.discussed import REGION_KEY, region_rejections
from pymc_bnn.studies.choo2000.runs.master import summarize_master
from pymc_bnn.studies.choo2000.runs.rejections import LONGEST, curves, trajectories
from pymc_bnn.studies.choo2000.words import chapter_6
from pymc_bnn.studies.choo2000.words import discussed as words
from pymc_bnn.studies.choo2000.words.judgements import same_at_all
from pymc_bnn.studies.choo2000.words.ruled import ruled
from pymc_bnn.studies.reproduction.unit_store import save_unit

from .test_choo2000_page import STRATA, save_master, save_trial

DOCS = Path(__file__).parents[3] / "docs" / "studies"
VERDICT = re.compile(
    r"\b(agrees within|differs|differ,|undecided|confirmed|refuted|met|missed)\b", re.IGNORECASE
)


def save_curves(folder: Path, width: int, figure: str, longest: float) -> None:
    """Curves that stay at 0.1 up to 2000 leapfrog steps."""
    for curve in curves((width,)):
        if curve.figure == figure:
            rates = [longest if length == LONGEST else 0.1 for length in curve.lengths]
            rejection = np.array(rates)[:, None] + 0.01 * np.tile([-1.0, 1.0], 25)
            coords = {"n_leapfrog": list(curve.lengths), "stratum": ("start", STRATA)}
            data = {"rejection": (("n_leapfrog", "start"), rejection)}
            save_unit(xr.Dataset(data, coords), folder, curve.key)


def test_the_longest_trajectories_are_judged_as_well(tmp_path: Path) -> None:
    save_master(tmp_path, 0.25, interweave=1, width=20)
    save_curves(tmp_path, 20, "6.2", 0.5)
    results = Results(tmp_path, replace(BUDGETS["desk"], widths=(20,)))
    table = beside.thesis_curves(beyond.thesis_curves(results))
    assert table["growth"].tolist() == pytest.approx([1.0] * 3)
    assert table[f"growth to {LONGEST}"].tolist() == pytest.approx([5.0] * 3)
    said = chapter_6.chapter_6(table)
    assert "Those of A are fairly flat (6.2): confirmed, 1.00" in said
    assert "Those of A are fairly flat (6.2): refuted, 5.00" in said
    assert said.count("after 17067 leapfrog steps") == 5
    assert said.endswith(
        "were added after those of 2000 had been seen; there are 4 times fewer of them."
    )
    assert chapter_6.STATEMENTS == 18
    assert trajectories(LONGEST, BUDGETS["paper"].repeats) == 12  # the thesis's


def test_curves_that_end_sooner_say_nothing_of_the_longest(tmp_path: Path) -> None:
    save_master(tmp_path, 0.25, interweave=1)
    save_curves(tmp_path, 8, "6.7", 0.5)
    results = Results(tmp_path, replace(BUDGETS["desk"], widths=(8,)))
    table = beside.thesis_curves(beyond.thesis_curves(results))
    assert table[f"at {LONGEST}"].isna().all()
    assert "17067" not in chapter_6.chapter_6(table)


def test_trajectories_start_in_the_region_and_outside(tmp_path: Path) -> None:
    draws = save_master(tmp_path, 0.25, interweave=1)
    found, again = (region_rejections(tmp_path, 8, (1,)) for _ in range(2))
    inside = int(is_inside(draws).sum())
    assert (found["stratum"] == "inside").sum() == inside == 50
    assert found["rejection"].size == draws.sizes["draw"]
    assert ((found["rejection"] >= 0) & (found["rejection"] <= 1)).all()
    assert found.identical(again)
    rates = xr.Dataset(
        {"rejection": ("start", [0.1, 0.2, 0.3, 0.1])},
        {"stratum": ("start", ["inside", "inside", "outside", "outside"])},
    )
    save_unit(rates, tmp_path, REGION_KEY)
    table = discussed.region_rejections(Results(tmp_path, BUDGETS["desk"]))
    assert table[["inside", "outside"]].iloc[0].tolist() == pytest.approx([0.15, 0.2])
    assert table["error inside"].iloc[0] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("inside", "error", "answers"),
    [
        (0.12, 0.004, ("confirmed", "agrees")),
        (0.04, 0.004, ("refuted", "differs")),
        (0.08, 0.02, ("undecided", "undecided")),
    ],
)
def test_rejections_in_the_region_have_every_verdict(
    inside: float, error: float, answers: tuple[str, str]
) -> None:
    row = {"outside": 0.06, "error outside": 0.001, "inside": inside, "error inside": error}
    said = words.region_rejections(discussed.with_thesis_rate(pd.DataFrame([row]))).splitlines()
    assert [line.split(": ")[1].split()[0].strip(",") for line in said] == list(answers)


@pytest.mark.parametrize(
    ("g", "over", "answers"),
    [
        ((0.14, 0.13, 0.151), (1.9, 1.5, 2.4), ("agrees", "confirmed")),
        ((0.5, 0.45, 0.56), (0.5, 0.4, 0.6), ("differs", "refuted")),
        ((0.2, 0.1, 0.4), (1.2, 0.8, 1.8), ("undecided", "undecided")),
    ],
)
def test_slow_precisions_have_every_verdict(
    g: tuple[float, ...], over: tuple[float, ...], answers: tuple[str, str]
) -> None:
    row = dict(zip(("g", "low", "high"), g, strict=True))
    row |= dict(zip(("over B's", "its low", "its high"), over, strict=True))
    table = discussed.with_thesis_g(pd.DataFrame([row]))
    assert table["thesis over B's"].iloc[0] == pytest.approx(1.88, abs=0.01)
    said = words.slowed(table).splitlines()
    assert [line.split(": ")[1].split()[0].strip(",") for line in said] == list(answers)


def test_products_of_scales_are_those_of_the_draws(tmp_path: Path) -> None:
    draws = save_master(tmp_path, 0.25, interweave=1)  # a quarter has log sigma_u = 6.5
    results = Results(tmp_path, replace(BUDGETS["smoke"], widths=(8,)))
    table = discussed.expected(discussed.scale_products(results))
    logs = 2 * draws["log_sigma"].sel(hyperparameter=["u", "v"]).sum("hyperparameter").values
    row = table.iloc[0]
    assert row["prior's product"] == pytest.approx(0.45**2)
    assert row["beyond e^12"] == pytest.approx((logs > 12).mean())
    assert row["expected in the thesis"] == pytest.approx(5000 * (logs > 12).mean())
    assert row["too large, 50%"] == pytest.approx(np.exp(np.median(logs) / 2) / 0.45)
    assert "confirmed" in words.scale_products(table)
    for count, answer in ((0.2, "refuted"), (1.5, "undecided")):
        other = table.assign(**{"expected in the thesis": count, "its error": 0.3})
        assert f"or more: {answer}" in words.scale_products(other)


def test_means_from_the_region_are_compared_alone(tmp_path: Path) -> None:
    save_master(tmp_path, 0.1, interweave=0)
    means = summarize_master(save_master(tmp_path, 0.25, interweave=1))["mean"]
    grid = BUDGETS["smoke"].grids["gibbs"]
    save_trial(tmp_path, "again-gibbs-8-50-0.4", means, 1.0, 4.0)
    save_trial(tmp_path, "again-dynamical_b-8-50-0.4", means, 3.0, 2.0)
    grids = dict.fromkeys(("gibbs", "dynamical_b"), grid)
    results = Results(tmp_path, replace(BUDGETS["smoke"], widths=(8,), grids=grids))
    table = discussed.tail_at_once(discussed.from_the_tail(results))
    assert table["ratio"].tolist() == pytest.approx([4.0])
    assert "Gibbs is worse than Dynamical B from there, 8 units: confirmed, 4.00" in (
        words.from_the_tail(table)
    )


def test_shares_that_differ_by_more_than_errors() -> None:
    assert same_at_all([0.05, 0.07, 0.05], [0.005] * 3).startswith("differ, chi squared is 10.7")
    assert same_at_all([0.05, 0.06, 0.05], [0.01] * 3).startswith("undecided")


def test_no_verdict_is_linked_where_there_is_none() -> None:
    assert ruled("- a: no results to compare yet.", "agreement").endswith("yet.")
    assert ruled("1.2 times; not judged.", "agreement").endswith("judged.")
    assert ruled("Head:\n\n- a: met.", "target").endswith("met. ([target](#how-claims-are-judged))")


@pytest.mark.parametrize("name", ["choo2000", "choo2000_paper"])
def test_each_verdict_has_its_rule_one_click_away(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text("utf-8")
    assert page.count("## How claims are judged\n") == 1
    rules, told = page.split("## How claims are judged\n")[1].split("## The thesis again")
    lines = told.split("## What differs, and why")[0].splitlines()
    judged = [line for line in lines if line.startswith("- ") and VERDICT.search(line)]
    assert judged
    for line in judged:
        names = re.search(r"\(\[([a-z, ]+)\]\(#how-claims-are-judged\)\)$", line)
        assert names is not None, line
        assert all(f"- *{one}*:" in rules for one in names[1].split(", "))


def test_the_page_of_long_runs_begins_with_what_was_found() -> None:
    page = (DOCS / "choo2000_paper.md").read_text("utf-8")
    head = page.split("## What was found\n")[1].split("\nBudget `paper`")[0]
    assert head.count("\n- ") == 5
    assert head.count("```{figure} ../_static/choo2000_paper/shares.png") == 1


def test_the_variance_of_u_is_not_shown_to_be_larger_by_all_methods() -> None:
    """Geometric means of ratios that were computed apart from this code."""
    names = ("variances", "references")
    kept = {name: pd.read_csv(DOCS / "choo2000" / f"{name}.csv") for name in names}
    table = larger.larger(kept).query("hyperparameter == 'u'").set_index("true means")
    found = table[larger.TIMES]
    assert found["interweaved"] == pytest.approx(1.695, abs=1e-3)
    assert found["plain"] == pytest.approx(1.644, abs=1e-3)
    assert table.loc["interweaved", "error of its log"] == pytest.approx(0.2212, abs=1e-4)
    for low, high, answers in (
        (1.1, 3.0, ("confirmed", "undecided")),
        (0.5, 0.9, ("refuted",) * 2),
    ):
        row = {larger.TIMES: 1.5, "low": low, "high": high, "hyperparameter": "u"}
        one = pd.DataFrame([row | {"true means": "plain"}])
        said = words.times_thesis(one).splitlines()
        assert [answer in line for answer, line in zip(answers, said, strict=True)] == [True, True]


def test_cases_have_the_noise_of_the_thesis() -> None:
    table = cases({})
    assert (table["residual"] ** 2).sum() / NOISE**2 == pytest.approx(7.208, abs=1e-3)
    assert "undecided at 25%" in words.noise_of(table)  # eight cases cannot say more
    assert "differs" in words.noise_of(table.assign(residual=10 * table["residual"]))
    many = pd.concat([table] * 50, ignore_index=True)
    assert "agrees within 25%" in words.noise_of(many)

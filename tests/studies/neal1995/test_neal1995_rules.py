"""The page of the study of Neal (1995): what its rules and words make of numbers."""

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.samplers.trajectories.correlations import autocorrelation
from pymc_bnn.studies.neal1995.design.budgets import BUDGETS
from pymc_bnn.studies.neal1995.design.settings import SETTINGS
from pymc_bnn.studies.neal1995.words.dynamics import along, errors, mended, sampling
from pymc_bnn.studies.neal1995.words.functions import functions
from pymc_bnn.studies.neal1995.words.judgements import as_ratios, most_by_chance, within
from pymc_bnn.studies.neal1995.words.methods import edges
from pymc_bnn.studies.neal1995.words.networks import widths
from pymc_bnn.studies.neal1995.words.page import PAGE
from pymc_bnn.studies.neal1995.words.sections import CHAPTER_2
from pymc_bnn.studies.pages.page import rewrite_page
from pymc_bnn.studies.reproduction.estimates import Estimate
from pymc_bnn.studies.reproduction.verdicts import Verdict

DOCS = Path(__file__).parents[3] / "docs"


def kept(name: str) -> pd.DataFrame:
    return pd.read_csv(DOCS / "studies" / "neal1995" / f"{name}.csv")


def test_the_largest_of_many_differences_may_be_larger() -> None:
    stands, fails, undecided = Verdict.STANDS, Verdict.FAILS, Verdict.UNDECIDED
    assert [within(z, 12) for z in (2.8, 2.9, 3.2, 3.4)] == [stands, undecided, undecided, fails]
    found = [within(z, 672) for z in (2.9, 3.4, 4.0, np.nan)]
    assert found == [stands, undecided, fails, undecided]
    draws = np.abs(np.random.default_rng(0).normal(size=(4000, 96))).max(axis=1)
    assert (draws > most_by_chance(96)).mean() == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize(
    ("rows", "z", "verdict"),
    [
        (1, 3.0, "Stands"),
        (1, 3.2, "Undecided"),
        (1, 3.6, "Does not stand"),
        (24, 3.2, "Stands"),
        (24, 3.6, "Undecided"),
        (24, 4.0, "Does not stand"),
    ],
)
def test_differences_of_functions_are_judged_by_how_many_there_are(
    rows: int, z: float, verdict: str
) -> None:
    table = kept("functions").iloc[:rows]
    said = functions({"functions": table.assign(**{"largest z": z})})
    assert f"is seen. **{verdict}.** the largest of {28 * rows} differences is {z:g} " in said


@pytest.mark.parametrize(
    ("name", "column", "number"),
    [
        ("functions", "excess kurtosis", "the kurtosis of outputs of one layer; the largest of 12"),
        ("covariances", "largest z", "covariances; the largest of 672"),
        ("layers", "largest z", "covariances of more than one layer; the largest of 336"),
        ("stable", "largest z", "characteristic functions; the largest of 96"),
    ],
)
def test_each_picture_of_chapter_2_has_a_number_that_can_fail(
    name: str, column: str, number: str
) -> None:
    section, one = next((s, p) for s in CHAPTER_2 for p in s.pictures if p.name == name)
    for value, verdict in ((0.0, "Stands"), (9.0, "Does not stand")):
        table = kept(section.table).assign(**{column: value, "closed form": 0.0})
        text = section.write({section.table: table}, {name: Path(f"{name}.png")})
        said = text.split(one.caption)[-1]
        assert f"Number: {number}" in said
        assert f"Verdict: {verdict}." in said


def test_layers_are_judged_by_their_own_covariances() -> None:
    table = kept("functions")
    table.loc[table["layers"] == 1, "largest z"] = 9.0
    judged = {p.name: p.judge({"functions": table}) for p in CHAPTER_2[0].pictures if p.judge}
    assert "Verdict: Does not stand." in judged["covariances"]
    assert "Verdict: Stands." in judged["layers"]


def test_settings_at_an_edge_of_what_was_tried_are_named() -> None:
    table = kept("methods")
    beyond, inside = edges(table, SETTINGS).split("Settings that give most and lie inside: ")
    for said in (
        "persistence (L 4000, eta 0.4, persistence 0.5)",
        "windows (L 4000, eta 0.4, window 400)",
        "partial gradients (L 8000, eta 0.15, batches 2)",
        "Metropolis (step 0.001)",
    ):
        assert said in beyond
    assert "HMC (L 4000, eta 0.4)" in beyond  # as no larger factor was tried at that length
    assert inside == "none."
    middle = (table["method"] == "Metropolis") & (table["setting"] == "step 0.0003")
    table.loc[middle, "per million"] *= 10
    assert edges(table, SETTINGS).endswith("lie inside: Metropolis (step 0.0003).")


def test_what_a_short_trajectory_takes_off_correlations_is_given_back() -> None:
    rng, rho = np.random.default_rng(2), 0.8
    noise = rng.normal(size=(400, 101)) * np.sqrt(1 - rho**2)
    series = rng.normal(size=(400, 1)) * np.ones((1, 101))
    for t in range(1, 101):
        series[:, t] = rho * series[:, t - 1] + noise[:, t]
    found = autocorrelation(series.T)
    rows = [
        {"set": k, "leapfrogs": 100 * lag, "output": found[lag, k]}
        for k in range(400)
        for lag in (5, 20, 30)
    ]
    table = pd.DataFrame(rows)
    around = table[table["leapfrogs"] == 500]["output"].mean()
    one = mended(table, "output", 500)
    missing = rho**5 - around
    assert missing > 0.04
    assert rho**5 - missing / 2 < one.value < rho**5 + 3.5 * one.error  # most of it, not more


@pytest.mark.parametrize(
    ("more", "late", "verdict"),
    [
        (0.0, 0.0, "Undecided"),
        (0.0, 0.06, "Stands"),  # nothing to give back
        (-0.1, 0.0, "Stands"),
        (0.3, 0.0, "Does not stand"),
    ],
)
def test_outputs_are_judged_by_what_is_given_back(more: float, late: float, verdict: str) -> None:
    table = kept("along")
    table.loc[table["leapfrogs"] == 500, "output"] += more
    table.loc[table["leapfrogs"] >= 2000, "output"] += late
    assert f"after 500 leapfrogs. **{verdict}.**" in along({"along": table})


@pytest.mark.parametrize(
    ("reached", "verdict"),
    [([25.0, 25.0, 26.0], "Stands"), ([25.0, 25.0, 26.0, np.inf], "Undecided")],
)
def test_chains_that_never_reach_equilibrium_leave_it_undecided(
    reached: list[float], verdict: str
) -> None:
    rows = [
        {"set": k, "way": "plain", "L": length, "reached": one, "effective per million": 1.0}
        for length in (125, 2000, 8000, 32_000)
        for k, one in enumerate(reached)
    ]
    said = sampling({"sampling": pd.DataFrame(rows)})
    assert f"25, that is 12.5 to 37.5. **{verdict}.**" in said
    assert ("1 of 4 chains never do" in said) == (verdict == "Undecided")


def test_the_bin_of_a_factor_of_0_3_counts_among_those_of_0_3_to_0_5() -> None:
    table = kept("errors")
    high = table["eta"] == 0.3
    assert "**Stands.** above" in errors({"errors": table})
    said = errors({"errors": table.assign(large=table["large"].where(~high, 1.0))})
    low = table[(table["eta"] < 0.5) & ~high & (table["eta"] > 0.3)]["large"].mean()
    assert f"below: {100 * (1 + 3 * low) / 4:.3g} " in said


def test_the_page_says_how_long_chains_are() -> None:
    run = {"sampling": kept("sampling"), "run": kept("run")}
    budget = BUDGETS["paper"]
    one = 1e6 / (0.75 * 32_000 * np.array([budget.later, budget.woven]))
    assert f"have {budget.later} super-transitions and interweaved ones {budget.woven}" in sampling(
        run
    )
    assert f"is {one[0]:.3g} per million gradients without interweaving and {one[1]:.3g}" in (
        sampling(run)
    )


def test_a_ratio_has_the_interval_by_which_all_are_judged() -> None:
    one = {"0.4": Estimate(0.0, 0.1, 19.0)}
    low, high = np.exp(one["0.4"].interval(12))
    assert as_ratios(one, 12) == f"0.4: 1 ({low:.3g} to {high:.3g})" != as_ratios(one)
    said = re.search(
        r"of 12 others, at 0.4: .*? \((.*?) to (.*?)\)", errors({"errors": kept("errors")})
    )
    assert said is not None
    each = kept("errors").pivot(index="set", columns="eta", values="acceptance")
    gap = np.log(0.4 * each[0.4] / (0.3 * each[0.3]))
    found = Estimate(gap.mean(), gap.std() / np.sqrt(len(gap)), len(gap) - 1)
    assert [f"{end:.3g}" for end in np.exp(found.interval(12))] == list(said.groups())


def test_an_excess_is_compared_on_the_data_sets_that_both_have() -> None:
    table = kept("widths")
    limit = (table["prior"] == "learnt") & (table["way"] == "limit")
    base = (table["prior"] == "learnt") & (table["way"] == "network") & (table["units"] == 16)
    there = table[limit & (table["k"] <= 0.7)]["set"]
    level = table[base & table["set"].isin(there)]["excess"].mean()
    said = widths({"widths": table})
    assert f"excess of {level:.3g} on {len(there)} of 20 data sets" in said
    assert f"of an error of {400 + level:.0f}" in said
    assert len(there) < 20


def test_the_page_says_what_its_tables_say(tmp_path: Path) -> None:
    """If this fails, write the page anew by `pages.page.rewrite_page` and read what changed."""
    for folder in ("studies", "_static"):
        shutil.copytree(DOCS / folder / "neal1995", tmp_path / folder / "neal1995")
    page = rewrite_page(PAGE, BUDGETS["paper"], tmp_path)[0]
    assert page.read_text() == (DOCS / "studies" / "neal1995.md").read_text()

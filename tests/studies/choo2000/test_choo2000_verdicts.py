"""What the pages of Choo's study say: rules with every outcome, and the committed pages."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.chains.bootstrap import Interval
from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
from pymc_bnn.studies.choo2000.numbers import beside, judged
from pymc_bnn.studies.choo2000.words import beyond_words, chapter_6, text
from pymc_bnn.studies.choo2000.words import table_words as words
from pymc_bnn.studies.choo2000.words.judgements import larger, smaller, target
from pymc_bnn.studies.choo2000.words.page import PAGE
from pymc_bnn.studies.pages.page import rewrite_page

DOCS = Path(__file__).parents[3] / "docs"
TABLES = DOCS / "studies" / "choo2000"


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(TABLES / f"{name}.csv", dtype={"figure": str})


def test_a_target_is_met_missed_or_undecided() -> None:
    assert target(Interval(0.04, 0.03, 0.049), 0.05) == "met"
    assert target(Interval(0.04, 0.03, 0.051), 0.05) == "undecided"
    assert target(Interval(0.06, 0.04, 0.07), 0.05) == "undecided"
    assert target(Interval(0.06, 0.051, 0.07), 0.05) == "missed"
    assert target(Interval(np.nan, np.nan, np.nan), 0.05) == "not measured"


@pytest.mark.parametrize(
    ("ends", "answers"),
    [
        ((0.5, 0.9), ("yes", "no")),
        ((0.5, 1.1), ("undecided", "undecided")),
        ((1.1, 1.5), ("no", "yes")),
        ((np.nan, np.nan), ("not measured", "not measured")),
    ],
)
def test_ratios_are_compared_by_their_intervals(
    ends: tuple[float, float], answers: tuple[str, str]
) -> None:
    ratio = Interval(float(np.mean(ends)), *ends)
    assert (smaller(ratio), larger(ratio)) == answers


@pytest.mark.parametrize(
    ("growth", "answers"),
    [
        ((1.1, 1.0, 1.2), ("confirmed", "refuted")),
        ((1.3, 1.1, 1.5), ("undecided", "undecided")),
        ((3.0, 2.5, 3.6), ("refuted", "confirmed")),
    ],
)
def test_what_chapter_6_says_of_one_sampler(
    growth: tuple[float, float, float], answers: tuple[str, str]
) -> None:
    shared = {"figure": "6.2", "at 50": 0.1, "at 2000": 0.1 * growth[0]}
    shared |= {"error at 2000": 0.01, **dict(zip(("growth", "low", "high"), growth, strict=True))}
    said = chapter_6.chapter_6(
        pd.DataFrame([shared | {"sampler": name} for name in ("Dynamical A", "Dynamical B")])
    )
    assert f"Those of A are fairly flat (6.2): {answers[0]}" in said
    assert f"Those of B rise significantly (6.2): {answers[1]}" in said


@pytest.mark.parametrize(
    ("rates", "error", "answers"),
    [
        ((0.3, 0.1), 0.01, ("yes", "no")),
        ((0.1, 0.3), 0.01, ("no", "no")),
        ((0.1, 0.101), 0.002, ("undecided", "yes")),
        ((0.1, 0.1), 0.05, ("undecided", "undecided")),
    ],
)
def test_what_chapter_6_says_of_two_samplers(
    rates: tuple[float, float], error: float, answers: tuple[str, str]
) -> None:
    pair = [pd.Series({"at 2000": rate, "error at 2000": error}) for rate in rates]
    assert (chapter_6.lower(*pair)[0], chapter_6.same(*pair)[0]) == answers


def test_growth_is_shown_refuted_or_undecided() -> None:
    starts = ("as in the thesis", "interweaved", "others")
    slopes = zip(starts, (0.4, 0.0, -0.4), strict=True)
    rows = [["Gibbs", "8-20", start, slope, 0.1] for start, slope in slopes]
    columns = ["method", "widths", "start states", "slope", "error"]
    found = judged.slopes(pd.DataFrame(rows, columns=columns))
    assert found["grows"].tolist() == ["yes", "undecided", "no"]
    assert found["target"].tolist() == ["", "", ""]  # the target is the recommended method's
    said = beyond_words.slopes(found).splitlines()
    assert [line.split("growth ")[1] for line in said] == [
        "shown.",
        "not shown: undecided.",
        "refuted: it falls.",
    ]
    own = judged.slopes(pd.DataFrame(rows, columns=columns).assign(method="Collapsed Gibbs"))
    assert own["target"].tolist() == ["missed", "undecided", "met"]


def test_gains_are_judged_at_equal_seconds() -> None:
    row = {"method": "Collapsed Gibbs", "hidden units": 8}
    row |= {"ratio": 0.01, "low": 0.008, "high": 0.012, "seconds, of Gibbs's": 4.0}
    slower = [row | {"seconds, of Gibbs's": seconds} for seconds in (4.0, 6.0, 8.0, np.nan)]
    found = judged.gains(pd.DataFrame(slower))
    assert found["at equal seconds"].tolist()[:2] == pytest.approx([0.04, 0.06])
    assert found["target"].tolist() == ["met", "undecided", "missed", "not measured"]


def test_inefficiencies_without_errors_are_not_judged() -> None:
    said = words.inefficiency(table("inefficiencies"))
    assert "times the thesis's; not judged, as neither has an error" in said
    assert "undecided" not in said


def test_a_page_speaks_of_the_tables_that_it_has() -> None:
    every = pd.read_csv(DOCS / "studies" / "choo2000_paper" / "master_rejections.csv")
    assert beside.lengths({"master_rejections": every})["trajectories"].isna().sum() == 0
    runs = every[every["hidden units"] != 16]
    there = {"master_rejections": runs, "run": pd.DataFrame({"budget": ["paper"]})}
    there["lengths"] = beside.lengths(there)
    assert there["lengths"]["trajectories"].isna().tolist() == [False, False, True, False]
    said = "".join(text.preface(there))
    assert "with 16 hidden units have not been run" in said
    assert ("Methods have not been compared" in said, "chapter 5 stand" in said) == (True, True)
    more = there | {name: table(name) for name in ("gains", "thesis_curves", "inefficiencies")}
    said = "".join(text.preface(more))
    assert "Methods have not been compared" not in said
    assert ("chapters 5 and 6" in said, "tethers" in said) == (True, False)
    assert "A target is *met*" in said
    assert "are collapsed Gibbs's" in said
    lengths = text.what_differs({"lengths": beside.lengths({"master_rejections": every})})
    assert "as long as the thesis's, or longer, at 8, 12, 16, 20 units" in lengths
    short = beside.lengths({"master_rejections": every.assign(samples=600_000)})
    assert "shorter than the thesis's at 12 units, 16 units, 20 units" in text.what_differs(
        {"lengths": short}
    )
    passes = ["Passes are equal" in text.what_differs(tables) for tables in (there, more)]
    assert passes == [False, True]


def test_words_name_who_is_better() -> None:
    named = {"ratio of": "B / Gibbs", "hidden units": [8, 12, 16], "thesis recomputed": 1.0}
    ends = {"low": [0.8, 1.1, 0.7], "high": [0.9, 2, 1.5]}
    once = {f"{end}, at once": values for end, values in ends.items()}
    table = pd.DataFrame({**named, "ratio": 1.0, **ends, **once})
    said = words.pairs({"pairwise_ratios": table})
    assert "by 12 draws below 1 at 8 units, above 1 at 12 units" in said
    assert "at 1 of 3 widths" in said
    assert "all draws" not in said


def test_words_name_who_is_better_by_all_draws() -> None:
    """With other verdicts than by 12 draws, at all widths at once."""
    widths = {"hidden units": [8, 12, 16], "thesis recomputed": 1.0, "ratio": 1.0}
    ends = {"low": 0.5, "high": 2.0, "low, at once": 0.4, "high, at once": 2.5}
    table = pd.DataFrame({"ratio of": "B / Gibbs", **widths, **ends})
    every = {"method": "B", "hidden units": [8, 12, 16], "ratio": [0.5, 2.0, 0.8]}
    every |= {"low": [0.4, 1.6, 0.65], "high": [0.6, 2.5, 0.98]}
    kept = {"pairwise_ratios": table, "gains": pd.DataFrame(every)}
    assert (
        "by 12 draws below 1 nowhere, above 1 nowhere, and undecided elsewhere; by all draws below "
        "1 at 8 units, above 1 at 12 units, and undecided elsewhere" in words.pairs(kept)
    )
    # of pairs without Gibbs there are no ratios by all draws
    other = {"pairwise_ratios": table.assign(**{"ratio of": "B / A"})}
    assert "all draws" not in words.pairs(kept | other)


@pytest.mark.parametrize(
    ("grown", "rates", "verdict"),
    [
        ((6.0, 3.0), (0.6, 0.3), "yes"),
        ((3.0, 6.0), (0.3, 0.6), "no"),
        ((3.0, 3.1), (0.3, 0.31), "undecided"),
        ((3.0, 6.0), (0.99, 0.6), "undecided"),  # as far as it can
        ((6.0, 3.0), (0.99, 0.6), "yes"),
        ((6.0, 3.0), (0.6, 0.99), "undecided"),
        ((3.0, 6.0), (0.6, 0.99), "no"),
    ],
)
def test_rates_that_can_rise_no_further_are_not_refuted_to_rise(
    grown: tuple[float, float], rates: tuple[float, float], verdict: str
) -> None:
    pair = [
        pd.Series({"growth": g, "low": 0.9 * g, "high": g / 0.9, "at 2000": rate})
        for g, rate in zip(grown, rates, strict=True)
    ]
    assert chapter_6.steeper(*pair)[0] == verdict


@pytest.mark.parametrize("name", ["desk", "paper"])
def test_committed_pages_say_what_their_tables_say(name: str, tmp_path: Path) -> None:
    """If this fails, write the page anew by `pages.page.rewrite_page` and read what changed."""
    budget = BUDGETS[name]
    shutil.copytree(DOCS / "studies", tmp_path / "studies")
    shutil.copytree(DOCS / "_static", tmp_path / "_static")
    page, *files = rewrite_page(PAGE, budget, tmp_path)
    said = page.read_text(encoding="utf-8")
    assert said == (DOCS / "studies" / page.name).read_text("utf-8")
    assert f"\nBudget `{name}`, " in said
    for path in files:
        if path.suffix == ".csv":
            kept = DOCS / path.relative_to(tmp_path)
            assert path.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8")


def test_the_desk_shows_what_was_computed_by_hand() -> None:
    """Numbers that were checked apart from this code."""
    rho = beside.variances(table("variances")).dropna(subset=["z"])
    joint = {n: rows["z"].sum() / 12**0.5 for n, rows in rho.groupby("hyperparameter")}
    assert [round(joint[letter], 1) for letter in ("u", "delta")] == [2.1, 2.8]
    gains = judged.gains(table("gains")).query("method == 'Collapsed Gibbs'")
    seconds = gains["at equal seconds"].round(3).tolist()
    assert seconds == [0.051, 0.033, 0.025, 0.025, 0.015, 0.010]
    floors = beside.floors(table("floors"))
    ratio = (floors["thesis recomputed"] / floors["floor of 12 draws"]).dropna()
    assert (round(ratio.min(), 2), round(ratio.max(), 2)) == (0.95, 1.78)
    slopes = judged.slopes(table("slopes")).set_index("method")
    assert round(slopes.loc["Dynamical B", "thesis recomputed"], 2) == -0.33
    pairs = beside.pairwise_ratios(table("pairwise_ratios"))
    first = pairs.query("`ratio of` == 'Dynamical B / Gibbs' and `hidden units` == 8").iloc[0]
    assert round(first["thesis recomputed"], 2) == 1.36
    tails = table("tails").query("`log sigma above` == 8")
    assert (tails["z"] < 0).all()
    assert beyond_words.tails(judged.tails(tails)).startswith("- above 8: undecided")
    tails = table("tails").query("`log sigma above` == 6")
    assert beyond_words.tails(judged.tails(tails)).startswith("- above 6: undecided")

"""The page of the study of Neal (1995): what its rules and words make of numbers."""

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.neal1995.design.budgets import BUDGETS
from pymc_bnn.studies.neal1995.words.dynamics import errors
from pymc_bnn.studies.neal1995.words.functions import functions
from pymc_bnn.studies.neal1995.words.judgements import as_ratios, most_by_chance, within
from pymc_bnn.studies.neal1995.words.networks import widths
from pymc_bnn.studies.neal1995.words.page import PAGE
from pymc_bnn.studies.pages.page import rewrite_page
from pymc_bnn.studies.reproduction.estimates import Estimate
from pymc_bnn.studies.reproduction.verdicts import Verdict

DOCS = Path(__file__).parents[3] / "docs"


def kept(name: str) -> pd.DataFrame:
    return pd.read_csv(DOCS / "studies" / "neal1995" / f"{name}.csv")


def test_the_largest_of_many_differences_may_be_larger() -> None:
    stands, fails, undecided = Verdict.STANDS, Verdict.FAILS, Verdict.UNDECIDED
    assert [within(z, 12) for z in (2.8, 2.9)] == [stands, fails]
    found = [within(z, 588) for z in (2.9, 3.4, 4.0, np.nan)]
    assert found == [stands, undecided, fails, undecided]
    draws = np.abs(np.random.default_rng(0).normal(size=(4000, 96))).max(axis=1)
    assert (draws > most_by_chance(96)).mean() == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize(
    ("rows", "verdict"), [(1, "Does not stand"), (21, "Stands")], ids=["of 28", "of 588"]
)
def test_differences_of_functions_are_judged_by_how_many_there_are(rows: int, verdict: str) -> None:
    table = kept("functions").iloc[:rows]
    said = functions({"functions": table.assign(**{"largest z": 3.2})})
    assert f"is seen. **{verdict}.** the largest of {28 * rows} differences is 3.2 " in said


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

"""How the pages of the study begin, and what they say of how alike runs on ordinary tables were."""

import re
from pathlib import Path

import pytest
from pymc_bnn.studies.baldock2019.words import modes, ordinary
from pymc_bnn.studies.baldock2019.words.page import PAGE
from pymc_bnn.studies.baldock2019.words.short import FIRST, IN_SHORT
from pymc_bnn.studies.pages.kept_tables import Format

from .made_results import held, tables_of

DOCS = Path(__file__).parents[3] / "docs" / "studies"


@pytest.mark.parametrize("name", ["baldock2019", "baldock2019_gpu"])
def test_a_page_begins_with_five_answers_and_a_picture(name: str) -> None:
    text = (DOCS / f"{name}.md").read_text()
    head, _, rest = text.partition("## What was found\n")
    paragraph = head.strip().splitlines()[-2:]
    assert " ".join(paragraph).count(". ") <= 1
    answers, figure, _ = rest.partition("```{figure}")
    assert figure
    assert len(re.findall(r"^- .*\?", answers, re.MULTILINE)) == FIRST == 5
    assert answers.count("**") == 2 * FIRST


def test_all_other_answers_follow_the_picture() -> None:
    found = tables_of(held(1.0, 1.0, 2.0))
    sections = [s for s in PAGE.sections if s.title == "Separate modes"]
    said = modes.modes(found)
    only = [one for one in IN_SHORT.answers if one.section == "Separate modes" and one.write(said)]
    short = type(IN_SHORT)((*only, *only), IN_SHORT.picture)
    first, _, rest = short.write(sections, found, {IN_SHORT.picture: "A picture."}).partition(
        "A picture."
    )
    assert first.count("?") == FIRST
    assert rest.count("?") == 2 * len(only) - FIRST > 0


def test_hyperparameters_have_their_own_r_hat() -> None:
    made = tables_of(held(1.0, 1.0, 2.0))
    made["ordinary"]["R-hat hyper ladder"] = 1.5
    shown = ordinary.by_network(made)
    assert (shown["R-hat hyper ladder"] == 1.5).all()
    assert (shown["R-hat hyper alone"] < 1.5).all()
    count = len(made["ordinary"])
    assert f"which {count} networks have, for 0 and for {count}." in ordinary.ordinary(made)


def test_seconds_that_differ_are_counted() -> None:
    """More than a tenth to either side."""
    made = tables_of(held(1.0, 1.0, 2.0))
    table = made["ordinary"]
    table["seconds alone"], table["seconds ladder"] = 10.0, 10.9
    table.loc[table.index[:2], "seconds ladder"] = 11.1, 8.9
    assert f"for 2 of {len(table)} networks seconds differ by more than 10%" in ordinary.ordinary(
        made
    )


def test_43_of_90_committed_rows_are_within_a_tenth() -> None:
    """Mostly those whose trajectories have a fixed length."""
    table = Format().read(DOCS / "baldock2019" / "ordinary.csv")
    within = (table["seconds ladder"] / table["seconds alone"]).between(0.9, 1.1)
    assert (within.sum(), len(table)) == (43, 90)
    assert within[~table["prior"].str.contains("horseshoe")].sum() == 38

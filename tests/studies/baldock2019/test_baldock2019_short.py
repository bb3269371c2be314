"""How the pages of the study begin, and what they say of how alike runs on ordinary tables were."""

from pathlib import Path

import pytest
from pymc_bnn.studies.baldock2019.words import ordinary
from pymc_bnn.studies.pages.kept_tables import Format

from .made_results import held, tables_of

DOCS = Path(__file__).parents[3] / "docs" / "studies"


@pytest.mark.parametrize("name", ["baldock2019", "baldock2019_gpu"])
def test_the_first_paragraph_is_one_or_two_sentences(name: str) -> None:
    head = (DOCS / f"{name}.md").read_text().partition("## What was found\n")[0]
    assert " ".join(head.strip().splitlines()[-2:]).count(". ") <= 1


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


def test_39_of_90_committed_rows_are_within_a_tenth() -> None:
    """Mostly those whose trajectories have a fixed length."""
    table = Format().read(DOCS / "baldock2019" / "ordinary.csv")
    within = (table["seconds ladder"] / table["seconds alone"]).between(0.9, 1.1)
    assert (within.sum(), len(table)) == (39, 90)
    assert within[~table["prior"].str.contains("horseshoe")].sum() == 39

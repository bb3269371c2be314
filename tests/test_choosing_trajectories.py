"""What the page on choosing trajectories says of its tables."""

from pathlib import Path

import pandas as pd

from .benchmarks.choosing_trajectories import ENOUGH, LEAST, TABLES, outcomes

DOCS = Path(__file__).parents[1] / "docs"
WORDS = "none", "one", "two", "three", "four", "five", "six"


def of_ratios(*ends: tuple[float, float]) -> pd.DataFrame:
    rows = [(f"{i}", "recommended", low, high) for i, (low, high) in enumerate(ends)]
    names = ["table", "setting", "slowest a second, low", "slowest a second, high"]
    return pd.DataFrame(rows, columns=names)


def test_tables_are_counted_by_what_is_shown_on_them() -> None:
    found = outcomes(of_ratios((1.1, 2.0), (0.8, 2.0), (0.6, 1.1), (0.2, 0.9), (0.2, 0.6)))
    assert found == {"faster": 1, "slower": 2, "enough": 2, "too slow": 1}


def test_the_page_says_what_its_tables_show() -> None:
    text = " ".join((DOCS / "choosing_trajectories.md").read_text(encoding="utf-8").split())
    lengths = pd.read_csv(DOCS / "trajectory_lengths.csv")
    compared = pd.read_csv(DOCS / "chosen_trajectories.csv")
    assert tuple(lengths["table"].unique()) == tuple(compared["table"].unique()) == TABLES
    found = {name: WORDS[count] for name, count in outcomes(compared).items()}
    assert f"if that is shown on at least {WORDS[ENOUGH]} of six" in text
    assert f"It is shown on {found['faster']}, and that it is slower on {found['slower']}" in text
    added = outcomes(compared)["faster"] >= ENOUGH
    assert ("so `samplers.sample` does not choose trajectories by itself" in text) == (not added)
    shown = f"at least {LEAST:g} of the default is shown on {found['enough']} of the"
    assert shown in text
    assert f"and less on {found['too slow']}" in text
    undecided = (lengths.groupby("table")["word"].first() == "undecided").sum()
    assert f"Of the choices {WORDS[undecided]} of {WORDS[len(TABLES)]} are *undecided*" in text

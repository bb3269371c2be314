"""What ``why_gibbs_crawls.md`` says of gains: here, and on the posterior of another study."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.neal1995.numbers.derived import of_settings, ratio

DOCS = Path(__file__).parents[3] / "docs"
STUDIES = DOCS / "studies"
ROBOT_ARM = STUDIES / "choo2000" / "robot_arm.csv"
LENGTHS = (10, 100, 1000, 4000)  # that were run with interweaving and without
PAGE = " ".join((DOCS / "why_gibbs_crawls.md").read_text(encoding="utf-8").split())


def robot_arm() -> pd.DataFrame:
    """Effective draws with interweaving over those without, from the tables of Neal's study."""
    table = pd.read_csv(STUDIES / "neal1995" / "methods.csv")
    found = [
        ["best of each", per, ratio(table, "interweaving", f"per {column}").interval(), 1]
        for per, column in (("gradient", "million"), ("second", "second"))
    ]
    for length in LENGTHS:
        names = ((method, f"L {length}, eta 0.3") for method in ("interweaving", "HMC"))
        one = of_settings(table, *names)
        found.append([f"L {length}", "gradient", one.interval(len(LENGTHS)), len(LENGTHS)])
    rows = [[*head, np.exp(np.mean(ends)), *np.exp(ends), n] for *head, ends, n in found]
    columns = ["setting", "per", "ratio", "low", "high", "intervals at once"]
    return pd.DataFrame(rows, columns=columns)


def test_gains_on_the_robot_arm_are_those_of_its_study() -> None:
    """If this fails, write the table anew by ``robot_arm`` and read what changed."""
    kept, now = pd.read_csv(ROBOT_ARM), robot_arm()
    numbers = ["ratio", "low", "high"]
    assert kept[["setting", "per"]].equals(now[["setting", "per"]])
    assert kept[numbers].to_numpy() == pytest.approx(now[numbers].to_numpy(), rel=1e-5)
    best = kept[kept["setting"] == "best of each"]
    assert ((best["low"] < 1) & (best["high"] > 1)).all()
    assert "whether it gains or loses there is undecided" in PAGE
    page = (STUDIES / "neal1995.md").read_text(encoding="utf-8")
    for row in best.itertuples():
        assert f"ratio: {row.ratio:.3g} ({row.low:.3g} to {row.high:.3g})" in page


def widths_of(table: pd.DataFrame, verdict: pd.Series) -> str:
    *first, last = (str(width) for width in table.loc[verdict, "hidden units"])
    return f"{', '.join(first)} and {last}" if first else last


def test_the_page_says_where_targets_are_met() -> None:
    gains = pd.read_csv(STUDIES / "choo2000" / "gains.csv").query("method == 'Collapsed Gibbs'")
    met = gains["target"] == "met"
    assert (met | (gains["target"] == "undecided")).all()
    assert f"is met with {widths_of(gains, met)} units and undecided with fewer" in PAGE
    assert gains.loc[~met, "hidden units"].max() < gains.loc[met, "hidden units"].min()
    growth = pd.read_csv(STUDIES / "choo2000" / "rejection_growth.csv")
    flat = growth[growth["sampler"] == "A, tethered"]
    met, undecided = (widths_of(flat, flat["flat"] == one) for one in ("met", "undecided"))
    assert f"is met at {met} units and undecided at {undecided}" in PAGE

"""What the page on choosing width and sampler says is what committed tables and pages say."""

import re

import pandas as pd
import pytest

from .marked_numbers import DOCS

PAGE = (DOCS / "choosing.md").read_text(encoding="utf-8")
VERDICTS = re.findall(r"- \*(.+?)\*\s+\*\*(.+?)\*\*", PAGE, re.DOTALL)
JUDGED = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "studies").glob("*.md"))


def test_all_verdicts_are_found() -> None:
    assert len(VERDICTS) == len(re.findall(r"\*\*", PAGE)) / 2 > 10


@pytest.mark.parametrize(("claim", "verdict"), VERDICTS)
def test_verdicts_are_those_of_the_pages(claim: str, verdict: str) -> None:
    assert f"- {' '.join(claim.split())} **{verdict}**" in JUDGED


def test_chains_of_fixed_scales_agree_in_the_most_networks() -> None:
    assert "of the two priors with fixed scales, `scaled` and `gaussian`, agree in the most" in PAGE
    table = pd.read_csv(DOCS / "studies/baldock2019/ordinary.csv")
    agree = (table["R-hat alone"] <= 1.05).groupby(table["prior"]).sum()
    first, second, third = agree.sort_values(ascending=False).index[:3]
    assert {first, second} == {"scaled", "gaussian"}
    assert agree[second] > agree[third]
    assert table.groupby("prior")["table"].nunique().eq(5).all()


def test_the_excess_of_the_limit_is_more_than_a_tenth_above_that_of_16_units() -> None:
    table = pd.read_csv(DOCS / "studies/neal1995/widths.csv")
    for prior in ("learnt", "scaled"):
        excess = table[table["prior"] == prior].pivot(
            index="set", columns=["way", "units"], values="excess"
        )
        above = excess["limit", 1024] - 1.1 * excess["network", 16]
        assert above.mean() > 2 * above.sem()

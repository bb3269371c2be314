"""What stands at the head of a study's page is what its sections say."""

import re
from pathlib import Path

import pandas as pd
import pytest
from pymc_bnn.studies.baldock2019.study import STUDY as BALDOCK
from pymc_bnn.studies.choo2000.study import STUDY as CHOO
from pymc_bnn.studies.lau2018.study import STUDY as LAU
from pymc_bnn.studies.pages.in_short import TITLE, Answer, InShort
from pymc_bnn.studies.pages.page import Page
from pymc_bnn.studies.pages.sections import Picture, Section

DOCS = Path(__file__).parents[3] / "docs" / "studies"
TABLES = {"speed": pd.DataFrame({"ms": [1.0]})}
SAID = """- It is fast. **Does not stand.** a: +1 ± 2. ([less](#how))
- It is small. **Stands.** ([less](#how))
- Widths: undecided at 8 units."""
SPEED = Section(
    "Speed (1)", "", "speed", lambda t: SAID, plots=(Picture("bars", "Bars.", lambda t: None),)
)


def short(*answers: Answer, picture: str = "bars") -> InShort:
    return InShort(answers, picture)


def test_answers_are_verdicts_and_lines_of_sections() -> None:
    found = short(
        Answer("Fast?", "Speed (1)", "It is fast"),
        Answer("Fast at all?", "Speed (1)", "It is fast", numbers=False),
        Answer("Small?", "Speed (1)", "It is small"),
        Answer("Which widths?", "Speed (1)", "Widths"),
        Answer("Loud?", "Speed (1)", "It is loud"),
    )
    link = "([Speed (1)](#speed-1))"
    lines = [
        f"- Fast? **No:** a: +1 ± 2. {link}",
        f"- Fast at all? **No.** {link}",
        f"- Small? **Yes.** {link}",
        f"- Which widths? Undecided at 8 units. {link}",
    ]
    expected = "\n".join([f"## {TITLE}", "", *lines, "", "a figure", ""])
    assert found.write([SPEED], TABLES, {"bars": "a figure"}) == expected
    assert found.write([SPEED], {}, {"bars": "a figure"}) == ""


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (short(Answer("Fast?", "Size", "It")), "in_short: no section 'Size' has words"),
        (short(picture="lines"), "in_short: the page has no picture 'lines'"),
    ],
)
def test_a_page_refuses_to_begin_with_what_it_lacks(found: InShort, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Page("x", str, lambda run, budget: "", {}, {}, in_short=found)


@pytest.mark.parametrize("page", [BALDOCK.page, CHOO.page, LAU.page], ids=lambda page: page.name)
def test_pages_begin_with_what_was_found(page: Page) -> None:
    """The first five answers stand before the picture."""
    text = (DOCS / f"{page.name}.md").read_text(encoding="utf-8").split(f"## {TITLE}")[1]
    head = text.split("\n## ")[0]
    assert page.in_short is not None
    for place, answer in enumerate(page.in_short.answers):
        assert f"- {answer.question} " in (head.split("```{figure}")[0] if place < 5 else head)

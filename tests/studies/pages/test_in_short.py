"""What stands at the head of a study's page is what its sections say."""

import re
from pathlib import Path

import pandas as pd
import pytest
from pymc_bnn.studies.pages.in_short import FIRST, REST, TITLE, Answer, InShort
from pymc_bnn.studies.pages.page import Page
from pymc_bnn.studies.pages.sections import Picture, Section
from pymc_bnn.studies.reproduction.studying import STUDIES, find_study

DOCS = Path(__file__).parents[3] / "docs" / "studies"
PAGES = sorted(path.stem for path in DOCS.glob("*.md"))
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


def test_what_matters_less_follows_the_picture() -> None:
    """Questions that nothing answers take no place."""
    asked = [
        Answer(f"{place}?", "Speed (1)", "It is loud" if place == 1 else "It is small")
        for place in range(8)
    ]
    text = short(*asked).write([SPEED], TABLES, {"bars": "a figure"})
    first, _, rest = text.partition(f"\n\na figure\n\n{REST}\n\n")
    assert re.findall(r"- (\d)\?", first) == ["0", "2", "3", "4", "5"]
    assert re.findall(r"- (\d)\?", rest) == ["6", "7"]
    assert short(*asked[:6]).write([SPEED], TABLES, {"bars": "a figure"}).endswith("\na figure\n")


@pytest.mark.parametrize("name", PAGES)
def test_pages_begin_with_five_answers_and_a_picture(name: str) -> None:
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8").split(f"## {TITLE}\n\n")[1]
    answers, picture, rest = text.partition("\n```{figure}")
    assert picture
    assert "\n## " not in answers
    lines = answers.splitlines()
    assert len(lines) == FIRST == 5
    assert all(line.startswith("- ") and "? " in line for line in lines)
    besides = rest.split(f"\n{REST}\n\n")[1].split("\n\n")[0] if REST in rest else ""
    assert not any(question in answers for question in re.findall(r"- (.+?\?)", besides))


@pytest.mark.parametrize("page", [find_study(name).page for name in STUDIES], ids=lambda p: p.name)
def test_pages_answer_what_is_asked_at_their_head(page: Page) -> None:
    head = (DOCS / f"{page.name}.md").read_text(encoding="utf-8").split(f"## {TITLE}")[1]
    assert page.in_short is not None
    for answer in page.in_short.answers:
        assert f"- {answer.question} " in head.split("\n## ")[0]

"""Which file has an equation, an algorithm or a section of the papers: what docstrings cite."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[1]
PAPERS = "Neal 1992", "Neal 1995", "Choo 2000", "Lau 2018", "Baldock & Marzari 2019"
KINDS = {
    "Eq": "equation",
    "Algorithm": "algorithm",
    "Figure": "figure",
    "Table": "table",
    "": "section",
}
NUMBER = r"\d[\d.]*(?<!\.)(?:-\d[\d.]*(?<!\.))?"
LIST = rf"{NUMBER}(?:(?:, | and ){NUMBER})*"
PLACE = rf"(?:(?:Eq|Algorithm|Figure|Fig|Table)s?\.? )?{LIST}"
PAPER = r"(?P<author>Neal|Choo|Lau|Baldock & Marzari)(?:'s)?,? \(?(?P<year>\d{4})\b"
CITED = re.compile(
    rf"{PAPER}(?:, (?P<places>{PLACE}(?:(?:, | and ){PLACE})*))?"
    rf"|(?P<bare>(?:Eq|Algorithm)s?\.? {LIST})"
)


def cited(text: str, paper: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield paper, kind and number of all places that a text cites.

    Parameters
    ----------
    text : str
        A docstring.
    paper : str
        The one that equations and algorithms are of, before the text names another.
    """
    for found in CITED.finditer(" ".join(text.split())):
        if found["author"]:
            paper = f"{found['author']} {found['year']}"
        if paper in PAPERS:
            for kind, numbers in _places(found["places"] or found["bare"] or ""):
                for number in re.findall(NUMBER, numbers):
                    yield paper, kind, number


def _places(text: str) -> Iterator[tuple[str, str]]:
    for kind, numbers in re.findall(rf"(?:([A-Z][a-z]+)\.? )?({LIST})", text):
        short = kind.rstrip("s")
        yield KINDS["Figure" if short == "Fig" else short], numbers


def places(path: Path) -> set[tuple[str, str, str]]:
    """Return all places that the docstrings of a file cite."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = list(re.finditer(PAPER, " ".join((ast.get_docstring(tree) or "").split())))
    first = f"{named[-1]['author']} {named[-1]['year']}" if named else ""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    return {p for node in nodes for p in cited(ast.get_docstring(node) or "", first)}


def index(rooms: tuple[str, ...] = ("models", "samplers", "studies")) -> pd.DataFrame:
    """List the places with the files whose docstrings cite them, in the order of the papers."""
    found = [
        (*place, path.relative_to(ROOT).as_posix())
        for room in rooms
        for path in (ROOT / room).rglob("*.py")
        for place in places(path)
    ]
    rows = pd.DataFrame(sorted(found, key=_order), columns=["paper", "kind", "number", "file"])
    by = rows.groupby(["paper", "kind", "number"], sort=False)["file"]
    return by.agg(", ".join).reset_index()


def _order(row: tuple[str, ...]) -> tuple[int, int, list[int], str]:
    paper, kind, number, file = row
    numbers = [int(part) for part in re.findall(r"\d+", number)]
    return PAPERS.index(paper), list(KINDS.values()).index(kind), numbers, file

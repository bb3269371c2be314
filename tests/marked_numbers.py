"""Numbers typed in a page, each with a comment that names the committed cell it comes from.

A number in a sentence has its source right behind it::

    a slope of 0.29<!-- studies/choo2000/slopes.csv: slope; method=Gibbs; widths=8-64 -->

The path is from ``docs``; a table of a markdown page follows as ``page.md#beginning of its title``.
The row is the one in which every key has its value, or begins with it and a colon. ``lowest`` or
``highest`` before the column takes that of all such rows; ``[low]`` or ``[high]`` after it takes an
end of a cell such as ``4.68 (3.79-6.55)``, and ``[last]`` the second number of ``409 / 1124``.

A table has a comment above it, with a line for each column that holds numbers::

    <!-- table
    hidden units: key
    ratio: studies/choo2000/gains.csv: ratio; method=Collapsed Gibbs
    interval: studies/choo2000/gains.csv: low - high; method=Collapsed Gibbs
    -->

A column that is a key selects rows by the name of the column, or by the name behind ``key``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

DOCS = Path(__file__).parents[1] / "docs"
NUMBER = r"[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?"
MARK = re.compile(rf"({NUMBER})(%?)<!-- (.+?) -->")
TABLE = re.compile(r"<!-- table\n(.*?)-->\n+((?:\|[^\n]*\n)+)", re.DOTALL)
SOURCE = re.compile(
    r"([\w/]+\.(?:csv|md))(#[^:]+)?: (lowest |highest )?([^;]+?)(\[\w+\])?((?:; .*)?)"
)


@dataclass(frozen=True)
class Marked:
    """A number as it is typed, and what its source has.

    Parameters
    ----------
    text : str
        The number in the page.
    source : str
        What the comment says.
    value : float
        The number in the source.
    """

    text: str
    source: str
    value: float

    @property
    def right(self) -> bool:
        """Whether the number is that of the source, to the last digit typed."""
        bare = self.text.rstrip("%").replace(",", "").replace("−", "-")
        decimals = len(bare.partition(".")[2])
        value = 100 * self.value if self.text.endswith("%") else self.value
        return abs(float(bare) - value) <= 0.5 * 10**-decimals * (1 + 1e-6)


def marked_numbers(text: str) -> Iterator[Marked]:
    """Every number of a page that has a source: those in sentences, then those in tables."""
    for number, percent, source in MARK.findall(text):
        yield Marked(number + percent, source, look_up(source))
    for declared, rows in TABLE.findall(text):
        yield from _marked_table(declared, rows)


def _marked_table(declared: str, rows: str) -> Iterator[Marked]:
    sources = dict(line.split(": ", 1) for line in declared.strip().splitlines())
    table = cells_of(rows.splitlines())
    keys = {
        name: what.removeprefix("key").strip() or name
        for name, what in sources.items()
        if what.split()[0] == "key"
    }
    for _, row in table.iterrows():
        at = "".join(f"; {column}={row[name]}" for name, column in keys.items())
        for name, source in sources.items():
            if name in keys:
                continue
            head, _, rest = source.partition(";")
            path, column = head.rsplit(": ", 1)
            parts = column.strip().split(" - ")
            texts = re.findall(NUMBER, row[name].replace("-", " ") if len(parts) > 1 else row[name])
            assert len(texts) == len(parts), f"{row[name]!r}: give {' - '.join(parts)}"
            for text, part in zip(texts, parts, strict=True):
                full = f"{path}: {part}{f';{rest}' if rest else ''}{at}"
                yield Marked(text, full, look_up(full))


def look_up(source: str) -> float:
    """Read a number from its source."""
    found = SOURCE.fullmatch(source)
    assert found, f"cannot read the source {source!r}"
    path, title, which, column, end, keys = found.groups()
    table = read_source(path, (title or "").removeprefix("#"))
    for key in filter(None, keys.split("; ")):
        name, _, value = key.partition("=")
        assert name in table, f"{source}: no column {name!r}"
        table = table[[_is(cell, value) for cell in table[name]]]
    assert column in table, f"{source}: no column {column!r}"
    values = [_number(cell, (end or "").strip("[]")) for cell in table[column]]
    if which:
        return (min if which == "lowest " else max)(values)
    # a sampler has a row for each method that has its trajectories, with the same rates
    assert len(set(values)) == 1, f"{source}: {len(values)} rows; name one"
    return values[0]


def _is(cell: str, value: str) -> bool:
    return cell == value or cell.startswith(f"{value}:")


def _number(cell: str, end: str) -> float:
    if not end:
        return float(re.match(NUMBER, cell.replace(",", ""))[0])  # type: ignore[index]
    if end == "last":
        return float(re.search(rf" / ({NUMBER})$", cell)[1])  # type: ignore[index]
    low, high = re.search(rf"\(({NUMBER})-({NUMBER})\)", cell).groups()  # type: ignore[union-attr]
    return float(low if end == "low" else high)


@cache
def read_source(path: str, title: str = "") -> pd.DataFrame:
    """Read a committed table, with all cells as text."""
    if path.endswith(".csv"):
        return pd.read_csv(DOCS / path, dtype=str, keep_default_na=False)
    text = (DOCS / path).read_text(encoding="utf-8")
    _, found, rest = text.partition(f"**{title}")
    assert found, f"{path} has no table {title!r}"
    lines = rest.partition("\n\n")[2].splitlines()
    last = next((i for i, line in enumerate(lines) if not line.startswith("|")), len(lines))
    return cells_of(lines[:last])


def cells_of(lines: list[str]) -> pd.DataFrame:
    """Cells of a markdown table, without comments."""
    rows = [
        [cell.strip() for cell in re.sub("<!--.*?-->", "", line).strip().strip("|").split("|")]
        for line in lines
    ]
    return pd.DataFrame(rows[2:], columns=rows[0])


# what one can tell by rule to be measured: a number with one of these behind it, or with a ±
UNIT = (
    r"(?:microseconds?|milliseconds?|seconds?|minutes?|hours?|µs|MiB|GiB|times|passes|per cent)\b|%"
    r"|(?<=\s)m?s\b"  # behind a space, as the 1990s are no time
)
JOINT = r"\s*(?:to|and|or|-|–|±|against|instead of)\s*"
ONCE = "measured once"  # says to the reader that there is no source
INTERVAL = r"90% interval"


def unmarked_figures(text: str) -> list[str]:
    """Measured figures of a page without a source, as far as that can be told.

    In sentences: numbers with a unit of time, memory or passes, ``times`` or ``%`` behind them,
    also those joined to such a number by *to*, *and* and the like, and numbers beside a ±. In
    tables: columns with a number that the comment above the table does not declare. Numbers in code
    and formulas, and in paragraphs that say *measured once* or stand right below one that does so
    and ends in a colon, are not looked at; nor are numbers in words.
    """
    text = re.sub(r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$]*?\$", "", text, flags=re.DOTALL)
    found, exempt, above = list[str](), False, ""
    for block in re.split(r"\n\s*\n", text):
        once = ONCE in " ".join(block.split()).lower()
        if not (once or exempt):
            is_table = block.lstrip().startswith("|")
            found += _unmarked_columns(above + block) if is_table else _unmarked(block)
        exempt = once and block.rstrip().endswith(":")
        above = f"{block}\n" if block.startswith("<!-- table") else ""
    return found


def _unmarked(block: str) -> list[str]:
    sentence = re.sub(rf"({NUMBER})(%?)<!--.*?-->", r"@\2", block, flags=re.DOTALL)
    sentence = re.sub(rf"<!--.*?-->|{INTERVAL}", "", sentence, flags=re.DOTALL)
    value = rf"(?:@|{NUMBER})%?"
    groups = re.finditer(
        rf"(?<![\w.])({value}(?:,?{JOINT}{value})*)(?=\s*(?:{UNIT})|(?<=%))", sentence
    )
    figures = [group[1] for group in groups]
    figures += re.findall(rf"{value}\s*±\s*{value}", sentence)
    return [figure for figure in figures if re.search(r"\d", figure)]


def _unmarked_columns(block: str) -> list[str]:
    declared = re.search(r"<!-- table\n(.*?)-->", block, re.DOTALL)
    known = [line.split(": ")[0] for line in declared[1].strip().splitlines()] if declared else []
    table = cells_of([line for line in block.splitlines() if line.startswith("|")])
    return [
        f"column {name!r}"
        for i, name in enumerate(table)
        if name not in known and table.iloc[:, i].str.match(r"[-−±]?\d").any()
    ]

"""What the tables beyond the thesis say, computed from their numbers."""

import numpy as np
import pandas as pd

from ..design.methods import METHODS, RECOMMENDED, THESIS
from ..numbers.judged import ENDS, EQUAL, GAIN, NOT_REPEATED, more_starts
from .agreements import agreement
from .differences import FACTORS
from .table_words import GIBBS, NOTHING, apart

BEST = METHODS[RECOMMENDED].title
OTHERS = [method.title for name, method in METHODS.items() if name not in THESIS]


def gains(table: pd.DataFrame) -> str:
    """Say where methods beyond the thesis meet the target, by equal seconds."""
    lines = []
    for name, rows in table.groupby("method", sort=False):
        if name in OTHERS:
            lines.append(
                f"- {name}: {_range(rows['ratio'])} of Gibbs's $g$ at equal passes, "
                f"{_range(rows[EQUAL])} at equal seconds{_whole(rows)}; target of at most "
                f"{GAIN:g}: {_verdicts(rows['target'], rows['hidden units'])}."
            )
    return "\n".join(lines) or "No results to judge yet."


def _range(values: pd.Series) -> str:
    known = values.dropna()
    if known.empty:
        return "not measured"
    return f"{known.min():.3f} to {known.max():.3f}"


def _whole(rows: pd.DataFrame) -> str:
    """From where to where the intervals at equal seconds reach."""
    low, high = (rows[name].dropna() for name in ENDS)
    return f" (intervals from {low.min():.3f} to {high.max():.3f})" if len(low) else ""


def _verdicts(verdicts: pd.Series, where: pd.Series) -> str:
    grouped = where.astype(str).groupby(verdicts, sort=False)
    return "; ".join(f"{verdict} at {', '.join(at)} hidden units" for verdict, at in grouped)


def slopes(table: pd.DataFrame) -> str:
    """Say whether Gibbs crawls the more the wider, and whether the recommended method does."""
    lines = []
    told = table[table["method"].isin([BEST, GIBBS])]
    for (method, starts), rows in told.groupby(["method", "start states"], sort=False):
        said = "; ".join(_slope(row, table) for _, row in rows.iterrows())
        lines.append(f"- {method}, start states {starts}: {said}.")
    return "\n".join(lines) or "No results to judge yet."


def _slope(row: pd.Series, table: pd.DataFrame) -> str:
    """Say whether g grows with width, from where to where."""
    first, last = row["widths"].split("-")
    thesis = row["thesis recomputed"]
    more = f" (thesis {thesis:.2f} ± {row['its error']:.2f})" if np.isfinite(thesis) else ""
    aim = f", target {row['target']}" if row["method"] == BEST else ""
    return (
        f"from {first} to {last} units slope {row['slope']:.2f} ± {row['error']:.2f}{more}, "
        f"growth {_grows(row, table)}{aim}"
    )


GROWS = {"yes": "shown", "no": "refuted: it falls", "undecided": "not shown: undecided"}


def _grows(row: pd.Series, table: pd.DataFrame) -> str:
    if row["grows"] != NOT_REPEATED:
        return GROWS[row["grows"]]
    what = "growth" if row["slope"] > 0 else "a fall"
    more = more_starts(row, table)["start states"].iloc[0].removeprefix(f"{row['start states']}, ")
    return f"undecided: {what} in this run that {more} do not repeat"


def flat(table: pd.DataFrame) -> str:
    """Say for each split sampler with a known $g$ whether it meets both targets."""
    split = table[(table["flat"] != "not split") & (table["no worse"] != "not measured")]
    lines = []
    for (sampler, method), rows in split.groupby(["sampler", "as"], sort=False):
        at = rows["hidden units"]
        lines.append(
            f"- {sampler}, as {method}: flat: {_verdicts(rows['flat'], at)}; $g$ no worse than "
            f"Gibbs's: {_verdicts(rows['no worse'], at)}."
        )
    return "\n".join(lines) or "No results to judge yet."


def tails(table: pd.DataFrame) -> str:
    """Say whether plain Gibbs misses the tail, u and a of a run taken together."""
    lines = []
    for border, rows in table.groupby("log sigma above"):
        parts = apart(rows, "plain", "interweaved", "error", "its error")
        lines.append(f"- above {border}: {agreement(*parts, rows['hidden units'])}.")
    return "\n".join(lines) or NOTHING


def starts(table: pd.DataFrame) -> str:
    """Say whether the start states of plain master runs bias g."""
    difference = np.log(table["g, plain starts"] / table["g, interweaved starts"])
    parts = table.assign(d=difference, e=difference / table["z"])
    lines = [
        f"- {name}: {agreement(rows['d'], rows['e'], kind=FACTORS)}."
        for name, rows in parts.groupby("method")
    ]
    known = "\n".join(lines) or NOTHING
    return f"Whether $g$ depends on which master run the start states are from:\n\n{known}"

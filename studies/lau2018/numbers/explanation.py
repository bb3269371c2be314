"""What the test errors that the thesis prints are errors of: drawn classes, or likeliest ones."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ....samplers.diagnosis.findings import WORST_RHAT
from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim
from ...reproduction.estimates import Estimate, summed
from ..design.digits import CASES
from ..rules.patterns import agrees, explains

DRAWN = "error % of drawn classes"
PRINTED = "thesis's error %"
NAMED = {
    "termination": "4.2",
    "hyperparameter": "4.3",
    "priors": "4.4",
    "stochastic_gradients": "4.5-4.8",
    "scaled_priors": "4.9",
    "metrics": "4.10",
    "layers": "4.11",
    "precision": "4.12",
    "trajectories": "4.13",
    "information_criterion": "4.14",
}
# how stochastic gradients were run the thesis does not say: our draws need not be its draws
UNLIKE = (NAMED["stochastic_gradients"],)


class Row(NamedTuple):
    """A row that the thesis prints an error for, and both of ours."""

    table: str
    name: str
    printed: float
    likeliest: Estimate
    drawn: Estimate


def drawn_against_printed(tables: Tables) -> pd.DataFrame:
    """Errors of likeliest and of drawn classes beside the printed ones, for all rows.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Those of the thesis, by name.

    Returns
    -------
    DataFrame
        ``fits``: whose interval holds the printed error, "drawn", "likeliest", "both" or
        "neither". Intervals hold with 95% for all rows at once, and are of what another run would
        print: 500 cases, each classified once, and the spread of chains.
    """
    rows = _rows(tables)
    return pd.DataFrame(
        {
            "table": row.table,
            "row": row.name,
            "likeliest": row.likeliest.value,
            "± of likeliest": row.likeliest.error,
            "drawn": row.drawn.value,
            "± of drawn": row.drawn.error,
            "printed": row.printed,
            "fits": _fits(row, len(rows)),
        }
        for row in rows
    )


def _rows(tables: Tables) -> list[Row]:
    return [
        Row(
            NAMED[name],
            str(row["row"]),
            float(row[PRINTED]),
            _printable(row, "error %"),
            _printable(row, DRAWN),
        )
        for name in NAMED
        for row in _with_printed(tables.get(name))
    ]


def _with_printed(table: pd.DataFrame | None) -> list[pd.Series]:
    if table is None or PRINTED not in table:
        return []
    kept = table[[PRINTED, "error %", DRAWN]].notna().all(axis=1)
    return [row for _, row in table[kept].iterrows()]


def _printable(row: pd.Series, column: str) -> Estimate:
    """Error that another run of the row might print, with 500 cases and chains of its own."""
    value = float(row[column])
    cases = (value * (100.0 - value) / CASES, CASES - 1.0)
    chains = (float(row["± chains"]) ** 2, float(row["chains"]) - 1.0)
    return summed(value, [cases, chains], paired=False)


def _fits(row: Row, among: int) -> str:
    drawn, likeliest = (agrees(row.printed, ours, among) for ours in (row.drawn, row.likeliest))
    if drawn and likeliest:
        return "both"
    if drawn:
        return "drawn"
    return "likeliest" if likeliest else "neither"


def why(tables: Tables) -> list[Claim]:
    """Judge whether the thesis prints errors of drawn classes, by rows that can be its draws."""
    rows = _rows(tables)
    if not rows:
        return []
    judged = {f"{row.table}, {row.name}": row for row in rows if row.table not in UNLIKE}
    verdict = explains(
        {key: row.printed for key, row in judged.items()},
        {key: row.drawn for key, row in judged.items()},
        {key: row.likeliest for key, row in judged.items()},
        among=len(rows),
    )
    text = (
        "All test errors that the thesis prints, but for those by stochastic gradients, are those "
        "of drawn classes"
    )
    return [Claim(text, verdict, _counted(drawn_against_printed(tables)), "explains")]


def _counted(table: pd.DataFrame) -> str:
    counts = table["fits"].value_counts()
    drawn = int(counts.get("drawn", 0) + counts.get("both", 0))
    likeliest = int(counts.get("likeliest", 0) + counts.get("both", 0))
    near = int(((table["printed"] - table["drawn"]).abs() <= 2 * table["± of drawn"]).sum())
    fit = table["fits"].isin(["drawn", "both"]).groupby(table["table"], sort=False)
    each = ", ".join(f"{name}: {rows.sum()} of {len(rows)}" for name, rows in fit)
    return (
        f"Of {len(table)} rows the printed error is in the interval of the most probable class's "
        f"for {likeliest} and in that of drawn classes' for {drawn} (for {near} within two "
        f"standard errors), by table {each}"
    )


def how_wide(tables: Tables) -> str:
    """Say how wide the intervals are: they hold for all rows at once."""
    rows = _rows(tables)
    if not rows:
        return ""
    ends = [row.drawn.interval(len(rows)) for row in rows]
    half = float(np.median([(high - low) / 2 for low, high in ends]))
    return (
        f"Intervals hold with 95% for all {len(rows)} rows at once, and those of drawn classes "
        f"reach {half:.1f} points to either side in the median row: that a row fits shows little."
    )


def unexplained(tables: Tables) -> str:
    """Say how wide intervals are, and name the rows that neither kind of class explains."""
    table = drawn_against_printed(tables)
    if table.empty:
        return ""
    rest = table[table["fits"] == "neither"]
    groups = [
        f"{name}: "
        + ", ".join(
            f"{r['row']} ({r['drawn']:.1f}, {r['printed']:.1f})" for _, r in rows.iterrows()
        )
        for name, rows in rest.groupby("table", sort=False)
    ]
    left = "; ".join(groups) if groups else "none"
    return (
        f"{how_wide(tables)} Rows that neither explains, with errors of drawn classes and printed "
        f"ones: {left}."
    )


SAID = (
    "How the thesis makes a class of probabilities it does not say. For classification it "
    "evaluates the probabilities of all classes, and speaks of drawing from the empirical "
    "distribution for regression only (3.6)."
)


def spread(tables: Tables) -> str:
    """Say between which errors the network's are with other inputs, priors, biases and lengths."""
    table = tables.get("factors", pd.DataFrame())
    if table.empty:
        return ""
    table = table[table["classes"] == "softmax"]
    ranges = [
        f"{table[name].min():.1f}% and {table[name].max():.1f}%" for name in ("error %", DRAWN)
    ]
    rhat = table["max R-hat of outputs"]
    least = rhat[table["error %"].idxmin()]
    return (
        "With other inputs, priors, biases and lengths of the chains the error of the most "
        f"probable class lies between {ranges[0]}, that of drawn ones between {ranges[1]}. In "
        f"{(rhat > WORST_RHAT).sum()} of these {len(table)} runs the chains do not agree; in that "
        f"of the least error the largest R-hat is {least:.2f}. {clear_changes(tables)}"
    ).rstrip()


# what is changed but not the network with a softmax and its most probable class
OTHERS = ("codes with normal noise for a softmax", "the most probable class for a drawn one")


def clear_changes(tables: Tables) -> str:
    """Say which changes of the network move the error of the most probable class clearly."""
    table = tables.get("effects", pd.DataFrame())
    if table.empty:
        return ""
    table = table[~table["change"].isin(OTHERS)]
    found = {
        str(row["change"]): Estimate(float(row["error % changes by"]), float(row["± of it"]))
        for _, row in table.iterrows()
    }
    ends = {name: one.interval(len(found)) for name, one in found.items()}
    clear = [name for name, (low, high) in ends.items() if low > 0 or high < 0]
    if not clear:
        return "None of these changes of the former is clear (*The part of each*)."
    return f"Of these changes of the former clear are (*The part of each*): {', '.join(clear)}."

"""Verdicts on the tables beyond the thesis: columns that follow from their numbers.

As in :mod:`.beside`, each function takes a table as measured or as read from its CSV file.
"""

import numpy as np
import pandas as pd

from ...chains.bootstrap import Interval
from ..design.methods import METHODS, RECOMMENDED, THESIS
from ..words.judgements import larger, smaller, target
from .at_once import ENDS, limit, of_widths
from .beside import log_error, scores, without
from .beside import slopes as with_thesis

GAIN = 0.05  # g of the recommended method over Gibbs's
GROWTH = 1.3  # rejection rate at 2000 leapfrog steps over that at 50
SLOPE = 0.1  # of log g against log width
EQUAL = "at equal seconds"
NOT_REPEATED = "not repeated"
ITS_ENDS = ("its low, at once", "its high, at once")


def intervals(table: pd.DataFrame, *columns: str) -> list[Interval]:
    """Intervals of the rows, from columns of estimates and of both ends."""
    return [Interval(*row) for row in table[list(columns)].itertuples(index=False)]


def gains(table: pd.DataFrame) -> pd.DataFrame:
    """Gains at equal seconds, and whether the target is met by them at all widths at once.

    A variance of means falls as one over the length of the chains. So a method that takes three
    times as many seconds for as many passes has three times the variance in as many seconds.
    Seconds have no error: they were measured once.
    """
    table = without(table, [EQUAL, *ENDS, "target"])
    seconds = table["seconds, of Gibbs's"]
    table[EQUAL] = table["ratio"] * seconds
    ends = of_widths(table, ("ratio", "low", "high"), ["method"])
    for name, end in zip(ENDS, ends, strict=True):
        table[name] = end * seconds
    verdicts = [target(found, GAIN) for found in intervals(table, EQUAL, *ENDS)]
    return table.assign(target=verdicts)


def slopes(table: pd.DataFrame) -> pd.DataFrame:
    """Whether g grows with width, and whether the recommended method meets its target."""
    table = with_thesis(without(table, ["low", "high", "grows", "target"]))
    wide = float(limit(len(table)))
    table["low"] = table["slope"] - wide * table["error"]
    table["high"] = table["slope"] + wide * table["error"]
    found = intervals(table, "slope", "low", "high")
    own = table["method"] == METHODS[RECOMMENDED].title
    verdicts = pd.Series([target(slope, SLOPE) for slope in found], table.index)
    table["grows"] = [larger(slope, 0.0) for slope in found]
    table["grows"] = [_repeated(row, table) for _, row in table.iterrows()]
    return table.assign(target=verdicts.where(own, ""))


def _repeated(row: pd.Series, table: pd.DataFrame) -> str:
    """Verdict on growth, but for one that more start states of the same kind do not repeat."""
    more = more_starts(row, table)
    again = more.empty or more["grows"].iloc[0] == row["grows"]
    return str(row["grows"]) if row["grows"] == "undecided" or again else NOT_REPEATED


def more_starts(row: pd.Series, table: pd.DataFrame) -> pd.DataFrame:
    """Find the row of a slope's method and widths that has more start states of its kind."""
    same = (table["method"] == row["method"]) & (table["widths"] == row["widths"])
    return table[same & table["start states"].str.startswith(f"{row['start states']}, ")]


def rejection_growth(table: pd.DataFrame) -> pd.DataFrame:
    """Whether split samplers stay flat, and whether their g is no worse than Gibbs's."""
    table = without(table, [*ENDS, *ITS_ENDS, "flat", "no worse"])
    g = ("g over Gibbs's", "its low", "its high")
    ends = of_widths(table, ("ratio", "low", "high"), ["sampler"])
    its_ends = of_widths(table, g, ["sampler", "as"])
    for name, end in zip((*ENDS, *ITS_ENDS), (*ends, *its_ends), strict=True):
        table[name] = end
    flat = [target(growth, GROWTH) for growth in intervals(table, "ratio", *ENDS)]
    worse = [smaller(ratio) for ratio in intervals(table, g[0], *ITS_ENDS)]
    split = table["sampler"] != METHODS[THESIS[0]].title
    return table.assign(flat=pd.Series(flat, table.index).where(split, "not split")).assign(
        **{"no worse": worse}
    )


def tails(table: pd.DataFrame) -> pd.DataFrame:
    """Differences of both kinds of master runs."""
    z = scores(table["plain"], table["interweaved"], table["error"], table["its error"])
    return without(table, ["z"]).assign(z=z)


def start_bias(table: pd.DataFrame) -> pd.DataFrame:
    """Differences of both kinds of start states, of the logarithms of g."""
    logs = (np.log(table[f"g, {kind} starts"]) for kind in ("plain", "interweaved"))
    errors = log_error(table["low"], table["high"]), log_error(table["its low"], table["its high"])
    return without(table, ["z"]).assign(z=scores(*logs, *errors))

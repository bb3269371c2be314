"""Verdicts on the tables beyond the thesis: columns that follow from their numbers.

As in :mod:`.beside`, each function takes a table as measured or as read from its CSV file.
"""

import numpy as np
import pandas as pd
from scipy.stats import norm

from ...chains.bootstrap import Interval
from ..design.methods import METHODS, RECOMMENDED, THESIS
from ..words.judgements import larger, smaller, target
from .beside import log_error, scores, without
from .beside import slopes as with_thesis

GAIN, GAIN_HIGH = 0.05, 0.1  # g of the recommended method over Gibbs's, and its interval's end
GROWTH = 1.3  # rejection rate at 2000 leapfrog steps over that at 50
SLOPE = 0.1  # of log g against log width
EQUAL = ("at equal seconds", "its low", "its high")


def intervals(table: pd.DataFrame, *columns: str) -> list[Interval]:
    """Intervals of the rows, from columns of estimates and of both ends."""
    return [Interval(*row) for row in table[list(columns)].itertuples(index=False)]


def gains(table: pd.DataFrame) -> pd.DataFrame:
    """Gains at equal seconds, and whether the target is met by them.

    A variance of means falls as one over the length of the chains. So a method that takes three
    times as many seconds for as many passes has three times the variance in as many seconds.
    """
    table = without(table, [*EQUAL, "target"])
    for name, of in zip(EQUAL, ("ratio", "low", "high"), strict=True):
        table[name] = table[of] * table["seconds, of Gibbs's"]
    verdicts = [target(found, GAIN, GAIN_HIGH) for found in intervals(table, *EQUAL)]
    return table.assign(target=verdicts)


def slopes(table: pd.DataFrame) -> pd.DataFrame:
    """Whether g grows with width, and whether the recommended method meets its target."""
    table = with_thesis(without(table, ["low", "high", "grows", "target"]))
    wide = float(norm.isf(0.025 / max(len(table), 1)))  # all hold at once, with 95%
    table["low"] = table["slope"] - wide * table["error"]
    table["high"] = table["slope"] + wide * table["error"]
    found = intervals(table, "slope", "low", "high")
    own = table["method"] == METHODS[RECOMMENDED].title
    verdicts = pd.Series([target(slope, SLOPE) for slope in found], table.index)
    grows = [larger(slope, 0.0) for slope in found]
    return table.assign(grows=grows, target=verdicts.where(own, ""))


def rejection_growth(table: pd.DataFrame) -> pd.DataFrame:
    """Whether split samplers stay flat, and whether their g is no worse than Gibbs's."""
    table = without(table, ["flat", "no worse"])
    flat = [target(growth, GROWTH) for growth in intervals(table, "ratio", "low", "high")]
    worse = [smaller(ratio) for ratio in intervals(table, "g over Gibbs's", "its low", "its high")]
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

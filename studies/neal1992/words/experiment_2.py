"""What the page says of experiment 2 and of what is set beside it."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of, rate
from ...reproduction.rules import known, says
from ..design.fits import SHORT, SHORT_LOGISTIC
from ..design.printed import HOURS, LATE, TEST_ERRORS
from ..numbers.beside import typical
from ..numbers.derived import marked, of_ways
from ..numbers.rates import predicted, rate_by_set
from ..numbers.transitions import LEVEL
from . import judgements as rules
from .annealed import each_difference, without_failures

STARTS = {  # by fit and threshold
    ("small", "failed"): "No start of the recommended sampler that was run fails: eight units, "
    "default length",
    ("small", "off"): "None of these is far off",
    (SHORT, "failed"): "No start of it that was run fails: nineteen units, a tenth of the "
    "gradients",
    ("logistic", "failed"): "No start of it that was run fails on the report's model, eight units",
    ("logistic", "off"): "None of these is far off on the report's model",
    (SHORT_LOGISTIC, "failed"): "No start of it that was run fails on the report's model with "
    "nineteen units, a tenth of the gradients",
}
BEYOND = f"beyond {1 + rules.MARGIN:g} times theirs"
CALIBRATED = 0.8, 1.25  # root mean square of normalised errors
SECONDS = 3600.0
MOVING = {"rejected": 0.0, "most rejected": 0.0}  # which chains of other samplers do not tell


def cooled(tables: Tables) -> str:
    """Conclude on experiment 2 itself."""
    table = tables["cooled"]
    each, left = (
        rows.groupby("data set").mean(numeric_only=True)
        for rows in (table, without_failures(tables)["cooled"])
    )
    spread = predicted(each["test error"])
    late = rate_by_set(table["late"], table["data set"])
    printed = rate(*LATE)
    wider = {"inside less outside": mean_of(each["sd inside"] - each["sd outside"])}
    mean = float(np.mean(TEST_ERRORS))
    shown = f"ours {late.value:.0%} ({late.low:.0%} to {late.high:.0%}) of {len(table)} runs on "
    shown += f"{len(each)} data sets, "
    shown += f"the report's {printed.value:.0%} ({printed.low:.0%} to {printed.high:.0%}) of 5"
    claims = [
        Claim(
            f"Test errors are {min(TEST_ERRORS):.0f} to {max(TEST_ERRORS):.0f}, mean {mean:.0f}",
            rules.in_the_spread(mean, spread),
            says({"one more data set": spread}),
            "in the spread",
        ),
        Claim("Late transitions are as frequent", rules.as_often(late, printed), shown, "as often"),
        Claim(
            "Predictions are less certain where there are no training cases",
            rules.less(wider),
            says(wider),
            "less",
        ),
    ]
    return write([*claims, *_averaged(each), *_calibrated(each, left)], _of_runs(table))


def _averaged(each: pd.DataFrame) -> list[Claim]:
    """Judge what Figure 4 shows, on all data sets."""
    if "test error of one" not in each:
        return []
    gain = {"averaged less one": mean_of(each["test error"] - each["test error of one"])}
    lower = each["training error of one"] - each["test error of one"]
    fits = {"training less test": mean_of(lower)}
    return [
        *less_claim("Averaged predictions have less error than a network of the draws", gain),
        *less_claim("Networks fit training cases better than test cases", fits),
    ]


def _calibrated(each: pd.DataFrame, left: pd.DataFrame) -> list[Claim]:
    """Judge whether draws know how far off they are, inside the training region and outside.

    Means of data sets are judged; those without runs that failed stand beside them.
    """
    claims = []
    for where, words in (("inside", "where training cases are"), ("outside", "where none are")):
        if f"normalised {where}" in each:
            one = mean_of(each[f"normalised {where}"])
            low, high = CALIBRATED
            text = "Errors are as large as the spread of the draws says, that is "
            text += f"{low:g} to {high:g} times: {words}"
            shown = says({"root mean square": one})
            others = mean_of(left[f"normalised {where}"])
            if others != one:
                shown += f"; {says({'without runs that failed': others})}"
            claims.append(Claim(text, rules.about(one, *CALIBRATED), shown, "about"))
    return claims


def _of_runs(table: pd.DataFrame) -> str:
    """Say when a transition is late, how long a run takes, and which one figures show."""
    seconds = table["seconds"].median()
    late = table[table["late"].astype(bool)]
    rises = f", by {late['rise'].median():.3g} in the median" if len(late) else ""
    return (
        f"A transition is late if the temperature was below {LEVEL:g} before the energy fell below "
        f"the middle of its range; the temperature rises then{rises}. A run takes {seconds:.3g} s "
        f"in the median, the report's took {HOURS:g} hours, {HOURS * SECONDS / seconds:,.0f} times "
        f"as long. Figures 4 and 5 show run {typical(table)}.\n"
    )


def difference(tables: Tables, of: str, to: str, what: str) -> Estimate:
    """Mean difference over the data sets that both ways have."""
    return mean_of(each_difference(tables, of, to, what))


def beyond(tables: Tables, of: str, to: str) -> Estimate:
    """Mean excess less that of another way and its margin, over the data sets that both have."""
    found = of_ways(tables)
    if of not in found or to not in found:
        return Estimate(np.nan, np.inf)
    return mean_of(found[of]["excess"] - (1 + rules.MARGIN) * found[to]["excess"])


def level(tables: Tables, way: str, what: str = "excess") -> Estimate:
    """Mean over data sets."""
    found = of_ways(tables)
    return mean_of(found[way][what]) if way in found else Estimate(np.nan, np.inf)


def starts(tables: Tables) -> str:
    """Conclude on failures of single chains."""
    table = marked(tables["starts"].assign(**MOVING))
    claims = []
    there = {key: text for key, text in STARTS.items() if key[0] in set(table["fit"])}
    for (fit, how), text in there.items():
        rows = table[table["fit"] == fit]
        given = rows[how] == 1, rows["data set"]
        claims.append(Claim(text, rules.none(*given), rules.counted(*given), "none"))
    return write(claims, _where(table[table["fit"] == "small"]))


def _where(rows: pd.DataFrame) -> str:
    """Say whether failures are those of data sets rather than of starts."""
    if rows.empty or not rows["failed"].any():
        return ""
    share = rows.groupby("data set")["failed"].mean()
    some, every = int((share > 0).sum()), int((share == 1).sum())
    of_all = f"; on {every} of them all starts do" if every else ""
    return f"With eight units, {some} of {len(share)} data sets have a start that fails{of_all}.\n"


def chains_apart(tables: Tables, of: str, to: str) -> Estimate:
    """Mean difference of the excess of single chains, over the data sets that both have."""
    table = tables.get("starts", pd.DataFrame({"fit": [], "data set": [], "excess": []}))
    each = table.groupby(["fit", "data set"])["excess"].mean()
    there = set(table["fit"])
    return mean_of(each[of] - each[to]) if {of, to} <= there else Estimate(np.nan, np.inf)


def less_claim(
    text: str, found: dict[str, Estimate], unit: str = "", more: str = ""
) -> list[Claim]:
    """Judge that differences are below zero, if they are there."""
    if not known(found):
        return []
    shown = says(found, unit)
    return [Claim(text, rules.less(found), f"{shown}; {more}" if more else shown, "less")]

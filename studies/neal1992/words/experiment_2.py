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
from ..numbers.beside import typical, without_sampling_error
from ..numbers.derived import SCALES, marked, of_ways
from ..numbers.rates import predicted, rate_by_set
from ..numbers.transitions import LEVEL
from . import judgements as rules
from .annealed import each_difference, medians, of_failures

STARTS = {  # by fit and threshold
    ("small", "failed"): "No start of the recommended sampler fails: eight units, default length",
    ("small", "off"): "None of these is far off",
    (SHORT, "failed"): "No start of it fails: nineteen units, a tenth of the gradients",
    ("logistic", "failed"): "No start of it fails on the report's model, eight units",
    ("logistic", "off"): "None of these is far off on the report's model",
    (SHORT_LOGISTIC, "failed"): "No start of it fails on the report's model with nineteen units, a "
    "tenth of the gradients",
}
TARGET = 40.0  # excess on MacKay's scale
TENTH = 0.1
CALIBRATED = 0.8, 1.25  # root mean square of normalised errors
SECONDS = 3600.0
MOVING = {"rejected": 0.0, "most rejected": 0.0}  # which chains of other samplers do not tell


def cooled(tables: Tables) -> str:
    """Conclude on experiment 2 itself."""
    table = tables["cooled"]
    each = table.groupby("data set").mean(numeric_only=True)
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
    return write([*claims, *_averaged(each), *_calibrated(each)], _of_runs(table))


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


def _calibrated(each: pd.DataFrame) -> list[Claim]:
    """Judge whether draws know how far off they are, inside the training region and outside."""
    claims = []
    for where, words in (("inside", "where training cases are"), ("outside", "where none are")):
        if f"normalised {where}" in each:
            one = mean_of(each[f"normalised {where}"])
            low, high = CALIBRATED
            text = "Errors are as large as the spread of the draws says, that is "
            text += f"{low:g} to {high:g} times: {words}"
            shown = says({"root mean square": one})
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


def level(tables: Tables, way: str, what: str = "excess") -> Estimate:
    """Mean over data sets."""
    found = of_ways(tables)
    return mean_of(found[way][what]) if way in found else Estimate(np.nan, np.inf)


def beside(tables: Tables) -> str:
    """Conclude on the recommended sampler."""
    ours = {"excess": level(tables, "large")}
    text = f"The excess of the recommended sampler is at most {TARGET:g}"
    verdict = rules.at_most(ours["excess"], TARGET)
    claims = [Claim(text, verdict, says(ours), "at most")] if known(ours) else []
    claims += _reached(tables, "large", "The recommended sampler reaches the annealed one's error")
    claims += _reached(tables, SHORT, "It does so with a tenth of the gradients")
    claims += _reached(tables, SHORT_LOGISTIC, "So it does on the report's own model")
    endless = {"excess": without_sampling_error(tables)}
    text = f"With endless chains it would be at most {TARGET:g}"
    verdict = rules.at_most(endless["excess"], TARGET)
    claims += [Claim(text, verdict, says(endless), "at most")] if known(endless) else []
    return write([*claims, *_in_time(tables)], _besides(tables))


def _besides(tables: Tables) -> str:
    """Say what gradients are of, and how much of a difference is of annealed runs that failed."""
    words = {"large": "recommended less annealed", SHORT: "a tenth less annealed"}
    if SHORT_LOGISTIC in of_ways(tables):
        words[SHORT_LOGISTIC] = "a tenth on the report's model less annealed"
    pairs = {text: (way, "annealed") for way, text in words.items()}
    said = _gradients(tables), of_failures(tables, pairs, "excess")
    return "\n".join(text for text in said if text)


def _in_time(tables: Tables) -> list[Claim]:
    """Judge the recommended sampler by seconds of the processor, on its model and the report's."""
    found = of_ways(tables)
    if not {"large", "annealed"} <= set(found) or "effective draws" not in found["large"]:
        return []
    sizes = {name: np.log10(found[name]["seconds"]) for name in ("large", "annealed")}
    less = {"seconds, powers of ten": mean_of(sizes["large"] - sizes["annealed"])}
    less |= {"excess": difference(tables, "large", "annealed", "excess")}
    faster = "Its default run takes fewer seconds than an annealed one, and errs less"
    more = medians(tables, "large", "annealed", "excess")
    claims = less_claim(faster, less, more=more)
    for way, where in {
        "large": "",
        SHORT_LOGISTIC: " than NUTS on the report's own model",
    }.items():
        for what, words in (("outputs", "the outputs"), (SCALES, "the hyperparameters")):
            slower = {"annealed less ours": _slower(found, way, what)}
            text = f"Annealed runs have fewer effective draws of {words} per second{where}"
            claims += less_claim(text, slower, "powers of ten")
    return claims


def _slower(found: dict[str, pd.DataFrame], way: str, what: str) -> Estimate:
    """Effective draws of a second of annealed runs, by those of another way."""
    rates = []
    for rows in (found["annealed"], found.get(way, pd.DataFrame())):
        if SCALES not in rows:
            return Estimate(np.nan, np.inf)
        rates.append(rows[SCALES] if what == SCALES else rows["effective draws"] / rows["seconds"])
    return mean_of(np.log10(rates[0] / rates[1]).dropna())


def _reached(tables: Tables, way: str, text: str) -> list[Claim]:
    found = {"difference of excess": difference(tables, way, "annealed", "excess")}
    than = level(tables, "annealed").value
    verdict = rules.no_worse(found["difference of excess"], than)
    shown = f"{says(found)}; {medians(tables, way, 'annealed', 'excess')}"
    return [Claim(text, verdict, shown, "no worse")] if known(found) else []


def _gradients(tables: Tables) -> str:
    found = of_ways(tables)
    if not {"annealed", SHORT} <= set(found):
        return ""
    of_run = found["annealed"]["gradients"].median()
    text = (
        f"Each of its short chains uses {found[SHORT]['gradients'].median() / of_run:.3g} of the "
        "gradients of an annealed run, and is judged alone. They are fits of another model, with a "
        "normal-inverse-gamma prior."
    )
    if SHORT_LOGISTIC in found:
        text += (
            " Those of the report's model are by NUTS, have "
            f"{found[SHORT_LOGISTIC]['gradients'].max() / of_run:.3g} of these gradients at most, "
            "if trajectories of warm-up are as long as those of draws, and are judged alone too."
        )
    return f"{text}\n"


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

"""What the page says of experiment 2 and of what is set beside it."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of, rate
from ...reproduction.rules import known, says
from ..design.printed import HOURS, LATE, TEST_ERRORS
from ..numbers.derived import PERCENT, marked, of_ways
from ..numbers.rates import predicted
from ..numbers.transitions import LEVEL
from . import judgements as rules

STARTS = {  # by fit and threshold
    ("small", "failed"): "No start of the recommended sampler fails: eight units, default length",
    ("small", "off"): "None of these is far off",
    ("short", "failed"): "No start of it fails: nineteen units, a tenth of the gradients",
    ("logistic", "failed"): "No start of it fails on the report's model, eight units",
    ("logistic", "off"): "None of these is far off on the report's model",
}
SCORES = {
    "annealed": "The log score of the report's model, annealed, is below the recommended one's",
    "gaussian": "That of a normal prior of a fixed scale is below it",
}
TARGET = 40.0  # excess on MacKay's scale
TENTH = 0.1
SECONDS = 3600.0
MOVING = {"rejected": 0.0, "most rejected": 0.0}  # which chains of other samplers do not tell


def cooled(tables: Tables) -> str:
    """Conclude on experiment 2 itself."""
    table = tables["cooled"]
    each = table.groupby("data set").mean(numeric_only=True)
    spread = predicted(each["test error"])
    late = rate(int(table["late"].sum()), len(table))
    printed = rate(*LATE)
    wider = {"inside less outside": mean_of(each["sd inside"] - each["sd outside"])}
    mean = float(np.mean(TEST_ERRORS))
    shown = f"ours {late.value:.0%} ({late.low:.0%} to {late.high:.0%}) of {len(table)} runs, "
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
    return write(claims, _of_runs(table))


def _of_runs(table: pd.DataFrame) -> str:
    """Say when a transition is late, and how long a run takes."""
    seconds = table["seconds"].median()
    late = table[table["late"].astype(bool)]
    rises = f", by {late['rise'].median():.3g} in the median" if len(late) else ""
    return (
        f"A transition is late if the temperature was below {LEVEL:g} before the energy fell below "
        f"the middle of its range; the temperature rises then{rises}. A run takes {seconds:.3g} s "
        f"in the median, the report's took {HOURS:g} hours, {HOURS * SECONDS / seconds:,.0f} times "
        "as long.\n"
    )


def difference(tables: Tables, of: str, to: str, what: str) -> Estimate:
    """Mean difference over the data sets that both ways have."""
    found = of_ways(tables)
    if of not in found or to not in found:
        return Estimate(np.nan, np.inf)
    return mean_of(found[of][what] - found[to][what])


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
    claims += _reached(tables, "short", "It does so with a tenth of the gradients")
    return write(claims, _gradients(tables))


def _reached(tables: Tables, way: str, text: str) -> list[Claim]:
    found = {"difference of excess": difference(tables, way, "annealed", "excess")}
    than = level(tables, "annealed").value
    verdict = rules.no_worse(found["difference of excess"], than)
    return [Claim(text, verdict, says(found), "no worse")] if known(found) else []


def _gradients(tables: Tables) -> str:
    found = of_ways(tables)
    if not {"annealed", "short"} <= set(found):
        return ""
    share = found["short"]["gradients"].median() / found["annealed"]["gradients"].median()
    return (
        f"Each of its short chains uses {share:.3g} of the gradients of an annealed run, and is "
        "judged alone. They are fits of another model, with a normal-inverse-gamma prior.\n"
    )


def starts(tables: Tables) -> str:
    """Conclude on failures of single chains."""
    table = marked(tables["starts"].assign(**MOVING))
    claims = []
    there = {key: text for key, text in STARTS.items() if key[0] in set(table["fit"])}
    for (fit, how), text in there.items():
        rows = table[table["fit"] == fit]
        failed = int(rows[how].sum())
        evidence = _of_rate(failed, len(rows))
        claims.append(Claim(text, rules.none(failed, len(rows)), evidence, "none"))
    return write(claims, _where(table[table["fit"] == "small"]))


def _of_rate(failed: int, of: int) -> str:
    found = rate(failed, of)
    return f"{failed} of {of}, {PERCENT * found.low:.2g} to {PERCENT * found.high:.2g}%"


def _where(rows: pd.DataFrame) -> str:
    """Say whether failures are those of data sets rather than of starts."""
    if rows.empty or not rows["failed"].any():
        return ""
    share = rows.groupby("data set")["failed"].mean()
    some, every = int((share > 0).sum()), int((share == 1).sum())
    of_all = f"; on {every} of them all starts do" if every else ""
    return f"With eight units, {some} of {len(share)} data sets have a start that fails{of_all}.\n"


def priors(tables: Tables) -> str:
    """Conclude on priors and approximations."""
    claims = []
    for way, text in SCORES.items():
        claims += _less(text, {"difference": difference(tables, way, "large", "log score")}, "nats")
    text = "By the recommended sampler, the report's model has a larger excess: eight units"
    claims += _less(text, {"ours less the report's": _chains(tables, "small", "logistic")})
    methods = ("mean field", "full rank")
    excess = {name: -difference(tables, name, "large", "excess") for name in methods}
    covered = {name: difference(tables, name, "large", "covered outside") for name in methods}
    claims += _less("Variational approximations have a larger excess", excess)
    text = "Their intervals hold the truth less often where there are no training cases"
    return write([*claims, *_less(text, covered)])


def _chains(tables: Tables, of: str, to: str) -> Estimate:
    """Mean difference of the excess of single chains, over the data sets that both have."""
    table = tables.get("starts", pd.DataFrame({"fit": [], "data set": [], "excess": []}))
    each = table.groupby(["fit", "data set"])["excess"].mean()
    there = set(table["fit"])
    return mean_of(each[of] - each[to]) if {of, to} <= there else Estimate(np.nan, np.inf)


def _less(text: str, found: dict[str, Estimate], unit: str = "") -> list[Claim]:
    """Judge that differences are below zero, if they are there."""
    return [Claim(text, rules.less(found), says(found, unit), "less")] if known(found) else []

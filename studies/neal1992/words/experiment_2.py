"""What the page says of experiment 2 and of what is set beside it."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ..design.printed import HOURS, TEST_ERRORS, TRANSITIONS
from ..numbers.derived import PERCENT, marked, of_ways
from ..numbers.rates import mean_of, predicted, rate
from ..numbers.transitions import SHARP
from . import judgements as rules
from .judgements import says

TARGET = 40.0  # excess on MacKay's scale
TENTH = 0.1
SECONDS = 3600.0


def cooled(tables: Tables) -> str:
    """Conclude on experiment 2 itself."""
    table = tables["cooled"]
    each = table.groupby("data set").mean(numeric_only=True)
    spread = predicted(each["test error"])
    late = rate(int(table["late"].sum()), len(table))
    printed = rate(*TRANSITIONS)
    wider = {"inside less outside": mean_of(each["sd inside"] - each["sd outside"])}
    mean = float(np.mean(TEST_ERRORS))
    shown = f"ours {late.value:.0%} ({late.low:.0%} to {late.high:.0%}) of {len(table)} runs, "
    shown += f"the report's {printed.value:.0%} ({printed.low:.0%} to {printed.high:.0%}) of 5"
    seconds = table["seconds"].median()
    claims = [
        Claim(f"Test errors are {min(TEST_ERRORS):.0f} to {max(TEST_ERRORS):.0f}, mean {mean:.0f}",
              rules.in_the_spread(mean, spread), says({"one more data set": spread}),
              "in the spread"),
        Claim("Late transitions are as frequent", rules.as_often(late, printed), shown, "as often"),
        Claim("Predictions are less certain where there are no training cases", rules.less(wider),
              says(wider), "less"),
    ]
    at = table.loc[table["late"].astype(bool), "at"]
    begins = f" They begin at a temperature of {at.median():.3g} in the median." if len(at) else ""
    return write(
        claims,
        f"A late transition is a fall of the energy by more than {SHARP:g} nats in 20 iterations, "
        f"while the temperature rises.{begins} A run takes {seconds:.3g} s in the median, the "
        f"report's took {HOURS:g} hours, {HOURS * SECONDS / seconds:,.0f} times as long.\n",
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
    ours, reports = level(tables, "large"), level(tables, "annealed")
    claims = [
        Claim(f"The excess of the recommended sampler is at most {TARGET:g}",
              rules.at_most(ours, TARGET), says({"excess": ours}), "at most"),
        _reached(tables, "large", "The recommended sampler reaches the annealed one's error",
                 reports.value),
        _reached(tables, "short", "It does so with a tenth of the gradients", reports.value),
    ]
    return write(claims, _gradients(tables))


def _reached(tables: Tables, way: str, text: str, than: float) -> Claim:
    found = difference(tables, way, "annealed", "excess")
    shown = says({"difference of excess": found})
    return Claim(text, rules.no_worse(found, than), shown, "no worse")


def _gradients(tables: Tables) -> str:
    found = of_ways(tables)
    if not {"annealed", "short"} <= set(found):
        return ""
    share = found["short"]["gradients"].median() / found["annealed"]["gradients"].median()
    return (
        f"Its short chains use {share:.3g} of the gradients of an annealed run. They are fits of "
        "another model, with a normal-inverse-gamma prior.\n"
    )


def starts(tables: Tables) -> str:
    """Conclude on failures of single chains."""
    claims = []
    texts = {
        "small": "No start of the recommended sampler fails: eight units, default length",
        "short": "No start of it fails: nineteen units, a tenth of the gradients",
        "logistic": "No start of it fails on the report's model, eight units",
    }
    table = marked(tables["starts"].assign(rejected=0.0))
    for fit, text in texts.items():
        rows = table[table["fit"] == fit]
        failed = int(rows["failed"].sum())
        verdict = rules.none(failed, len(rows)) if len(rows) else rules.none(0, 0)
        claims.append(Claim(text, verdict, _of_rate(failed, len(rows)), "none"))
    return write(claims, _where(table[table["fit"] == "small"]))


def _of_rate(failed: int, of: int) -> str:
    if not of:
        return ""
    found = rate(failed, of)
    return f"{failed} of {of}, {PERCENT * found.low:.2g} to {PERCENT * found.high:.2g}%"


def _where(rows: pd.DataFrame) -> str:
    """Say whether failures are those of data sets rather than of starts."""
    if rows.empty or not rows["failed"].any():
        return ""
    share = rows.groupby("data set")["failed"].mean()
    some, every = int((share > 0).sum()), int((share == 1).sum())
    return (
        f"With eight units, {some} of {len(share)} data sets have a start that fails, {every} of "
        "them nothing but such starts: there the threshold is below what the posterior gives.\n"
    )


def priors(tables: Tables) -> str:
    """Conclude on priors and approximations."""
    scores = {
        "logistic less ours": difference(tables, "annealed", "large", "log score"),
        "fixed scale less ours": difference(tables, "gaussian", "large", "log score"),
    }
    worse = {
        "mean field": -difference(tables, "mean field", "large", "excess"),
        "full rank": -difference(tables, "full rank", "large", "excess"),
    }
    covered = {
        name: difference(tables, name, "large", "covered outside") for name in worse
    }
    claims = [
        Claim(f"The score is lower: {name}", rules.less({name: one}), says({name: one}, "nats"),
              "less")
        for name, one in scores.items()
    ]
    claims += [
        Claim("Variational approximations have a larger excess than sampling", rules.less(worse),
              says(worse), "less"),
        Claim("Their intervals hold the truth less often where there are no training cases",
              rules.less(covered), says(covered), "less"),
    ]
    return write(claims)

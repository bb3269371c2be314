"""What was found, in a few sentences."""

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ...reproduction.verdicts import Verdict
from ..design.printed import HOURS, TEST_ERRORS
from ..numbers.derived import PERCENT, marked, of_ways
from ..numbers.rates import by_run
from . import judgements as rules
from .experiment_1 import gain
from .experiment_2 import MOVING, TARGET, difference, level

ANSWERS = {Verdict.STANDS: "yes", Verdict.FAILS: "no", Verdict.UNDECIDED: "undecided"}


def found(tables: Tables) -> str:
    """Say what was found, each sentence if its tables are there."""
    said = [_annealing(tables), _stuck(tables), _cooled(tables), _ours(tables), _starts(tables)]
    return " ".join(text for text in said if text)


def _interval(one: Estimate, digits: int = 3) -> str:
    low, high = one.interval()
    return f"{low:.{digits}g} to {high:.{digits}g}"


def _annealing(tables: Tables) -> str:
    table = marked(tables["runs"])
    one = gain(table, pd.Series(True, index=table.index))
    rates = PERCENT * table.groupby("way")["failed"].mean()
    if not {"annealed", "plain"} <= set(rates.index):
        return ""
    answer = ANSWERS[rules.less({"": one})]
    return (
        f"Does annealing make failures fewer? {answer.capitalize()}: over all cells of experiment "
        f"1, {rates['annealed']:.3g}% of runs fail with it and {rates['plain']:.3g}% without, a "
        f"difference of {one.value:.3g} points ({_interval(one)})."
    )


def _stuck(tables: Tables) -> str:
    table = marked(tables["runs"])
    failed = table[(table["failed"] == 1) & (table["way"] == "plain")]
    if failed.empty:
        return ""
    share = mean_of(PERCENT * by_run(failed, "ever"))
    answer = ANSWERS[rules.at_most(share, PERCENT / 2).turned()]
    return (
        "Were most runs that fail without annealing stuck at some time, with over 95% of "
        f"trajectories rejected? {answer.capitalize()}: {share.value:.3g}% of them were, mean over "
        f"seeds ({_interval(share)})."
    )


def _cooled(tables: Tables) -> str:
    if "cooled" not in tables:
        return ""
    error, seconds = level(tables, "annealed", "test error"), tables["cooled"]["seconds"].median()
    return (
        f"The slow annealing of experiment 2 has test errors of {error.value:.3g} on average over "
        f"data sets ({_interval(error)}), where the report has {min(TEST_ERRORS):.0f} to "
        f"{max(TEST_ERRORS):.0f} on one, and takes {seconds:.2g} s a run instead of {HOURS:g} "
        "hours."
    )


def _ours(tables: Tables) -> str:
    there = of_ways(tables)
    if not {"large", "short", "annealed"} <= set(there):
        return ""
    ours, reports = level(tables, "large"), level(tables, "annealed")
    less = difference(tables, "short", "annealed", "excess")
    at_most = ANSWERS[rules.at_most(ours, TARGET)]
    reached = ANSWERS[rules.no_worse(less, reports.value)]
    share = there["short"]["gradients"].median() / there["annealed"]["gradients"].median()
    return (
        f"Is the excess of the recommended sampler at most {TARGET:g}? {at_most.capitalize()}: "
        f"{ours.value:.3g} ({_interval(ours)}), beside {reports.value:.3g} ({_interval(reports)}) "
        f"of the annealed runs; does {share:.2g} of their gradients reach their error within "
        f"{rules.MARGIN:.0%}? "
        f"{reached.capitalize()}: the difference is {less.value:.3g} ({_interval(less)})."
    )


def _starts(tables: Tables) -> str:
    if "starts" not in tables:
        return ""
    table = marked(tables["starts"].assign(**MOVING))
    each = {"small": "eight units", "short": "nineteen and a tenth of the gradients"}
    said = []
    for fit, words in each.items():
        rows = table[table["fit"] == fit]
        said += [f"{int(rows['failed'].sum())} of {len(rows)} with {words}"] if len(rows) else []
    if not said:
        return ""
    return f"Of its single chains, by the threshold of the report, {' and '.join(said)} fail."

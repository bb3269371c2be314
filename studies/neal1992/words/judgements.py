"""Rules that claims are judged by; each can say yes, no and undecided."""

from collections.abc import Mapping

import pandas as pd

from ...reproduction.estimates import Estimate
from ...reproduction.rates import Rate, rate
from ...reproduction.rules import about, at_most, less
from ...reproduction.verdicts import Verdict

__all__ = [
    "about",
    "as_often",
    "at_most",
    "best",
    "counted",
    "in_the_spread",
    "less",
    "less_every_way",
    "no_worse",
    "none",
]

MARGIN = 0.10  # share of a level, below which a difference is no loss
WIDE = 0.5  # half-width of an interval, as a share of the number that it is to hold
RARE = 0.15  # share of data sets
FEWEST = 5  # numbers whose spread is known

RULES = {
    "less": "numbers are less than others. Stands if the interval of every difference lies below "
    "zero, fails if one lies above.",
    "less, every way": "less evidence by a bridge, by draws of our posterior alone, and by ladders "
    "where there are some. Stands if all intervals lie below zero, fails if all lie above. Bridges "
    "have cautions, so that this is of the sign alone; the size is between the ways at best.",
    "best": "a cell of the grid is the best. Cells are candidates where the rate of failures less "
    "the least one, data set by data set, has an interval that reaches zero. Stands if the cell is "
    "the only candidate, fails if it is none.",
    "in the spread": "a printed number is like ours. The interval is that of one more data set, "
    "from the spread over ours, as the report has one. Fails if the number lies outside; stands if "
    f"it lies inside and the interval reaches at most {WIDE:.0%} of the number to each side. It is "
    f"undecided with fewer than {FEWEST} of ours.",
    "about": "a number lies in a range. Stands if its interval does, fails if that lies outside.",
    "as often": "something happens as often as in the report. Stands if the interval of our rate "
    f"holds the report's and is at most {MARGIN:.0%} wide to each side; fails if the intervals of "
    "both rates have no number in common.",
    "none": "nothing that was run fails. Fails if something does. Runs on one data set are alike, "
    "so that the interval is that of the share of data sets with one that does; stands if it ends "
    f"at {RARE:.0%} or below, and says no more than that such data sets are rarer.",
    "at most": "a number is at most another. Stands if its interval ends below, fails if it begins "
    "above.",
    "most": "a share is above half. Stands if its interval begins above, fails if it ends below.",
    "no worse": f"an excess is reached. Stands if the interval of what it is beyond {1 + MARGIN:g} "
    "times the excess to be reached, data set by data set, ends below zero, fails if it begins "
    "above.",
}
HOW = (
    "A verdict follows from a rule on the numbers of these tables. What a rule does not say stands "
    "or fails is **undecided**. Data sets are what is independent: runs on one are alike, and runs "
    "of one seed share their start too, in all cells. Differences are taken by data set, those "
    "between stuck runs and others seed by seed before. All intervals, by Student's t, are those "
    "of means over data sets, those of rates too, and hold with 95% for all differences of a claim "
    "at once. Shares of data sets, and the report's rate, have Jeffreys'. The rules say that"
)


def how() -> str:
    """Say how claims are judged: what a verdict is, and each rule."""
    return "\n".join([f"{HOW}\n", *(f"- *{name}*: {text}" for name, text in RULES.items())])


def candidates(found: Mapping[tuple, Estimate]) -> list[tuple]:
    """Cells whose rate is not clearly above the least one."""
    return [cell for cell, one in found.items() if not one.interval(len(found))[0] > 0]


def best(found: Mapping[tuple, Estimate], cell: tuple) -> Verdict:
    """Judge that a cell is the best.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.words.judgements import best
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> rates = {(1,): Estimate(0.0, 0.0), (2,): Estimate(0.1, 0.1), (3,): Estimate(0.5, 0.1)}
    >>> [str(best(rates, cell)) for cell in ((1,), (3,))]
    ['Undecided', 'Does not stand']
    """
    left = candidates(found)
    if cell not in found:
        return Verdict.UNDECIDED
    if cell not in left:
        return Verdict.FAILS
    return Verdict.STANDS if left == [cell] else Verdict.UNDECIDED


def in_the_spread(printed: float, spread: Estimate) -> Verdict:
    """Judge that a printed number of one data set is like ours; see :func:`.rates.predicted`."""
    if not spread.freedom >= FEWEST - 1 or spread.freedom == float("inf"):
        return Verdict.UNDECIDED
    low, high = spread.interval()
    if not low <= printed <= high:
        return Verdict.FAILS
    return Verdict.STANDS if high - low <= 2 * WIDE * abs(printed) else Verdict.UNDECIDED


def as_often(ours: Rate, printed: Rate) -> Verdict:
    """Judge that something happens as often as in the report."""
    if ours.low > printed.high or ours.high < printed.low:
        return Verdict.FAILS
    known = max(ours.high - ours.value, ours.value - ours.low) <= MARGIN
    holds = ours.low <= printed.value <= ours.high
    return Verdict.STANDS if known and holds else Verdict.UNDECIDED


def none(happened: pd.Series, sets: pd.Series) -> Verdict:
    """Judge that something never happens, on whatever data set."""
    where = happened.groupby(sets.to_numpy()).any()
    if where.any():
        return Verdict.FAILS
    return Verdict.STANDS if rate(0, len(where)).high <= RARE else Verdict.UNDECIDED


def counted(happened: pd.Series, sets: pd.Series) -> str:
    """Write how often something happened, and on how many data sets, with the interval of these.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.neal1992.words.judgements import counted
    >>> counted(pd.Series([True, True, False, False]), pd.Series([0, 0, 1, 1]))
    '2 of 4; on 1 of 2 data sets, 6.1 to 94%'
    """
    where = happened.groupby(sets.to_numpy()).any()
    found = rate(int(where.sum()), len(where))
    some = f"on {int(where.sum())} of {len(where)} data sets"
    ends = f"{100 * found.low:.2g} to {100 * found.high:.2g}%"
    return f"{int(happened.sum())} of {len(happened)}; {some}, {ends}"


def no_worse(beyond: Estimate) -> Verdict:
    """Judge that an excess is reached, by what it is beyond the margin; see :data:`RULES`."""
    return at_most(beyond, 0.0)


def less_every_way(found: Mapping[str, Estimate]) -> Verdict:
    """Judge that differences are below zero, all of them or none.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.words.judgements import less_every_way
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> below, above = Estimate(-1.0, 0.1), Estimate(1.0, 0.1)
    >>> str(less_every_way({"one": below, "other": below}))
    'Stands'
    >>> str(less_every_way({"one": below, "other": above}))
    'Undecided'
    """
    said = {at_most(one, 0.0, len(found)) for one in found.values()}
    return said.pop() if len(said) == 1 else Verdict.UNDECIDED

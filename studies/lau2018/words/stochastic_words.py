"""Claims of the thesis on stochastic gradients (4.6), judged by the page's tables."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim
from ...reproduction.estimates import Estimate, summed
from ..design.digits import CASES
from ..design.pairs import EXACT
from ..design.published import published
from ..numbers.differences import compared, unpaired
from ..numbers.estimates import Compared
from ..rules.judgements import differ, equal, says
from ..rules.patterns import Numbers, is_nearer, nearer, same_order, says_gap, says_order
from .thesis_words import rows_of

NAME, AS_PRINTED = "stochastic_gradients", "noise_as_printed"
PRINTED = "thesis's error %"
KINDS = {"most probable class": "error %", "drawn classes": "error % of drawn classes"}


def stochastic_gradients(tables: Tables) -> list[Claim]:
    """Stochastic gradients, 4.6."""
    table = rows_of(tables, NAME)
    best = _best(tables, NAME)
    if best is None:
        return []
    errors = table["error %"].dropna()
    least, worst = str(errors.idxmin()), str(errors.idxmax())
    count = len(errors)
    spread = {f"{worst} against {least}": Compared(_apart(table, worst, least))}
    theirs, ours = _least(table, PRINTED), _least(table, "error %")
    rates = ", ".join(
        f"{rate}: {ours[rate].value:.1f}% and {theirs[rate].value:.1f}%" for rate in theirs
    )
    return [
        best,
        Claim(
            "It depends on its settings",
            differ(spread, among=count * (count - 1) // 2),
            says(spread, count * (count - 1) // 2),
            "differ",
        ),
        Claim(
            "Learning rates have the order that they have in the thesis",
            same_order(theirs, ours),
            f"{says_order(theirs, ours)}. Least errors at each, ours and the thesis's of "
            f"{_run(table)[1]}: {rates}",
            "same order",
        ),
    ]


def noise_as_printed(tables: Tables) -> list[Claim]:
    """The noise of Algorithm 16 as it is printed, and whether Tables 4.5-4.8 are made with it."""
    best = _best(tables, AS_PRINTED)
    if best is None:
        return []
    ours, other = rows_of(tables, AS_PRINTED), rows_of(tables, NAME)
    gaps = {
        kind: nearer(ours[PRINTED], ours[column], other[column])
        for kind, column in KINDS.items()
        if column in ours and column in other
    }
    said = "; ".join(f"{kind}: {says_gap(gap, len(gaps))}" for kind, gap in gaps.items())
    text = "Errors that the thesis prints are nearer to these than to those of the table above"
    return [best, Claim(text, is_nearer(gaps), said, "nearer")]


def _best(tables: Tables, name: str) -> Claim | None:
    """Judge the row that errs least, of as many as there are."""
    table = rows_of(tables, name)
    if "error %" not in table or "differences" not in tables:
        return None
    errors = table["error %"].dropna()
    best = str(errors.idxmin())
    gap = compared(tables["differences"], name, best, EXACT)
    if gap is None or best == str(errors.idxmax()):
        return None
    found, count = {best: gap}, len(errors)
    return Claim(
        "With the right settings SGHMC errs as often as exact sampling",
        equal(found, among=count),
        f"The best of {count} settings is {says(found, count)}",
        "equal",
    )


def _apart(table: pd.DataFrame, first: str, second: str) -> Estimate:
    one, other = table.loc[first], table.loc[second]
    freedom = float(one["chains"]) - 1.0
    spreads = tuple((float(row["± chains"]) ** 2, freedom) for row in (one, other))
    return unpaired(float(one["error %"]), float(other["error %"]), spreads)


def _least(table: pd.DataFrame, column: str) -> Numbers:
    """Least error at each learning rate, over all numbers of leapfrog steps."""
    if column not in table:
        return {}
    rates = [str(row).split("-")[1] for row in table.index]
    least = {}
    for rate, errors in table[column].groupby(rates):
        value = float(errors.min())
        if np.isfinite(value):
            cases = (value * (100.0 - value) / CASES, CASES - 1.0)
            least[str(rate)] = summed(value, [cases], paired=False)
    return least


def _run(table: pd.DataFrame) -> tuple[int, str]:
    """How many settings the thesis has, and which of its tables those are in that were run."""
    theirs = published(NAME)
    velocities = {float(str(row).split("-")[0]) for row in table.index}
    there = sorted(theirs[theirs["epsilon"].isin(velocities)]["table"].unique())
    if len(there) == 1:
        return len(theirs), f"Table {there[0]}"
    return len(theirs), f"Tables {there[0]}-{there[-1]}"


def heat(name: str, tables: Tables) -> str:
    """Say which settings were run, and whether the energy of the best one is off."""
    table = rows_of(tables, name)
    if "energy off by" not in table or _best(tables, name) is None:
        return ""
    every, places = _run(table)
    run = f"Of the thesis's {every} settings {len(table)} are run, those of {places}."
    row = table.loc[table["error %"].idxmin()]
    return f"{run} {off(Estimate(float(row['energy off by']), float(row['± energy'])))}"


def off(energy: Estimate) -> str:
    """Say whether draws are those of the posterior, by how much their mean energy is off.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> from pymc_bnn.studies.lau2018.words.stochastic_words import off
    >>> off(Estimate(3.0, 2.0)).split(":")[0]
    'Whether draws of the best setting are those of the posterior is undecided'
    """
    low, high = energy.interval()
    is_off = low > 0 or high < 0
    text = (
        "Draws of the best setting are not those of the posterior"
        if is_off
        else "Whether draws of the best setting are those of the posterior is undecided"
    )
    return (
        f"{text}: their mean energy is off by {energy.value:.0f} ± {energy.error:.0f} "
        f"({low:.0f} to {high:.0f}) nats."
    )

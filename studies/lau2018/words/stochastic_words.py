"""Claims of the thesis on stochastic gradients (4.6), judged by the page's tables."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim
from ...reproduction.estimates import Estimate, summed
from ..design.digits import CASES
from ..design.pairs import EXACT
from ..numbers.differences import compared, unpaired
from ..numbers.estimates import Compared
from .judgements import differ, equal, says
from .patterns import Numbers, same_order, says_order
from .thesis_words import rows_of

NAME = "stochastic_gradients"
PRINTED = "thesis's error %"


def stochastic_gradients(tables: Tables) -> list[Claim]:
    """Stochastic gradients, 4.6."""
    table = rows_of(tables, NAME)
    if "error %" not in table or "differences" not in tables:
        return []
    errors = table["error %"].dropna()
    best, worst = str(errors.idxmin()), str(errors.idxmax())
    gap = compared(tables["differences"], NAME, best, EXACT)
    if gap is None or best == worst:
        return []
    found, count = {best: gap}, len(errors)
    spread = {f"{worst} against {best}": Compared(_apart(table, worst, best))}
    theirs, ours = _least(table, PRINTED), _least(table, "error %")
    rates = ", ".join(
        f"{rate}: {ours[rate].value:.1f}% and {theirs[rate].value:.1f}%" for rate in theirs
    )
    return [
        Claim(
            "With the right settings SGHMC errs as often as exact sampling",
            equal(found, among=count),
            f"The best of {count} settings is {says(found, count)}",
            "equal",
        ),
        Claim(
            "It depends on its settings",
            differ(spread, among=count * (count - 1) // 2),
            says(spread, count * (count - 1) // 2),
            "differ",
        ),
        Claim(
            "Learning rates have the order that they have in the thesis",
            same_order(theirs, ours),
            f"{says_order(theirs, ours)}. Least errors at each, ours and the thesis's: {rates}",
            "same order",
        ),
    ]


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


def heat(tables: Tables) -> str:
    """Say by how much the energy of the best setting is off: its draws are not the posterior's."""
    table = rows_of(tables, NAME)
    if "energy off by" not in table or not stochastic_gradients(tables):
        return ""
    row = table.loc[table["error %"].idxmin()]
    return (
        "Its draws are not those of the posterior: the mean energy of the best setting is off by "
        f"{row['energy off by']:.0f} ± {row['± energy']:.0f} nats."
    )

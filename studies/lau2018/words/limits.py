"""What infinitely wide networks say about one hidden layer on pixels."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim
from ...reproduction.estimates import Estimate
from ..numbers.limits import BINOMIAL, BY_EVIDENCE, BY_FOLDS, ERROR, OWN, PARTS, TEMPERED
from ..rules.judgements import below
from ..runs.limit import RATIOS

MOST_WRONG = 5.0  # percent, the target of one hidden layer on pixels
WHOSE = {
    OWN: "with the candidates' scales",
    TEMPERED: "with the candidates' scales at the temperature that K-fold chooses",
    BY_EVIDENCE: "with the scales of most evidence",
    BY_FOLDS: "with the scales that K-fold chooses by the squared error of codes",
}
TEXT = (
    "A network on codes of one hidden layer becomes a Gaussian process as it becomes wide, whose "
    "predictions have a closed form for units that compute the error function. Its scales are "
    "those of the candidates, which K-fold over the training cases chose; others of a finer grid, "
    "chosen by the training cases alone, by the evidence at the best scale of the outputs or by "
    "K-fold and the squared error of codes; and in hindsight those that err least on the digits "
    "that they are counted on: such an error is too small. At temperature T the variance of the "
    "noise is T times as large. All of this was looked at after the networks had been chosen, "
    "and chooses nothing. It is about this prior and scales that are given: scales that are "
    "sampled were not measured, and a network of few units can learn features that the limit has "
    "not."
)


def limits(tables: Tables) -> list[Claim]:
    """Claims about infinitely wide networks on pixels, judged by all 1297 digits."""
    table = tables.get("limits", pd.DataFrame())
    if table.empty or "pixels" not in set(table["inputs"]):
        return []
    pixels = table[table["inputs"] == "pixels"].set_index("scales")
    return [
        _at_most(pixels.loc[scales], whose)
        for scales, whose in WHOSE.items()
        if scales in pixels.index
    ]


def _at_most(row: pd.Series, whose: str) -> Claim:
    estimate = _estimate(row, "1297")
    low, high = estimate.interval()
    each = " and ".join(f"{row[ERROR.format(part)]:.1f}% of the {part}" for part in ("500", "797"))
    return Claim(
        f"From pixels an infinitely wide network on codes errs on at most {MOST_WRONG:g}%, {whose}",
        below(estimate, MOST_WRONG),
        f"{estimate.value:.1f} ± {estimate.error:.1f} ({low:.1f} to {high:.1f}) percent of all "
        f"1297; {each}",
        "below",
    )


def in_hindsight(tables: Tables) -> str:
    """Say how K-fold's network errs, and how little any scales of the limit's grid do."""
    table = tables.get("limits", pd.DataFrame())
    if table.empty or "pixels" not in set(table["inputs"]):
        return ""
    pixels = table[table["inputs"] == "pixels"]
    least = {part: float(pixels[ERROR.format(part)].min()) for part in PARTS}
    each = ", ".join(f"{value:.1f}% of the {part}" for part, value in least.items())
    reach = [part for part, value in least.items() if value <= MOST_WRONG]
    parts = " and ".join(f"the {part}" for part in reach) if reach else "none of them"
    count = f"{pixels['settings'].iloc[0]:.0f}"
    return (
        f"{_chosen(tables)}In hindsight the best of {count} settings of the infinitely wide "
        f"network err on {each}: at most {MOST_WRONG:g}% on {parts}.{_at_the_edge(pixels)}"
    )


def _at_the_edge(pixels: pd.DataFrame) -> str:
    """Say where what training cases choose has the least noise of the grid."""
    rows = pixels[pixels["scales"].isin([TEMPERED, BY_EVIDENCE, BY_FOLDS])]
    if rows.empty or not np.isclose(rows["noise over sd of outputs"], RATIOS[0]).all():
        return ""
    return (
        " Evidence and the squared error of codes both choose the least noise of the grid, next to "
        "none. The candidates' scales are of a coarser grid that has more: the less noise, the "
        "longer trajectories take."
    )


def _chosen(tables: Tables) -> str:
    """Say how the network on pixels that K-fold chooses errs."""
    table = tables.get("chosen", pd.DataFrame())
    if table.empty:
        return ""
    is_it = (table["among"] == "one layer on pixels") & (table["chosen by"] == "K-fold")
    rows = table[is_it & (table["exponent"] == 1.0)]
    if rows.empty:
        return ""
    row = rows.iloc[0]
    return (
        f"Of the candidates with one layer on pixels K-fold chooses {row['network']}, which errs "
        f"on {row['error %']:.1f} ± {row['± cases']:.1f} (cases) percent of the 500, where at most "
        f"{MOST_WRONG:g}% was aimed at. "
    )


def _estimate(row: pd.Series, part: str) -> Estimate:
    return Estimate(float(row[ERROR.format(part)]), float(row[BINOMIAL.format(part)]))

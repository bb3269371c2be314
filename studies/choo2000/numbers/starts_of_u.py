"""Variances of Gibbs's means of u over the thesis's, by start states and by true means."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...chains.deviations import squared_deviations
from ..design.methods import METHODS
from ..design.starts import INSIDE, OUTSIDE
from ..runs.many_starts import METHOD, STAGE
from . import analysis, beside
from .at_once import limit
from .larger import TIMES
from .results import Results

LETTER = "u"
STARTS = {"again": "plain", "tail": "interweaved", STAGE: "interweaved"}
SAMPLES = 10_000
OURS = "ours of it"  # the part of an error that is not the thesis's


class _Found(NamedTuple):
    width: int
    rho: float
    error: float
    chains: int
    resampled: np.ndarray


def u_by_starts(results: Results) -> pd.DataFrame:
    """Geometric means over widths of variances of Gibbs's means of u, over the thesis's.

    Widths are independent of each other, as no start state is of two. *As low* is the share of
    sets of 40 chains from outside the region G and 10 from inside, drawn anew from those that
    there are, whose geometric mean is at most the thesis's.
    """
    rows = []
    for stage, starts in STARTS.items():
        for means, woven in (("interweaved", True), ("plain", False)):
            found = [
                _variance(results.folder, width, key, woven)
                for width in results.budget.widths
                if (key := results.again(METHOD, width, stage)) is not None
                and results.master(width, woven, "summary") is not None
            ]
            if found:
                rows.append([starts, found[0].chains, means, *_over_thesis(found)])
    columns = ["start states", "chains", "true means", TIMES, "error of its log", OURS, "as low"]
    return pd.DataFrame(rows, columns=columns)


def at_once(table: pd.DataFrame) -> pd.DataFrame:
    """Intervals that hold for all rows at once."""
    table = beside.without(table, ["low", "high"])
    spread = np.exp(limit(len(table)) * table["error of its log"])
    return table.assign(low=table[TIMES] / spread, high=table[TIMES] * spread)


def _variance(folder: Path, width: int, key: str, woven: bool) -> _Found:
    trial = analysis.draws_of(folder, key, every=False)
    given = analysis.conditions(folder, width, woven)
    values = squared_deviations(trial, given["reference"], [LETTER])[LETTER].to_numpy()
    labels, rng = trial["stratum"].to_numpy(), np.random.default_rng(0)
    resampled = [
        given["share"][kind] * rng.choice(values[labels == kind], (SAMPLES, count)).mean(axis=1)
        for kind, count in {"outside": OUTSIDE, "inside": INSIDE}.items()
    ]
    found = analysis.variances(folder, width, key, interweave=woven)[LETTER]
    rho, error = (float(found.sel(statistic=name)) for name in ("value", "error"))
    return _Found(width, rho, error, values.size, np.sum(resampled, axis=0))


def over_plain(table: pd.DataFrame) -> pd.DataFrame:
    """Over those from plain start states, with intervals that hold for all of them at once.

    Errors of the thesis cancel; chains from other start states are independent.
    """
    plain = table[table["start states"] == "plain"].set_index("true means")
    rows = table[table["true means"].isin(plain.index) & (table["start states"] != "plain")]
    beside_it = plain.loc[rows["true means"]]
    ratio = rows[TIMES].to_numpy() / beside_it[TIMES].to_numpy()
    spread = np.exp(limit(len(rows)) * np.hypot(rows[OURS].to_numpy(), beside_it[OURS].to_numpy()))
    named = rows[["start states", "chains", "true means"]]
    return named.assign(ratio=ratio, low=ratio / spread, high=ratio * spread)


def _over_thesis(found: list[_Found]) -> tuple[float, float, float, float]:
    head = {"method": METHODS[METHOD].title, "hyperparameter": LETTER}
    ours = [{**head, "hidden units": f.width, "rho": f.rho, "error": f.error} for f in found]
    table = beside.variances(pd.DataFrame(ours))
    logs = np.log(table["rho"] / table["thesis"])
    own = table["error"] / table["rho"]
    errors = np.hypot(own, table["its error"] / table["thesis"])
    sets = np.mean([np.log(one.resampled) for one in found], axis=0)
    low = float(np.mean(sets <= np.log(table["thesis"]).mean()))
    all_of_it, ours_of_it = (float(np.linalg.norm(each)) / len(table) for each in (errors, own))
    return float(np.exp(logs.mean())), all_of_it, ours_of_it, low

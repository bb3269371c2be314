"""Tables that follow from others."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.rates import mean_of, rate
from ...tables.robot_arm import OUTPUTS
from ..design.fits import EQUAL_LOGISTIC, SHORT, SHORT_LOGISTIC
from ..design.printed import BEST_CELL, EXCESS_FAILURE, FAILURE, NOISE, STUCK
from ..runs.approximations.joint_modes import DRAWN, LINEAR, MACKAYS
from .approximated import GAUSSIAN
from .rates import rate_by_set
from .tables import OF_SCALES

PERCENT = 100.0
CELL = ["way", "step size", "spread"]


def marked(table: pd.DataFrame) -> pd.DataFrame:
    """Say which runs failed, by the report's threshold and without noise, and which are stuck."""
    return table.assign(
        failed=1.0 * ~(table["test error"] < FAILURE),
        off=1.0 * ~(table["excess"] < EXCESS_FAILURE),
        stuck=table["rejected"] > STUCK / PERCENT,
        ever=1.0 * (table["most rejected"] > STUCK / PERCENT),
    )


def by_cell(table: pd.DataFrame) -> pd.DataFrame:
    """Failures, errors and rejections of each cell; intervals are by data set."""
    rows = []
    for cell, found in marked(table).groupby(CELL, sort=False):
        failed = rate_by_set(found["failed"], found["data set"])
        free = found[~found["stuck"]]
        rows.append(
            dict(zip(CELL, cell, strict=True))
            | {
                "runs": len(found),
                "failed %": PERCENT * failed.value,
                "from %": PERCENT * failed.low,
                "to %": PERCENT * failed.high,
                "far off %": PERCENT * found["off"].mean(),
                "least test error": found["test error"].min(),
                "median test error": found["test error"].median(),
                "rejected %": PERCENT * free["rejected"].mean(),
                "stuck": int(found["stuck"].sum()),
            }
        )
    return pd.DataFrame(rows)


def cells(tables: Tables) -> pd.DataFrame:
    """Cells of experiment 1."""
    return by_cell(tables["runs"]) if "runs" in tables else pd.DataFrame()


def rates_by_way(tables: Tables) -> pd.DataFrame:
    """Failures over all cells of experiment 1, and in the cell that the report calls the best."""
    if "runs" not in tables:
        return pd.DataFrame()
    rows = []
    table = marked(tables["runs"])
    for where, some in {"all cells": table, "1e-4 and 0.71": table[at_cell(table)]}.items():
        for way, found in some.groupby("way"):
            row = {"where": where, "way": way, "runs": len(found)}
            row |= {
                name: PERCENT * found[name].mean() for name in ("failed", "off", "stuck", "ever")
            }
            row |= {"least test error": found["test error"].min()}
            rows.append(row | {"seconds, median": found["seconds"].median()})
    shown = {"failed": "failed %", "off": "far off %", "stuck": "stuck %", "ever": "ever stuck %"}
    return pd.DataFrame(rows).rename(columns=shown)


def at_cell(table: pd.DataFrame, cell: tuple[float, float] = BEST_CELL) -> pd.Series:
    """Which runs are those of a cell, by default of the one that the report calls the best."""
    step_size, spread = cell
    return np.isclose(table["step size"], step_size, rtol=0.01) & (table["spread"] == spread)


def runs_by_way(tables: Tables) -> pd.DataFrame:
    """Stuck runs and others, with annealing and without: what is tight in their last states."""
    if "runs" not in tables:
        return pd.DataFrame()
    names = ("rejected", "largest weight", "least distance to a wall", "largest step")
    rows = []
    for (way, stuck), found in marked(tables["runs"]).groupby(["way", "stuck"]):
        row = {"way": way, "stuck": "yes" if stuck else "no", "runs": len(found)}
        row |= {"failed %": PERCENT * found["failed"].mean()}
        row |= {f"{name}, median": found[name].median() for name in names}
        tightest = found["tightest weight"]
        row |= {"tightest is a scale %": PERCENT * tightest.isna().mean()}
        rows.append(row | {"tightest weight, median": tightest.median()})
    return pd.DataFrame(rows)


def metropolis_cells(tables: Tables) -> pd.DataFrame:
    """Cells of the Metropolis algorithm."""
    if "metropolis" not in tables:
        return pd.DataFrame()
    found = by_cell(tables["metropolis"])
    return found[[*CELL, "runs", "failed %", "least test error", "median test error", "rejected %"]]


WAYS = {
    "annealed": "report's, annealed",
    "large": "recommended, default length",
    SHORT: "recommended, a tenth of the gradients",
    SHORT_LOGISTIC: "report's model by NUTS, a tenth of the gradients",
    EQUAL_LOGISTIC: "report's model by NUTS, as many gradients",
    "gaussian": "recommended, weights of a fixed scale",
    GAUSSIAN: "Gaussian approximation, most evidence",
    "mean field": "variational, mean field",
    "full rank": "variational, full rank",
    LINEAR: "Laplace by fit_laplace, linear outputs",
    DRAWN: "Laplace by fit_laplace, its draws",
    MACKAYS: "Gaussian approximation, its draws",
}
OF_FITS = {  # what the table of single chains calls them
    "large": WAYS["large"],
    "gaussian": WAYS["gaussian"],
    SHORT: WAYS[SHORT],
    "small": "recommended, eight units, default length",
    "logistic": "report's model by NUTS, eight units",
    SHORT_LOGISTIC: WAYS[SHORT_LOGISTIC],
    EQUAL_LOGISTIC: WAYS[EQUAL_LOGISTIC],
}
OF_DRAWS = (DRAWN, MACKAYS)  # normal distributions, drawn from for outputs that are not linear
OURS = "large"
ALONE = (SHORT, SHORT_LOGISTIC)  # short chains, judged one by one; too few draws for their ESS
SCALES = "hyperparameters per second"
MEASURES = (
    "test error",
    "excess",
    "log score",
    "covered inside",
    "covered outside",
    "normalised inside",
    "normalised outside",
)


def ways(tables: Tables) -> pd.DataFrame:
    """All samplers and priors on nineteen hidden units: means over data sets."""
    rows = []
    for name, found in of_ways(tables).items():
        row = {"way": WAYS[name], "data sets": len(found)}
        for measure in MEASURES:
            one = mean_of(found[measure])
            row |= {measure: one.value}
            if measure in ("test error", "excess", "log score"):
                row |= {f"± {measure}": one.error}
        more = ("gradients", "seconds")
        if "effective draws" in found and name not in ALONE:
            row |= {"effective per second": (found["effective draws"] / found["seconds"]).median()}
        if SCALES in found and name not in ALONE:
            row |= {SCALES: found[SCALES].median()}
        rows.append(row | {m: found[m].median() if m in found else np.nan for m in more})
    return pd.DataFrame(rows).replace(np.inf, np.nan)


def of_ways(tables: Tables) -> dict[str, pd.DataFrame]:
    """What each sampler and prior has on each data set, by the data set."""
    found = {}
    if "cooled" in tables:
        found["annealed"] = tables["cooled"].groupby("data set").mean(numeric_only=True)
    for table, column in (("sets", "fit"), ("approximations", "method")):
        if table in tables:
            for name, rows in tables[table].groupby(column, sort=False):
                if name in WAYS:
                    found[str(name)] = rows.set_index("data set").drop(columns=column)
    for name, rates in of_hyperparameters(tables, found).items():
        found[name] = found[name].join(rates)
    for name in ALONE:
        if name in found:
            found[name] = found[name].assign(**of_one_chain(tables, name))
    return found


def of_hyperparameters(tables: Tables, ways: Mapping[str, pd.DataFrame]) -> dict[str, pd.Series]:
    """Effective draws of the hyperparameters per second, of the ways that have them."""
    column = OF_SCALES["effective_scales"]
    found = {n: one[column] / one["seconds"] for n, one in ways.items() if column in one}
    counted = tables.get("hyperparameters", pd.DataFrame())
    if len(counted) and "annealed" in ways:
        runs = counted.groupby("data set").mean(numeric_only=True)
        found["annealed"] = runs["effective draws"] / runs["seconds"]
    return {name: rates.rename(SCALES) for name, rates in found.items()}


def of_one_chain(tables: Tables, fit: str) -> dict[str, Any]:
    """Errors of a single chain on each data set, mean over starts; the rest is of all together."""
    rows = tables["starts"][tables["starts"]["fit"] == fit]
    excess = rows.groupby("data set")["excess"].mean()
    pooled = dict.fromkeys(MEASURES[2:], np.nan)
    error = rows.groupby("data set")["test error"].mean() * OUTPUTS / NOISE
    return {"excess": excess, "test error": error, **pooled}


def differences_to_ours(tables: Tables) -> pd.DataFrame:
    """Each way less the recommended sampler at default length, data set by data set."""
    found = of_ways(tables)
    if OURS not in found:
        return pd.DataFrame()
    rows = []
    for name, one in found.items():
        row: dict[str, Any] = {"less the recommended": WAYS[name]}
        row |= {"data sets": len(one.index.intersection(found[OURS].index))}
        for measure in MEASURES[1:]:
            difference = mean_of(one[measure] - found[OURS][measure])
            row |= {measure: difference.value, f"± {measure}": difference.error}
        rows += [row] if name not in (OURS, *OF_DRAWS) else []
    return pd.DataFrame(rows).replace(np.inf, np.nan)


def small(tables: Tables) -> pd.DataFrame:
    """Failures of single chains of the recommended sampler on all data sets."""
    if "starts" not in tables:
        return pd.DataFrame()
    rows = []
    for name, found in tables["starts"].groupby("fit", sort=False):
        failed = found["test error"] >= FAILURE
        some = failed.groupby(found["data set"]).any()
        share = rate(int(some.sum()), len(some))
        of_fit = tables["sets"][tables["sets"]["fit"] == name]
        rows.append(
            {
                "fit": OF_FITS[str(name)],
                "starts": len(found),
                "failed": int(failed.sum()),
                "data sets": len(some),
                "with a failure": int(some.sum()),
                "from %": PERCENT * share.low,
                "to %": PERCENT * share.high,
                "far off": int((found["excess"] >= EXCESS_FAILURE).sum()),
                "excess": found["excess"].mean(),
                "largest excess": found["excess"].max(),
                "gradients": of_fit["gradients"].median(),
                "seconds": of_fit["seconds"].median(),
            }
        )
    return pd.DataFrame(rows)

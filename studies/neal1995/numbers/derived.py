"""Tables that follow from others: means over runs and data sets, and differences."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ..design.networks import LARGE, data_set
from ..runs.fits import COPY_NOISE

BASE = "HMC"
PERCENT = 100.0


def means(table: pd.DataFrame, by: Sequence[str], names: Sequence[str]) -> pd.DataFrame:
    """Means of columns with their standard errors."""
    rows = []
    for key, found in table.groupby(list(by), sort=False):
        row = dict(zip(by, key, strict=True)) | {"n": len(found)}
        for name in names:
            one = mean_of(found[name])
            row |= {name: one.value, f"± {name}": one.error if np.isfinite(one.error) else np.nan}
        rows.append(row)
    return pd.DataFrame(rows)


def paired(table: pd.DataFrame, name: str, of: pd.Series, to: pd.Series, by: str) -> Estimate:
    """Mean difference of a column between some rows and others, paired by run or data set."""
    first, second = (table[rows].groupby(by)[name].mean() for rows in (of, to))
    return mean_of((first - second).dropna())


def initial_means(tables: Tables) -> pd.DataFrame:
    """Lengths of the initial phase."""
    if "initial" not in tables:
        return pd.DataFrame()
    table = tables["initial"]
    found = means(table, ["L"], ["log10 error, mean", "error, last", "acceptance"])
    return found.assign(
        **{"reached, median": table.groupby("L", sort=False)["reached"].median().values}
    )


def error_means(tables: Tables) -> pd.DataFrame:
    """Errors in the energy by factor, with the distance accepted for a gradient."""
    if "errors" not in tables:
        return pd.DataFrame()
    table = moved(tables["errors"])
    table = table.assign(**{"large %": PERCENT * table["large"]})
    return means(table, ["eta"], ["median", "large %", "acceptance", "moved"]).drop(
        columns="± median"
    )


def moved(table: pd.DataFrame) -> pd.DataFrame:
    """Add what a gradient moves: the factor times the acceptance."""
    return table.assign(moved=table["eta"] * table["acceptance"])


def along_means(tables: Tables) -> pd.DataFrame:
    """Autocorrelations along trajectories."""
    if "along" not in tables:
        return pd.DataFrame()
    names = [name for name in tables["along"] if name not in ("set", "leapfrogs", "noise")]
    found = means(tables["along"], ["leapfrogs"], names)
    return found[["leapfrogs", "n", *names]]


def sampling_means(tables: Tables) -> pd.DataFrame:
    """Lengths of the sampling phase."""
    if "sampling" not in tables:
        return pd.DataFrame()
    table = tables["sampling"]
    names = [n for n in table if n not in ("set", "way", "L", "seconds", "reached")]
    found = means(table, ["way", "L"], names)
    found["reached, median"] = table.groupby(["way", "L"], sort=False)["reached"].median().values
    return found[["way", "L", "n", "reached, median", *names, "± effective per million"]]


def method_means(tables: Tables) -> pd.DataFrame:
    """Settings of methods: geometric means over data sets."""
    return _setting_means(tables, "methods")


def long_means(tables: Tables) -> pd.DataFrame:
    """Settings of long chains: geometric means over data sets."""
    return _setting_means(tables, "long_chains")


def _setting_means(tables: Tables, kept: str) -> pd.DataFrame:
    if kept not in tables:
        return pd.DataFrame()
    table, rows = tables[kept], []
    for key, found in table.groupby(["method", "setting"], sort=False):
        row = dict(zip(("method", "setting"), key, strict=True)) | {"n": len(found)}
        for name in ("per million", "per second", "output"):
            row[name] = float(np.exp(np.log(found[name]).mean()))
        row["noise"] = float(found["noise"].mean())
        row["slowest"] = found["slowest"].mode()[0]
        rows.append(row | {"acceptance": float(found["acceptance"].mean())})
    return pd.DataFrame(rows).rename(columns={"output": "output per million"})


def chosen(table: pd.DataFrame, method: str, name: str) -> pd.Series:
    """Logarithms by data set, each at the setting that is best on all other data sets."""
    rows = table[table["method"] == method]
    logs = np.log(rows.pivot_table(index="set", columns="setting", values=name))
    if len(logs) < 2:
        return logs.max(axis=1)
    others = {k: logs.drop(index=k).mean().idxmax() for k in logs.index}
    return pd.Series({k: logs.loc[k, setting] for k, setting in others.items()})


def ratio(table: pd.DataFrame, method: str, name: str, base: str = BASE) -> Estimate:
    """Logarithm of the effective draws of a method over those of another one."""
    return mean_of((chosen(table, method, name) - chosen(table, base, name)).dropna())


def of_settings(table: pd.DataFrame, first: tuple[str, str], second: tuple[str, str]) -> Estimate:
    """Logarithm of the effective draws per gradient of a setting over those of another one."""
    each = [
        np.log(
            table[(table["method"] == m) & (table["setting"] == s)].set_index("set")["per million"]
        )
        for m, s in (first, second)
    ]
    return mean_of((each[0] - each[1]).dropna())


def width_means(tables: Tables) -> pd.DataFrame:
    """Errors by prior and width."""
    if "widths" not in tables:
        return pd.DataFrame()
    table = tables["widths"]
    found = means(table, ["prior", "way", "units"], ["excess", "training", "halves", "acceptance"])
    if "k" in table:
        largest = table.groupby(["prior", "way", "units"], sort=False)["k"].max()
        found["largest k"] = largest.to_numpy()
    return found


def relevance_means(tables: Tables) -> pd.DataFrame:
    """Sizes of the weights of each input."""
    if "relevance" not in tables:
        return pd.DataFrame()
    table = found_inputs(tables["relevance"])
    sizes = [f"x{i}" for i in range(1, 7)]
    kept = means(table, ["prior"], [*sizes, "excess", "halves"])
    return kept[["prior", "n", *sizes, "excess", "± excess", "halves"]]


def found_inputs(table: pd.DataFrame) -> pd.DataFrame:
    """Say where both angles matter more than their copies and noise, and where noise least of all.

    By the sizes of weights times the standard deviations of their inputs.
    """
    angles = np.array([data_set(LARGE[1], number).X.std() for number in table["set"]])
    copies = np.sqrt(angles**2 + COPY_NOISE**2)
    spread = np.column_stack([angles, copies, np.ones_like(angles)])
    sizes = table[[f"x{i}" for i in range(1, 7)]].to_numpy() * spread
    of_angles, of_copies, of_noise = sizes[:, :2], sizes[:, 2:4], sizes[:, 4:]
    most = of_noise.max(axis=1)
    return table.assign(
        found=(of_angles > np.maximum(of_copies, most[:, None])).all(axis=1),
        above=of_angles.min(axis=1) > np.maximum(of_copies.max(axis=1), most),
        shut=most < sizes[:, :4].min(axis=1),
    )


def boston_means(tables: Tables) -> pd.DataFrame:
    """Scores of Boston housing."""
    if "boston" not in tables:
        return pd.DataFrame()
    names = [name for name in tables["boston"] if name not in ("fold", "way")]
    return means(tables["boston"], ["way"], names)

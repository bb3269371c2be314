"""Tables of the page: scores of all contenders, and what each of ours lacks of the others."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import xarray as xr

from ..pages.kept_tables import Tables
from ..reproduction.results import Results
from .budgets import Budget
from .fits import BY_ROW, OURS, fold_key

USABLE = ("converged", "nearly", "predictions stable")


def folds(results: Results[Budget]) -> Iterator[tuple[str, list[xr.Dataset]]]:
    """Tables of which there are results, with these."""
    for table in results.budget.tables:
        keys = [fold_key(table, fold) for fold in range(results.budget.folds)]
        if found := [one for key in keys if (one := results.load(key)) is not None]:
            yield table, found


def scores(results: Results[Budget]) -> pd.DataFrame:
    """Scores of each contender on each table, means over all rows."""
    rows = []
    for table, found in folds(results):
        for name in found[0]["contender"].values:
            each = [one.sel(contender=name) for one in found]
            squared = np.concatenate([one["squared_error"].values for one in each])
            density = np.concatenate([one["log_score"].values for one in each])
            grades = [str(one["grade"].values) for one in each if str(one["grade"].values)]
            rows.append(
                {
                    "table": table,
                    "contender": str(name),
                    "rows": len(squared),
                    "RMSE": float(np.sqrt(squared.mean())),
                    "log score": float(density.mean()),
                    "seconds": float(np.median([one["seconds"] for one in each])),
                    "folds": len(each),
                    "usable": sum(grade in USABLE for grade in grades) if grades else np.nan,
                }
            )
    return pd.DataFrame(rows)


def against(results: Results[Budget]) -> pd.DataFrame:
    """Differences, row by row, of each of ours to others; above 0 ours is better.

    Others are all that are not ours; and of noise by row the network without it.
    """
    rows = []
    for table, found in folds(results):
        names = [str(name) for name in found[0]["contender"].values]
        for ours in OURS:
            for peer in (name for name in names if name not in (ours, BY_ROW)):
                row = {"ours": ours, "table": table, "peer": peer, "folds": len(found)}
                for measure, sign in (("log score", 1.0), ("squared error", -1.0)):
                    values = [_difference(one, measure, ours, peer) for one in found]
                    less = sign * np.concatenate(values)
                    row[measure] = float(less.mean())
                    row[f"error of {measure}"] = float(less.std(ddof=1) / np.sqrt(less.size))
                row["times"] = float(np.exp(np.mean([_ratio(one, ours, peer) for one in found])))
                rows.append(row)
    return pd.DataFrame(rows)


def _difference(fold: xr.Dataset, measure: str, ours: str, peer: str) -> np.ndarray:
    values = fold[measure.replace(" ", "_")]
    return values.sel(contender=ours).values - values.sel(contender=peer).values


def _ratio(fold: xr.Dataset, ours: str, peer: str) -> float:
    seconds = fold["seconds"]
    return float(np.log(seconds.sel(contender=ours) / seconds.sel(contender=peer)))


def places(tables: Tables) -> pd.DataFrame:
    """Each of ours beside the best of the others, by table and measure."""
    rows, table = [], tables["against"]
    others = table[~table["peer"].isin(OURS)]
    for (ours, name), group in others.groupby(["ours", "table"], sort=False):
        for measure in ("log score", "squared error"):
            best = group.loc[group[measure].idxmin()]
            rows.append(
                {
                    "ours": ours,
                    "table": name,
                    "measure": measure,
                    "best of others": best["peer"],
                    "ahead": float(best[measure]),
                    "error": float(best[f"error of {measure}"]),
                    "folds": int(best["folds"]),
                }
            )
    return pd.DataFrame(rows)

"""By which factor variances of means are the thesis's: a geometric mean over methods and widths."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from .at_once import limit

TIMES = "times the thesis's"


def larger(tables: Tables) -> pd.DataFrame:
    """Ratios of our variances to the thesis's, with intervals that hold for all rows at once.

    Errors of logarithms add up as if those of one width were the same number: it is not known how
    much methods have in common that share their start states.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        With ``variances``, by means of the runs with interweaving, and ``references``.

    Returns
    -------
    DataFrame
        By true means and hyperparameter; empty where nothing has been run.
    """
    if "variances" not in tables:
        return pd.DataFrame()
    kinds = {"interweaved": tables["variances"]}
    if "references" in tables:
        kinds |= {str(kind): rows for kind, rows in tables["references"].groupby("means")}
    found = [
        [means, letter, *_mean(rows)]
        for means, table in kinds.items()
        for letter, rows in table.dropna(subset=["thesis"]).groupby("hyperparameter", sort=False)
    ]
    columns = ["true means", "hyperparameter", TIMES, "error of its log"]
    named = pd.DataFrame(found, columns=columns)
    spread = np.exp(limit(len(named)) * named[columns[-1]])
    return named.assign(low=named[TIMES] / spread, high=named[TIMES] * spread)


def _mean(rows: pd.DataFrame) -> tuple[float, float]:
    """Geometric mean of ratios, and the standard error of its logarithm."""
    logs = np.log(rows["rho"] / rows["thesis"])
    errors = np.hypot(rows["error"] / rows["rho"], rows["its error"] / rows["thesis"])
    of_widths = errors.groupby(rows["hidden units"]).sum()
    return float(np.exp(logs.mean())), float(np.linalg.norm(of_widths)) / len(rows)

"""By which factor variances of means are the thesis's: a geometric mean over methods and widths."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from .at_once import limit

THIS, EARLIER = "this run", "an earlier run"
TIMES = "times the thesis's"


def larger(tables: Tables) -> pd.DataFrame:
    """Ratios of our variances to the thesis's, with intervals that hold for all rows at once.

    Errors of logarithms add up as if those of one width were the same number: it is not known how
    much methods have in common that share their start states.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        With ``variances``, and ``references`` of the same trials or of an earlier run.

    Returns
    -------
    DataFrame
        By trials, true means and hyperparameter; empty where nothing has been run.
    """
    if "variances" not in tables:
        return pd.DataFrame()
    kinds = {(THIS, "interweaved"): tables["variances"]}
    for means, rows in _references(tables):
        run = EARLIER if is_earlier(tables) else THIS
        kinds.setdefault((run, means), rows)
    found = [
        [run, means, letter, *_mean(rows)]
        for (run, means), table in kinds.items()
        for letter, rows in table.dropna(subset=["thesis"]).groupby("hyperparameter", sort=False)
    ]
    columns = ["trials", "true means", "hyperparameter", TIMES, "error of its log"]
    named = pd.DataFrame(found, columns=columns)
    spread = np.exp(limit(len(named)) * named[columns[-1]])
    return named.assign(low=named[TIMES] / spread, high=named[TIMES] * spread)


def _references(tables: Tables) -> list[tuple[str, pd.DataFrame]]:
    if "references" not in tables:
        return []
    return [(str(means), rows) for means, rows in tables["references"].groupby("means")]


def is_earlier(tables: Tables) -> bool:
    """Whether the trials that are evaluated by both kinds of means are others than the page's.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.numbers.larger import is_earlier
    >>> keys = {"method": ["Gibbs"], "hidden units": [8], "hyperparameter": ["u"]}
    >>> one, other = (pd.DataFrame(keys | {"rho": [rho]}) for rho in (0.2, 0.3))
    >>> [is_earlier({"variances": one, "references": x.assign(means="interweaved")})
    ...  for x in (one, other)]
    [False, True]
    """
    known = dict(_references(tables)).get("interweaved")
    if known is None or "variances" not in tables:
        return False
    keys = ["method", "hidden units", "hyperparameter"]
    both = tables["variances"].merge(known, "inner", keys, suffixes=("", " again"))
    return not np.allclose(both["rho"], both["rho again"], rtol=1e-4)


def _mean(rows: pd.DataFrame) -> tuple[float, float]:
    """Geometric mean of ratios, and the standard error of its logarithm."""
    logs = np.log(rows["rho"] / rows["thesis"])
    errors = np.hypot(rows["error"] / rows["rho"], rows["its error"] / rows["thesis"])
    of_widths = errors.groupby(rows["hidden units"]).sum()
    return float(np.exp(logs.mean())), float(np.linalg.norm(of_widths)) / len(rows)

"""Bounds on the evidence by variational approximations, beside the evidence by sampling."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ..design.networks import SMALL
from ..design.priors import OURS
from ..runs.approximations.evidence_framework import copies
from .approximated import OF_BOUNDS

BOUND, CONVERGED = OF_BOUNDS["small_bound"], OF_BOUNDS["small_converged"]
METHOD = "approximation"


def bounds(tables: Tables) -> pd.DataFrame:
    """Ascents with eight units: how many converged, and how far below the evidence they end."""
    rows = []
    for method, found in of_methods(tables).items():
        below, with_copies = (missed(tables, method, extra) for extra in (0.0, copies(SMALL[0])))
        rows.append(
            {
                METHOD: method,
                "data sets": len(found),
                "converged": int(found[CONVERGED].sum()),
                "bound": found[BOUND].mean(),
                "less the evidence": below.value,
                "± evidence": below.error,
                "less the evidence, all copies": with_copies.value,
            }
        )
    return pd.DataFrame(rows).replace(np.inf, np.nan)


def of_methods(tables: Tables) -> dict[str, pd.DataFrame]:
    """Rows of the variational approximations that have a bound with eight units."""
    table = tables.get("approximations", pd.DataFrame())
    if BOUND not in table:
        return {}
    there = table[table[BOUND].notna()]
    return {str(name): rows for name, rows in there.groupby("method", sort=False)}


def missed(tables: Tables, method: str, extra: float = 0.0) -> Estimate:
    """Bound, and ``extra`` nats, less the log evidence by sampling: mean over data sets."""
    found = of_methods(tables)
    if "priors" not in tables or method not in found:
        return Estimate(np.nan, np.inf)
    priors = tables["priors"]
    ours = priors[priors["prior"] == OURS].set_index("data set")["log evidence"]
    return mean_of((found[method].set_index("data set")[BOUND] + extra - ours).dropna())

"""What chains alone and ladders say of separate modes."""

import arviz as az
import numpy as np
import pandas as pd
import xarray as xr

from ...reproduction.results import Results
from ..design.budgets import Budget
from ..design.modes import LOW, Modes
from ..runs.modes import ALONE, LADDER
from ..runs.stages import modes_key
from .levels import level
from .tables import mcse


def modes(results: Results[Budget]) -> pd.DataFrame:
    """R-hat and shares of modes, by network and way of sampling.

    Returns
    -------
    DataFrame
        *low* is the share of draws with a log likelihood below 80 nats, where cases are as they
        are, and *first half* that of
        draws that fit the first half of cases better, each with the larger of the errors that
        chains' draws and the chains' spread give.
    """
    rows = []
    for declared in results.budget.modes:
        for way in (ALONE, LADDER):
            found = results.load(modes_key(declared, way))
            if found is not None:
                rows.append(_row(declared, way, found))
    return pd.DataFrame(rows)


def _row(declared: Modes, way: str, found: xr.Dataset) -> dict:
    values = found["log_likelihood"].transpose("chain", "draw").to_numpy()
    lead = found["lead"].transpose("chain", "draw").to_numpy()
    row = {
        "units": declared.units,
        "cases": "mirrored" if declared.mirrored else "as they are",
        "sampled": way,
        "chains": len(values),
        "draws": values.shape[1],
        "log likelihood": values.mean(),
        "least chain": values.mean(axis=1).min(),
        "R-hat": float(az.rhat(values)),
    }
    known = np.nan if declared.mirrored else 1.0  # with mirrored cases all are low
    for name, share in (("low", known * (values < LOW)), ("first half", lead > 0)):
        each = share.mean(axis=1)
        estimate = level(each, [_error(chain) for chain in share])
        row |= {name: estimate.value, f"± {name}": estimate.error, f"freedom {name}": len(each) - 1}
    return row | {
        "round trips": int(found["round_trips"]),
        "seconds": float(found["seconds"]),
    }


def _error(share: np.ndarray) -> float:
    """Error of a chain's share; 0 where it never changes, which only the other chains can tell."""
    return mcse(share.astype(float)) if share.min() < share.max() else 0.0

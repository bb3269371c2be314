"""What the trials say: variances of means and their geometric mean, for each method and width."""

from pathlib import Path
from typing import Any

import xarray as xr

from ..bootstrap import Interval
from ..performance import compare_performance, geometric_mean_performance, variance_of_means
from ..units import load_unit
from .budgets import Budget
from .trials import master_key, posterior_means, trial_key

COMBINED = ["delta", "u", "v", "a"]  # Eq. 5.8: b controls a single weight


def conditions(folder: Path, width: int) -> dict[str, Any]:
    """True means, and the shares of the strata, from the master run with interweaving.

    Returns
    -------
    dict
        ``reference`` and ``share``, as :func:`.performance.variance_of_means` takes them.
    """
    inside = float(load_unit(folder, master_key(width, True), "summary")["share"])
    share = {"inside": inside, "outside": 1.0 - inside}
    return {"reference": posterior_means(folder, width), "share": share}


def variances(folder: Path, width: int, key: str) -> xr.Dataset:
    """Variance of means of each hyperparameter in a trial, and its error (Eqs. 5.10-5.12)."""
    trial = load_unit(folder, key)
    stratum = trial["posterior"]["stratum"]
    return variance_of_means(trial, stratum=stratum, **conditions(folder, width))


def performance(folder: Path, width: int, key: str) -> Interval:
    """Geometric mean of a trial (Eq. 5.8) with its 90% interval."""
    trial = load_unit(folder, key)
    stratum = trial["posterior"]["stratum"]
    given = conditions(folder, width)
    reference = given.pop("reference")
    return geometric_mean_performance(trial, reference, COMBINED, stratum=stratum, **given, rng=0)


def ratio(folder: Path, width: int, key: str, other: str) -> Interval:
    """Performance of a trial over that of another, both from the same start states (5.7)."""
    first, second = load_unit(folder, key), load_unit(folder, other)
    stratum = first["posterior"]["stratum"]
    given = conditions(folder, width)
    reference = given.pop("reference")
    return compare_performance(first, second, reference, COMBINED, stratum=stratum, **given, rng=0)


def best_setting(folder: Path, budget: Budget, method: str, width: int) -> tuple[int, float]:
    """Leapfrog steps and factor of the smallest geometric mean in a method's grid."""
    grids = budget.wide_grids if width in budget.wide else budget.grids
    settings = list(grids[method].settings())
    found = [performance(folder, width, trial_key(method, width, *s)).value for s in settings]
    return settings[found.index(min(found))]

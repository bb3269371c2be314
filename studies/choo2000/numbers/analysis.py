"""What the trials say: variances of means and their geometric mean, for each method and width."""

from pathlib import Path
from typing import Any

import xarray as xr

from ...chains.bootstrap import Interval
from ...chains.performance import compare_performance, geometric_mean_performance, variance_of_means
from ...reproduction.units import load_unit
from ..design.budgets import Budget
from ..design.methods import THESIS
from ..design.published import COMBINED
from ..runs.trials import master_key, posterior_means, trial_key


def conditions(folder: Path, width: int, interweave: bool = True) -> dict[str, Any]:
    """True means, and the shares of the strata, from the master run with interweaving or without.

    Returns
    -------
    dict
        ``reference`` and ``share``, as :func:`.performance.variance_of_means` takes them.
    """
    inside = float(load_unit(folder, master_key(width, interweave), "summary")["share"])
    share = {"inside": inside, "outside": 1.0 - inside}
    return {"reference": posterior_means(folder, width, interweave), "share": share}


def draws_of(folder: Path, key: str, every: bool) -> xr.Dataset:
    """Draws of a trial: every recorded one, or the last of each super-transition.

    The thesis takes one draw of each of twelve super-transitions. Twelve independent draws have a
    mean whose variance is a twelfth of the posterior's, however well they are made: methods that
    explore quickly look the same then, and every recorded draw tells them apart.
    """
    trial = load_unit(folder, key)
    posterior = trial["posterior"].to_dataset()
    step = 1 if every else int(trial.attrs.get("draws", 1))
    return posterior.isel(draw=slice(step - 1, None, step))


def variances(
    folder: Path, width: int, key: str, every: bool = False, interweave: bool = True
) -> xr.Dataset:
    """Variance of means of each hyperparameter in a trial, and its error (Eqs. 5.10-5.12)."""
    trial = draws_of(folder, key, every)
    stratum = trial["stratum"]
    return variance_of_means(trial, stratum=stratum, **conditions(folder, width, interweave))


def performance(folder: Path, width: int, key: str, every: bool = False) -> Interval:
    """Geometric mean of a trial (Eq. 5.8) with its 90% interval."""
    trial = draws_of(folder, key, every)
    stratum = trial["stratum"]
    given = conditions(folder, width)
    reference = given.pop("reference")
    return geometric_mean_performance(trial, reference, COMBINED, stratum=stratum, **given, rng=0)


def ratio(folder: Path, width: int, key: str, other: str, every: bool = False) -> Interval:
    """Performance of a trial over that of another, both from the same start states (5.7)."""
    first, second = draws_of(folder, key, every), draws_of(folder, other, every)
    stratum = first["stratum"]
    given = conditions(folder, width)
    reference = given.pop("reference")
    return compare_performance(first, second, reference, COMBINED, stratum=stratum, **given, rng=0)


def best_setting(folder: Path, budget: Budget, method: str, width: int) -> tuple[int, float]:
    """Leapfrog steps and factor of the smallest geometric mean in a method's grid.

    By the thesis's measure for its methods, and by all recorded draws for others.
    """
    settings = budget.settings(method, width)
    every = method not in THESIS
    keys = [trial_key(method, width, *setting) for setting in settings]
    found = [performance(folder, width, key, every).value for key in keys]
    return settings[found.index(min(found))]

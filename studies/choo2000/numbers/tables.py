"""The tables of chapter 5 with our numbers; :mod:`.beside` sets the thesis's beside them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
import xarray as xr

from ...chains.bootstrap import Interval
from ..design.methods import ALONE, METHODS, RECOMMENDED, THESIS
from ..design.network import HYPERPARAMETERS
from ..design.starts import BORDER
from ..runs.unthinned import unthinned_key
from .at_once import NORMAL_90
from .results import Results

PAIRS = (("dynamical_b", "gibbs"), ("dynamical_b", "dynamical_a"), ("dynamical_a", "gibbs"))


def log_error(interval: Interval) -> float:
    """Standard error of a logarithm, from a 90% interval.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.chains.bootstrap import Interval
    >>> from pymc_bnn.studies.choo2000.numbers.tables import log_error
    >>> round(log_error(Interval(1.0, np.exp(-1.6449), np.exp(1.6449))), 3)
    1.0
    """
    return float(np.log(interval.high / interval.low) / (2 * NORMAL_90))


def master_rejections(results: Results) -> pd.DataFrame:
    """Rejection rates of the master runs, Table 5.7."""
    rows = []
    for width in results.budget.widths:
        draws = results.master(width, interweave=False)
        if draws is None:
            continue
        samples = draws.sizes["draw"] * draws.attrs["thin"]
        rows.append(
            [width, samples, 1 - float(draws["acceptance"].mean()), mcse(draws["acceptance"])]
        )
    return pd.DataFrame(rows, columns=["hidden units", "samples", "rejection rate", "error"])


def inefficiencies(results: Results) -> pd.DataFrame:
    r"""Inefficiency factor of :math:`\log\sigma_u`, in trajectories, Table 5.8.

    Runs keep a state now and then, and a factor is never below that of independent states: it is
    an upper bound if it is near the trajectories between two of them.
    """
    rows = []
    for width in results.widths:
        runs = [results.master(width, kind) for kind in (False, True)]
        found = [_inefficiency(results.master(width, kind, "summary")) for kind in (False, True)]
        if not all(np.isnan(found)):
            every = next(int(run.attrs["thin"]) for run in runs if run is not None)
            rows.append([width, found[0], found[1], every])
    columns = ["hidden units", "T_u", "T_u interweaved, at most", "every"]
    return pd.DataFrame(rows, columns=columns)


def _inefficiency(summary: xr.Dataset | None) -> float:
    if summary is None:
        return np.nan
    return float(summary["inefficiency"].sel(hyperparameter="u"))


def unthinned(results: Results) -> pd.DataFrame:
    r"""Inefficiency factor of :math:`\log\sigma_u` where every trajectory is kept.

    Its error is that of four chains; the largest factor is that over all log standard deviations.
    """
    rows = []
    for method in (ALONE, RECOMMENDED):
        for width in results.widths:
            found = results.load(unthinned_key(method, width))
            if found is not None:
                factors = found["inefficiency"]
                each = factors.sel(hyperparameter="u").values
                error = float(each.std(ddof=1) / np.sqrt(each.size))
                largest = float(factors.mean("chain").max())
                passes = float(found["passes"]) * each.mean()
                rows.append([METHODS[method].title, width, each.mean(), error, largest, passes])
    columns = ["method", "hidden units", "T_u", "error", "largest T"]
    return pd.DataFrame(rows, columns=[*columns, "passes per independent draw"])


def region_shares(results: Results) -> pd.DataFrame:
    """Share p of the region G, Table 5.9, from both kinds of master runs."""
    rows = []
    for width in results.budget.widths:
        plain = _share(results.master(width, False, "summary"))
        woven = _share(results.master(width, True, "summary"))
        if not (np.isnan(plain[0]) and np.isnan(woven[0])):
            rows.append([width, *plain, *woven])
    columns = ["hidden units", "p", "error", "p interweaved", "error interweaved"]
    return pd.DataFrame(rows, columns=columns)


def _share(summary: xr.Dataset | None) -> tuple[float, float]:
    if summary is None:
        return np.nan, np.nan
    return float(summary["share"]), float(summary["share_mcse"])


def best_settings(results: Results) -> pd.DataFrame:
    """Best settings and their rejection rates, Table 5.11."""
    return _each(results, _best_setting)


def _best_setting(results: Results, method: str, width: int, key: str) -> list[dict[str, Any]]:
    trial = results.load(key)
    rates = 1 - trial["sample_stats"]["acceptance_rate"].mean("draw")
    rate, error = float(rates.mean()), float(rates.std(ddof=1)) / np.sqrt(rates.size)
    setting = {"l": trial.attrs["n_leapfrog"], "eta": trial.attrs["step_scale"]}
    return [{**setting, "rejection rate": rate, "error": error}]


def variances(results: Results) -> pd.DataFrame:
    """Variance of means of every hyperparameter at the best settings, Table 5.12."""
    return _each(results, _variances)


def references(results: Results) -> pd.DataFrame:
    """The same with true means and shares of the region G from either kind of master runs."""
    kinds = {"interweaved": True, "plain": False}
    found = [
        _each(results, partial(_variances, interweave=kind)).assign(means=name)
        for name, kind in kinds.items()
    ]
    return pd.concat(found, ignore_index=True)


def _variances(
    results: Results, method: str, width: int, key: str, interweave: bool = True
) -> list[dict[str, Any]]:
    if results.master(width, interweave, "summary") is None:
        return []
    found = results.variances(width, key, interweave=interweave)
    rows = []
    for letter in HYPERPARAMETERS:
        rho, error = (float(found[letter].sel(statistic=s)) for s in ("value", "error"))
        rows.append({"hyperparameter": letter, "rho": rho, "error": error})
    return rows


def geometric_means(results: Results) -> pd.DataFrame:
    """Geometric mean g with its 90% interval, Table 5.12."""
    return _each(results, _geometric_mean)


def _geometric_mean(results: Results, method: str, width: int, key: str) -> list[dict[str, Any]]:
    g, trial = results.performance(width, key), results.load(key)
    passes = trial.attrs["passes"] / trial["posterior"].sizes["chain"]
    return [{"g": g.value, "low": g.low, "high": g.high, "passes per chain": passes}]


def _each(results: Results, rows_of: Callable[..., list[dict[str, Any]]]) -> pd.DataFrame:
    """Rows of the trials with the best settings, of all methods and widths that are there."""
    rows: list[dict[str, Any]] = []
    for width in results.widths:
        for method in results.methods:
            key = results.again(method, width)
            if key is not None:
                head = {"method": METHODS[method].title, "hidden units": width}
                rows += [{**head, **row} for row in rows_of(results, method, width, key)]
    return pd.DataFrame(rows)


def pairwise_ratios(results: Results) -> pd.DataFrame:
    """Ratios of g with 90% intervals, Figure 5.15."""
    rows = []
    for first, second in PAIRS:
        for width in results.budget.widths:
            ratio = results.ratio(width, first, second)
            if ratio is not None:
                named = f"{METHODS[first].title} / {METHODS[second].title}"
                rows.append([named, width, ratio.value, ratio.low, ratio.high])
    return pd.DataFrame(rows, columns=["ratio of", "hidden units", "ratio", "low", "high"])


def verification(results: Results) -> pd.DataFrame:
    """Posterior means and deviations of A and B beside the master run with interweaving (5.2)."""
    master, rows = results.master(8, interweave=True), []
    for method in THESIS[1:]:
        chains = results.load(f"verify-{method}")
        if master is None or chains is None:
            continue
        for letter in HYPERPARAMETERS:
            ours = chains["posterior"][letter].to_numpy()
            other = master["log_sigma"].sel(hyperparameter=letter).to_numpy()[None]
            for what, function in (("mean", np.mean), ("sd", np.std)):
                errors = [float(az.mcse(x, method=what)) for x in (ours, other)]
                values = [float(function(x)) for x in (ours, other)]
                head = [METHODS[method].title, letter, what]
                rows.append([*head, values[0], errors[0], values[1], errors[1]])
    columns = ["method", "hyperparameter", "of log sigma", "value", "error"]
    return pd.DataFrame(rows, columns=[*columns, "master run", "its error"])


def mcse(values: Any) -> float:
    """Monte Carlo error of the mean of one chain."""
    return float(az.mcse(np.asarray(values, float)[None]))


def in_region(draws: xr.Dataset, letter: str, border: float = BORDER) -> np.ndarray:
    """Whether a log standard deviation lies beyond a border, in each draw."""
    return np.asarray(draws["log_sigma"].sel(hyperparameter=letter) > border)

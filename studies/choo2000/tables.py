"""The tables of chapter 5, each number beside the thesis's."""

from collections.abc import Callable
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
import xarray as xr

from ..bootstrap import Interval
from . import analysis
from .judgements import z_score
from .methods import METHODS, THESIS
from .network import HYPERPARAMETERS
from .published import published
from .results import Results
from .starts import BORDER

NORMAL_90 = 1.6449  # standard errors from the middle of a 90% interval to its end
PAIRS = (("dynamical_b", "gibbs"), ("dynamical_b", "dynamical_a"), ("dynamical_a", "gibbs"))


def log_error(interval: Interval) -> float:
    """Standard error of a logarithm, from a 90% interval.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.bootstrap import Interval
    >>> from pymc_bnn.studies.choo2000.tables import log_error
    >>> round(log_error(Interval(1.0, np.exp(-1.6449), np.exp(1.6449))), 3)
    1.0
    """
    return float(np.log(interval.high / interval.low) / (2 * NORMAL_90))


def thesis_row(name: str, **at: Any) -> pd.Series:
    """Row of a published table, undefined numbers if it has none.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.tables import thesis_row
    >>> float(thesis_row("region_shares", hidden_units=16)["share"])
    0.0705
    >>> float(thesis_row("region_shares", hidden_units=64)["share"])
    nan
    """
    table = published(name)
    for column, value in at.items():
        table = table[table[column] == value]
    if table.empty:
        return pd.Series(np.nan, index=table.columns)
    return table.iloc[0]


def master_rejections(results: Results) -> pd.DataFrame:
    """Rejection rates of the master runs, Table 5.7.

    The thesis gives no Monte Carlo error; it is taken to be ours for as many trajectories as the
    thesis has.
    """
    rows = []
    for width in results.budget.widths:
        draws = results.master(width, interweave=False)
        if draws is None:
            continue
        thesis = thesis_row("master_runs", hidden_units=width)
        samples = draws.sizes["draw"] * draws.attrs["thin"]
        rate, error = 1 - float(draws["acceptance"].mean()), mcse(draws["acceptance"])
        other = error * np.sqrt(samples / thesis["samples"])
        z = z_score(rate, thesis["rejection_rate"], error, other)
        rows.append([width, samples, rate, error, thesis["rejection_rate"], z])
    columns = ["hidden units", "samples", "rejection rate", "error", "thesis", "z"]
    return pd.DataFrame(rows, columns=columns)


def inefficiencies(results: Results) -> pd.DataFrame:
    r"""Inefficiency factor of :math:`\log\sigma_u`, in trajectories, Table 5.8."""
    rows = []
    for width in results.widths:
        found = [_inefficiency(results.master(width, kind, "summary")) for kind in (False, True)]
        if all(np.isnan(found)):
            continue
        thesis = thesis_row("start_states", hidden_units=width)["inefficiency"]
        rows.append([width, found[0], thesis, found[0] / thesis, found[1]])
    columns = ["hidden units", "T_u", "thesis", "ratio", "T_u interweaved"]
    return pd.DataFrame(rows, columns=columns)


def _inefficiency(summary: xr.Dataset | None) -> float:
    if summary is None:
        return np.nan
    return float(summary["inefficiency"].sel(hyperparameter="u"))


def region_shares(results: Results) -> pd.DataFrame:
    """Share p of the region G, Table 5.9, from both kinds of master runs.

    The thesis gives no Monte Carlo error; it is taken to be that of as many independent draws as
    its run has inefficiency factors of log sigma_u.
    """
    rows = []
    for width in results.budget.widths:
        plain = _share(results.master(width, False, "summary"))
        woven = _share(results.master(width, True, "summary"))
        if np.isnan(plain[0]) and np.isnan(woven[0]):
            continue
        p = thesis_row("region_shares", hidden_units=width)["share"]
        run = thesis_row("master_runs", hidden_units=width)["samples"]
        factor = thesis_row("start_states", hidden_units=width)["inefficiency"]
        error = float(np.sqrt(p * (1 - p) * factor / run))
        scores = [z_score(plain[0], p, plain[1], error), z_score(woven[0], p, woven[1], error)]
        between = z_score(plain[0], woven[0], plain[1], woven[1])
        rows.append([width, *plain, p, error, scores[0], *woven, scores[1], between])
    columns = ["hidden units", "p", "error", "thesis", "its error", "z"]
    more = ["p interweaved", "error interweaved", "z interweaved", "z of both"]
    return pd.DataFrame(rows, columns=columns + more)


def _share(summary: xr.Dataset | None) -> tuple[float, float]:
    if summary is None:
        return np.nan, np.nan
    return float(summary["share"]), float(summary["share_mcse"])


def best_settings(results: Results) -> pd.DataFrame:
    """Best settings and their rejection rates, Table 5.11; z where the setting is the thesis's."""
    return _each(results, _best_setting)


def _best_setting(results: Results, method: str, width: int, key: str) -> list[dict[str, Any]]:
    trial = results.load(key)
    rates = 1 - trial["sample_stats"]["acceptance_rate"].mean("draw")
    rate, error = float(rates.mean()), float(rates.std(ddof=1)) / np.sqrt(rates.size)
    thesis = thesis_row("optimal_settings", method=method, hidden_units=width)
    setting = trial.attrs["n_leapfrog"], trial.attrs["step_scale"]
    same = abs(setting[0] - thesis["leapfrog_steps"]) <= 1 and setting[1] == thesis["step_factor"]
    z = z_score(rate, thesis["rejection_rate"], error, error) if same else np.nan
    return [
        {
            "l": setting[0],
            "eta": setting[1],
            "rejection rate": rate,
            "error": error,
            "thesis's l": thesis["leapfrog_steps"],
            "thesis's eta": thesis["step_factor"],
            "thesis": thesis["rejection_rate"],
            "z": z,
        }
    ]


def variances(results: Results) -> pd.DataFrame:
    """Variance of means of every hyperparameter at the best settings, Table 5.12."""
    return _each(results, _variances)


def _variances(results: Results, method: str, width: int, key: str) -> list[dict[str, Any]]:
    found = results.variances(width, key)
    rows = []
    for letter in HYPERPARAMETERS:
        rho, error = (float(found[letter].sel(statistic=s)) for s in ("value", "error"))
        at = {"method": method, "hidden_units": width, "hyperparameter": letter}
        thesis = thesis_row("performance", **at)
        z = z_score(rho, thesis["rho"], error, thesis["error"])
        row = {"hyperparameter": letter, "rho": rho, "error": error}
        rows.append({**row, "thesis": thesis["rho"], "its error": thesis["error"], "z": z})
    return rows


def geometric_means(results: Results) -> pd.DataFrame:
    """Geometric mean g with its 90% interval, Table 5.12.

    z is that of the logarithms. The thesis's error follows from those of its four variances as if
    they were independent, so it is on the small side.
    """
    return _each(results, _geometric_mean)


def _geometric_mean(results: Results, method: str, width: int, key: str) -> list[dict[str, Any]]:
    g = results.performance(width, key)
    thesis = published("performance").query("method == @method and hidden_units == @width")
    parts = thesis[thesis["hyperparameter"].isin(analysis.COMBINED)]
    other = thesis["g"].iloc[0] if len(thesis) else np.nan
    error = float(np.sqrt(((parts["error"] / parts["rho"]) ** 2).sum())) / 4
    z = z_score(np.log(g.value), np.log(other), log_error(g), error)
    trial = results.load(key)
    passes = trial.attrs["passes"] / trial["posterior"].sizes["chain"]
    shown = {"g": g.value, "low": g.low, "high": g.high, "thesis": other, "z": z}
    return [{**shown, "passes per chain": passes}]


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
    """Ratios of g with 90% intervals, Figure 5.15, beside those of Table 5.12."""
    rows = []
    for first, second in PAIRS:
        for width in results.budget.widths:
            ratio = results.ratio(width, first, second)
            if ratio is None:
                continue
            at = [{"method": method, "hidden_units": width} for method in (first, second)]
            thesis = [float(thesis_row("performance", **a)["g"]) for a in at]
            named = f"{METHODS[first].title} / {METHODS[second].title}"
            rows.append([named, width, ratio.value, ratio.low, ratio.high, thesis[0] / thesis[1]])
    return pd.DataFrame(
        rows, columns=["ratio of", "hidden units", "ratio", "low", "high", "thesis"]
    )


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
                z = z_score(*values, *errors)
                head = [METHODS[method].title, letter, what]
                rows.append([*head, values[0], errors[0], values[1], errors[1], z])
    columns = ["method", "hyperparameter", "of log sigma", "value", "error"]
    return pd.DataFrame(rows, columns=[*columns, "master run", "its error", "z"])


def mcse(values: Any) -> float:
    """Monte Carlo error of the mean of one chain."""
    return float(az.mcse(np.asarray(values, float)[None]))


def in_region(draws: xr.Dataset, letter: str, border: float = BORDER) -> np.ndarray:
    """Whether a log standard deviation lies beyond a border, in each draw."""
    return np.asarray(draws["log_sigma"].sel(hyperparameter=letter) > border)

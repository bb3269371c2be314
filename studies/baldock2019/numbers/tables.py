"""Tables of the study: each chain at each temperature, minimised networks, ladders."""

from collections.abc import Iterator

import arviz as az
import numpy as np
import pandas as pd
import scipy.stats
import xarray as xr
from scipy.special import logsumexp

from ...reproduction.results import Results
from ..design.budgets import Budget, Minimised
from ..design.sweeps import Sweep
from ..runs.stages import PARTS, exchange_key, minimised_key, sweep_key

PERCENT = 100.0


def chains_of(
    results: Results[Budget], sweep: Sweep, direction: str
) -> Iterator[tuple[int, xr.Dataset]]:
    """Chains of a sweep that are there, by number."""
    for chain in range(sweep.chains):
        found = results.load(sweep_key(sweep, direction, chain))
        if found is not None:
            yield chain, found


def temperatures(results: Results[Budget]) -> pd.DataFrame:
    """Errors of each chain at each temperature (Figs. 3 and 4), and its heat capacity.

    Returns
    -------
    DataFrame
        Errors are in nats per case, with their Monte Carlo standard errors; the heat capacity is
        the variance of the energy over the square of the temperature.
    """
    rows = [
        _at_temperature(sweep, direction, chain, one)
        for sweep in results.budget.sweeps
        for direction in sweep.directions
        for chain, found in chains_of(results, sweep, direction)
        for _, one in found.groupby("temperature")
    ]
    return pd.DataFrame(rows)


def _at_temperature(sweep: Sweep, direction: str, chain: int, one: xr.Dataset) -> dict:
    one = one.squeeze("temperature")
    temperature, energy = float(one["temperature"]), one["energy"].to_numpy()
    test = one["test_error"].to_numpy()
    return {
        "network": sweep.network,
        "cases": sweep.cases,
        "walls": sweep.walls,
        "direction": direction,
        "chain": chain,
        "temperature": temperature,
        "training error": energy.mean() / sweep.cases,
        "± training": mcse(energy) / sweep.cases,
        "test error": test.mean(),
        "± test": mcse(test),
        "predictive": float(one["predictive"]),
        "wrong %": PERCENT * float(one["wrong"]),
        "filled": float(one["filled"]),
        "heat capacity": energy.var(ddof=1) / temperature**2,
        "acceptance": float(one["acceptance"]),
    }


def mcse(draws: np.ndarray) -> float:
    """Monte Carlo standard error of the mean of a chain's draws; that of ArviZ."""
    return float(az.mcse(draws[None], method="mean"))


def minimised(results: Results[Budget]) -> pd.DataFrame:
    """Networks that are only minimised: means over networks, with standard errors."""
    rows = []
    for declared in results.budget.minimised:
        found = _networks(results, declared)
        if found is None:
            continue
        root = np.sqrt(found.sizes["network"])
        averaged = averages(found, results.budget.predicting)
        rows.append(
            {
                "network": declared.network,
                "cases": declared.cases,
                "networks": found.sizes["network"],
                "steps": float(found["steps"].mean()),
                "training error": float(found["energy"].mean()) / declared.cases,
                "test error": float(found["test_error"].mean()),
                "± test": float(found["test_error"].std(ddof=1)) / root,
                "least test error": float(found["test_error"].min()),
                "wrong %": PERCENT * float(found["wrong"].mean()),
                "largest weight": float(found["largest"].mean()),
                "averages": averaged.size,
                "averaged error": averaged.mean() if averaged.size else np.nan,
                "± averaged": scipy.stats.sem(averaged) if averaged.size > 1 else np.nan,
            }
        )
    return pd.DataFrame(rows)


def averages(found: xr.Dataset, members: int) -> np.ndarray:
    """Test errors of probabilities that are averaged over some minimised networks at a time.

    Parameters
    ----------
    found : Dataset
        Minimised networks.
    members : int
        As many as draws that predict.

    Returns
    -------
    ndarray
        One of each group of networks, which share none.
    """
    if "log_probability" not in found:
        return np.empty(0)
    kept = found["log_probability"].dropna("network")  # units of older code have none
    each = kept.transpose("network", "case").to_numpy().astype(float)
    groups = len(each) // members
    each = each[: groups * members].reshape(groups, members, each.shape[1])
    return -(logsumexp(each, axis=1) - np.log(members)).mean(axis=1)


def _networks(results: Results[Budget], declared: Minimised) -> xr.Dataset | None:
    parts = range(min(PARTS, declared.networks))
    found = [results.load(minimised_key(declared, part)) for part in parts]
    there = [part for part in found if part is not None]
    return xr.concat(there, "network") if there else None


def exchanges(results: Results[Budget]) -> pd.DataFrame:
    """Ladders of replicas: energies at each temperature, and how often neighbours change places."""
    rows = []
    for declared in results.budget.exchanges:
        found = results.load(exchange_key(declared))
        if found is None:
            continue
        rows += _places(found, {"network": declared.network, "cases": declared.cases})
    for sweep in results.budget.sweeps:
        for direction in sweep.directions if sweep.ladder is not None else ():
            for chain, found in chains_of(results, sweep, direction):
                named = {"network": sweep.network, "cases": sweep.cases}
                rows += _places(found, named | {"direction": direction, "chain": chain})
    return pd.DataFrame(rows)


def _places(found: xr.Dataset, named: dict) -> list[dict]:
    """A row for each temperature of a ladder."""
    return [
        named
        | {
            "temperature": float(temperature),
            "training error": float(one["energy"].mean()) / named["cases"],
            "swapped with the next": float(one["swapped"].squeeze()),
            "replicas seen": len(np.unique(one["replica"])),
            "round trips": int(found["round_trips"]),
        }
        for temperature, one in found.groupby("temperature")
    ]

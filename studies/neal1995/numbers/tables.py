"""Tables of what the units of work found."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from ....samplers.trajectories.correlations import autocorrelation
from ...reproduction.results import Results
from ..design.budgets import Budget
from ..design.networks import MAGNITUDES, QUANTITIES
from ..design.settings import LENGTHS, LONG, SETTINGS, SHORTER
from ..runs.boston import boston_key
from ..runs.fits import width_keys
from ..runs.functions import FAMILIES
from ..runs.initial import initial_key
from ..runs.limits import LIMITS, limit_key
from ..runs.methods import effective_draws, long_key, long_sets, methods_key
from ..runs.sampling import sampling_key
from ..runs.stable import STABLE

EDGES = (0.05, 0.075, 0.125, 0.175, 0.225, 0.275, 0.325, 0.375, 0.425, 0.5, 0.6, 0.7, 0.85, 1.0)
LARGE_ERROR = 10.0  # from which the thesis plots errors as 10
TWICE = 2 * 0.05**2  # twice the variance of the noise
MEASURED = ("excess", "training", "halves", "acceptance", "k")
LAGS = (1, 2, 5, 10, 20, 30)  # hundreds of leapfrogs
TOLD = 2000, 8000  # leapfrogs of chains whose later halves are equilibrium
AHEAD, STAYS = 25, 0.5  # super-transitions after which chains are still there, and their share
SETTLED = 0.25  # of a chain, which is left out before its effective draws are counted
NOISE = QUANTITIES.index("noise")
RANGE = 0.05, 0.95  # of later states, which a chain has to meet to be in equilibrium
MILLION = 1e6


def initial(results: Results[Budget]) -> pd.DataFrame:
    """Runs of the initial phase."""
    rows = []
    for number in range(results.budget.runs):
        for one in _each(results.load(initial_key(number)), "leapfrogs"):
            errors = one["training"].to_numpy()
            met = np.flatnonzero(errors <= TWICE)
            rows.append(
                {
                    "run": number,
                    "L": int(one["leapfrogs"]),
                    "log10 error, mean": float(np.log10(errors).mean()),
                    "error, last": float(errors[-1]),
                    "reached": float(met[0] + 1) if met.size else np.inf,
                    "acceptance": float(one["acceptance"]),
                }
            )
    return pd.DataFrame(rows)


def errors(results: Results[Budget]) -> pd.DataFrame:
    """Errors in the energy by data set and step size adjustment factor."""
    rows = []
    for number in range(results.budget.along):
        if (one := results.load(f"errors-{number}")) is None:
            continue
        error = np.nan_to_num(one["error"].to_numpy(), nan=np.inf)
        place = np.digitize(one["eta"].to_numpy(), EDGES) - 1
        for i, (low, high) in enumerate(pairwise(EDGES)):
            if (here := error[place == i]).size:
                rows.append(
                    {
                        "set": number,
                        "eta": round((low + high) / 2, 4),
                        "trajectories": here.size,
                        "median": float(np.median(np.minimum(np.abs(here), LARGE_ERROR))),
                        "large": float(np.mean(np.abs(here) > LARGE_ERROR)),
                        "acceptance": float(np.exp(-np.maximum(here, 0.0)).mean()),
                    }
                )
    return pd.DataFrame(rows)


def along(results: Results[Budget]) -> pd.DataFrame:
    """Autocorrelations along a long trajectory."""
    rows = []
    for number in range(results.budget.along):
        if (one := results.load(f"along-{number}")) is None:
            continue
        found = autocorrelation(one["found"].to_numpy())
        for lag in LAGS:
            each = dict(zip(QUANTITIES, found[lag], strict=True))
            rows.append({"set": number, "leapfrogs": 100 * lag} | each)
    return pd.DataFrame(rows)


def sampling(results: Results[Budget]) -> pd.DataFrame:
    """Chains of the sampling phase."""
    rows = []
    for number in range(results.budget.chains):
        chains = {
            (woven, length): one
            for woven, lengths in ((False, LENGTHS), (True, SHORTER))
            for length in lengths
            if (one := results.load(sampling_key(number, length, woven))) is not None
        }
        told = [one for (woven, length), one in chains.items() if not woven and length in TOLD]
        later = [_magnitudes(one)[one.sizes["transition"] // 2 :] for one in told]
        if not later:
            continue
        low, high = np.quantile(np.concatenate(later), RANGE, axis=0)
        for (woven, length), one in chains.items():
            found = _magnitudes(one)
            kept = found[int(SETTLED * len(found)) :]
            millions = float(one["gradients"]) / MILLION * len(kept) / len(found)
            first = autocorrelation(kept)[1]
            effective = [effective_draws(column) / millions for column in kept.T]
            rows.append(
                {"set": number, "way": "interweaving" if woven else "plain", "L": length}
                | {"reached": first_settled(((low <= found) & (found <= high)).all(axis=1))}
                | {f"{n}, lag 1": c for n, c in zip(MAGNITUDES, first, strict=True)}
                | {"effective per million": min(effective)}
                | {"acceptance": float(one["acceptance"]), "seconds": float(one["seconds"])}
                | {"microseconds": MILLION * float(one["seconds"]) / float(one["gradients"])}
            )
    return pd.DataFrame(rows)


def first_settled(inside: np.ndarray) -> float:
    """When a chain comes where it stays, from 1; infinite if it does not.

    Parameters
    ----------
    inside : ndarray of bool, shape (transitions,)
        Where it is in the range of equilibrium.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.neal1995.numbers.tables import first_settled
    >>> first_settled(np.repeat([True, False, True], (5, 45, 50)))
    51.0
    """
    starts = range(max(1, len(inside) - AHEAD + 1))
    shares = np.array([inside[at : at + AHEAD].mean() for at in starts])
    stays = np.flatnonzero(inside[: len(shares)] & (shares >= STAYS))
    return float(stays[0] + 1) if stays.size else np.inf


def methods(results: Results[Budget]) -> pd.DataFrame:
    """Methods by setting and data set."""
    numbers = range(results.budget.sets)
    return pd.DataFrame(
        [row for m in SETTINGS for k in numbers for row in _settings(results, methods_key, m, k)]
    )


def long_chains(results: Results[Budget]) -> pd.DataFrame:
    """Long chains by setting and data set."""
    numbers = long_sets(results.budget)
    return pd.DataFrame(
        [row for m in LONG for k in numbers for row in _settings(results, long_key, m, k)]
    )


def functions(results: Results[Budget]) -> pd.DataFrame:
    """Functions from priors beside the limit."""
    rows = []
    for family in FAMILIES:
        if (one := results.load(family.key)) is not None:
            rows.append(
                {
                    "activation": family.activation,
                    "hidden": " x ".join(map(str, family.hidden)),
                    "direct": "yes" if family.skip else "no",
                    "layers": len(family.hidden),
                    "covariances": one.sizes["pair"],
                    "largest z": float(np.abs(one["z"]).max()),
                    "excess kurtosis": float(one["excess"]),
                    "± excess kurtosis": float(one["excess_error"]),
                    "closed form": float(one["excess_expected"]),
                }
            )
    return pd.DataFrame(rows)


def stable(results: Results[Budget]) -> pd.DataFrame:
    """Functions of stable weights beside their distribution in closed form."""
    rows = []
    for family in STABLE:
        if (one := results.load(family.key)) is not None:
            rows.append(
                {
                    "index": family.index,
                    "units": family.units,
                    "numbers": one["z"].size,
                    "largest z": float(np.abs(one["z"]).max()),
                    "squared shares": float(one["shares"]),
                    "± squared shares": float(one["shares_error"]),
                    "limit": 1.0 - family.index / 2,
                }
            )
    return pd.DataFrame(rows)


def widths(results: Results[Budget]) -> pd.DataFrame:
    """Networks of all widths and their limits, by data set."""
    rows: list[dict[str, Any]] = []
    for prior, width, key in width_keys(results.budget):
        fits = _fits(results.load(key))
        rows += [{"prior": prior, "way": "network", "units": width} | row for row in fits]
    for prior in LIMITS:
        fits, width = _fits(results.load(limit_key(prior))), results.budget.widest
        rows += [{"prior": prior, "way": "limit", "units": width} | row for row in fits]
    return pd.DataFrame(rows)


def relevance(results: Results[Budget]) -> pd.DataFrame:
    """Networks with inputs that do not matter, by data set."""
    rows: list[dict[str, Any]] = []
    for prior in ("ARD", "shared"):
        rows += [{"prior": prior} | row for row in _fits(results.load(f"relevance-{prior}"))]
    return pd.DataFrame(rows)


def boston(results: Results[Budget]) -> pd.DataFrame:
    """Boston housing, by fold."""
    rows = []
    for fold in range(results.budget.folds):
        for one in _each(results.load(boston_key(fold)), "way"):
            each = {str(m): float(one["score"].sel(measure=m)) for m in one["measure"].to_numpy()}
            rows.append({"fold": fold, "way": str(one["way"].item())} | each)
    return pd.DataFrame(rows)


def _settings(
    results: Results[Budget], key: Callable[[str, int], str], method: str, number: int
) -> Iterator[dict[str, Any]]:
    for one in _each(results.load(key(method, number)), "setting"):
        effective, gradients = one["effective"].to_numpy(), float(one["gradients"])
        slowest = float(effective.min())
        row = {"method": method, "setting": str(one["setting"].item()), "set": number}
        row |= {"per million": MILLION * slowest / gradients}
        row |= {"per second": slowest / float(one["seconds"])}
        row |= {"output": MILLION * float(effective[-1]) / gradients}
        row |= {"noise": float(one["mean"][NOISE])}
        row |= {"slowest": QUANTITIES[int(effective.argmin())]}
        yield row | {"acceptance": float(one["acceptance"])}


def _fits(found: xr.Dataset | None) -> Iterator[dict[str, Any]]:
    for number, one in enumerate(_each(found, "set")):
        names = [name for name in MEASURED if name in one]
        row: dict[str, Any] = {"set": number} | {name: float(one[name]) for name in names}
        sizes = one["size"].to_numpy()
        yield row | {f"x{i + 1}": float(size) for i, size in enumerate(sizes)}


def _each(found: xr.Dataset | None, dim: str) -> Iterator[xr.Dataset]:
    if found is not None:
        yield from (found.isel({dim: i}) for i in range(found.sizes[dim]))


def _magnitudes(one: xr.Dataset) -> np.ndarray:
    return one["found"].to_numpy()[:, : len(MAGNITUDES)]

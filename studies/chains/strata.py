"""Strata of chains: where they started, and how much of the posterior each stratum stands for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from ..errors import InputError

LEAST_CHAINS = 2
SHARE_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Stratum:
    """Chains that started in one region.

    Parameters
    ----------
    members : ndarray of int
        Their positions among all chains.
    share : float
        Fraction of the posterior in the region.
    """

    members: np.ndarray
    share: float


def strata_of(draws: xr.Dataset, stratum: Any, share: Mapping[Any, float] | None) -> list[Stratum]:
    """Sort the chains of some draws into strata.

    Parameters
    ----------
    draws : Dataset
        Anything with a dimension ``chain``.
    stratum : array_like or DataArray, optional
        One label per chain; a DataArray's chains are matched by their coordinate, if it has one.
    share : mapping of label to float, optional
        Fraction of the posterior in each stratum.

    Returns
    -------
    list of Stratum
        A single one of all chains without ``stratum``.

    Raises
    ------
    InputError
        If a stratum has fewer than two chains, or labels and shares do not fit the chains.

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn.studies.chains.strata import strata_of
    >>> draws = xr.Dataset({"x": ("chain", [0.0] * 5)})
    >>> strata = strata_of(draws, ["low", "high", "low", "low", "high"], {"low": 0.9, "high": 0.1})
    >>> [stratum.members.tolist() for stratum in strata]
    [[0, 2, 3], [1, 4]]
    """
    chains = draws.sizes["chain"]
    if (stratum is None) != (share is None):
        raise InputError("give both stratum and share, or neither.")
    if stratum is None or share is None:
        if chains < LEAST_CHAINS:
            raise InputError(f"idata: {chains} chain; an error needs at least {LEAST_CHAINS}.")
        return [Stratum(np.arange(chains), 1.0)]
    labels = _labels(stratum, draws)
    _check_shares(share, labels)
    return [
        Stratum(np.array([i for i, found in enumerate(labels) if found == label]), fraction)
        for label, fraction in share.items()
    ]


def chain_weights(strata: Sequence[Stratum]) -> np.ndarray:
    """Weight of each chain in an average over the posterior; they add up to 1.

    Parameters
    ----------
    strata : sequence of Stratum
        What :func:`strata_of` returned.

    Returns
    -------
    ndarray, shape (chains,)

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.chains.strata import Stratum, chain_weights
    >>> chain_weights([Stratum(np.array([0, 2]), 0.75), Stratum(np.array([1]), 0.25)]).tolist()
    [0.375, 0.25, 0.375]
    """
    weights = np.empty(sum(len(stratum.members) for stratum in strata))
    for stratum in strata:
        weights[stratum.members] = stratum.share / len(stratum.members)
    return weights


def _labels(stratum: Any, draws: xr.Dataset) -> list:
    if isinstance(stratum, xr.DataArray):
        stratum = _matched(stratum, draws)
    labels = np.asarray(stratum)
    if labels.shape != (draws.sizes["chain"],):
        raise InputError(
            f"stratum: shape {labels.shape} for {draws.sizes['chain']} chains; "
            "give one label per chain."
        )
    if pd.isna(labels).any():
        raise InputError("stratum: a label is missing or NaN; give every chain a label.")
    return labels.tolist()


def _matched(stratum: xr.DataArray, draws: xr.Dataset) -> xr.DataArray:
    """Put the labels in the order of the chains, where both say which chain is which."""
    given, wanted = stratum.indexes.get("chain"), draws.indexes.get("chain")
    if given is None or wanted is None or given.equals(wanted):
        return stratum
    if not (given.is_unique and wanted.is_unique and set(given) == set(wanted)):
        raise InputError("stratum: its chains are not those of idata; give one label for each.")
    return stratum.sel(chain=wanted)


def _check_shares(share: Mapping[Any, float], labels: list) -> None:
    for label in dict.fromkeys(labels):
        if label not in share:
            raise InputError(f"share: no fraction for stratum {label!r}; add one.")
        if labels.count(label) < LEAST_CHAINS:
            raise InputError(
                f"stratum: only one chain in {label!r}; an error needs at least {LEAST_CHAINS}."
            )
    for label, fraction in share.items():
        if label not in labels:
            raise InputError(f"share: stratum {label!r} has no chains; add some, or leave it out.")
        if not fraction > 0:
            raise InputError(f"share: {fraction} for stratum {label!r}; give a positive fraction.")
    total = sum(share.values())
    if abs(total - 1) > SHARE_TOLERANCE:
        raise InputError(f"share: the fractions add up to {total:.6g}; make them add up to 1.")

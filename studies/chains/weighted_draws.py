"""Draws of chains in shares that are their weights, to predict with."""

from typing import Any

import numpy as np
import xarray as xr


def labels_of(posterior: xr.Dataset) -> tuple[Any, ...]:
    """Labels of the chains, if they have some.

    Parameters
    ----------
    posterior : Dataset
        Draws.

    Returns
    -------
    tuple
        One for each chain, or none.
    """
    return tuple(posterior["chain"].values.tolist()) if "chain" in posterior.coords else ()


def weighted_draws(idata: xr.DataTree, weights: tuple[float, ...]) -> xr.DataTree:
    """Draws of chains in shares that are their weights, as of a single chain.

    Parameters
    ----------
    idata : DataTree
        Draws of all chains.
    weights : tuple of float
        Of the chains.

    Returns
    -------
    DataTree
        The posterior alone has other draws, as many as there are without taking one twice.
    """
    posterior = idata["posterior"].dataset
    count = posterior.sizes["draw"]
    shares = np.array(weights) / max(weights)
    parts = [
        posterior.isel(chain=chain, draw=_spread(count, round(count * share)))
        for chain, share in enumerate(shares)
        if round(count * share) > 0
    ]
    together = xr.concat(
        [part.drop_vars(["chain", "draw"], errors="ignore") for part in parts], "draw"
    )
    together = together.expand_dims(chain=[0]).assign_coords(draw=np.arange(together.sizes["draw"]))
    weighted = idata.copy()
    weighted["posterior"] = xr.DataTree(together.transpose("chain", "draw", ...))
    return weighted


def _spread(count: int, wanted: int) -> np.ndarray:
    """Places of some of the draws, at even distances."""
    return ((np.arange(wanted) + 0.5) * count / wanted).astype(int)

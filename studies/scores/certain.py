"""Leave-one-out of cases that every draw predicts equally well, which have no tail to smooth."""

import numpy as np
import xarray as xr
from xarray import DataArray, DataTree

from .arviz_parts import ELPDData, ELPDDataLOO

LARGEST_GOOD_K = 0.7
RANGE = 1e-9  # of log densities, in nats, which is the most that an estimate can then be off


def is_certain(densities: DataArray) -> np.ndarray:
    """Find cases whose log density is the same under all draws.

    Parameters
    ----------
    densities : DataArray
        Log densities of cases, of dimensions chain, draw and one of cases.

    Returns
    -------
    ndarray
        A bool for each case.
    """
    dims = ["chain", "draw"]
    lowest, highest = densities.min(dims).values, densities.max(dims).values
    # an infinite density less itself is no number, and then nothing is certain
    with np.errstate(invalid="ignore"):
        return np.asarray(highest - lowest <= RANGE)


def of_certain_cases(densities: DataArray) -> ELPDData:
    """Give the leave-one-out density of cases that are certain: without them, draws are the same.

    Importance ratios are reciprocals of densities and all alike, so that the density of each case
    is the estimate, and Pareto k, whose tail has no length, is 0.

    Parameters
    ----------
    densities : DataArray
        Their log densities, of dimensions chain, draw and one of cases.

    Returns
    -------
    ELPDData
        With pointwise values.
    """
    known = densities.mean(["chain", "draw"])
    return stated(known, xr.zeros_like(known), densities.sizes["chain"] * densities.sizes["draw"])


def stated(elpd_i: DataArray, pareto_k: DataArray, samples: int) -> ELPDData:
    """Make leave-one-out of what is known of each case, without effective parameters.

    Parameters
    ----------
    elpd_i, pareto_k : DataArray
        Log density of each case and its Pareto k.
    samples : int
        Draws of all chains.

    Returns
    -------
    ELPDData
        With pointwise values.
    """
    known = bool(np.isfinite(elpd_i).all())
    return ELPDDataLOO(
        elpd=float(elpd_i.sum(skipna=False)),
        se=float(np.sqrt(elpd_i.size * elpd_i.var(skipna=False))),
        p=0.0 if known else np.nan,
        n_samples=samples,
        n_data_points=elpd_i.size,
        scale="log",
        warning=not known,
        # of so many draws, below which estimates are trusted (Vehtari et al. 2024, Eq. 12)
        good_k=min(1 - 1 / float(np.log10(samples)), LARGEST_GOOD_K),
        elpd_i=elpd_i,
        pareto_k=pareto_k,
    )


def standing_still(idata: DataTree) -> bool:
    """Whether no variable of the posterior ever changes within a chain.

    Parameters
    ----------
    idata : DataTree
        Draws.

    Returns
    -------
    bool
    """
    posterior = idata["posterior"].dataset
    return all(
        bool((values == values.isel(draw=0)).all())
        for values in posterior.data_vars.values()
        if "draw" in values.dims
    )

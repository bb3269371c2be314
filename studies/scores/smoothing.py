"""Pareto-smoothed importance sampling of cases, a piece of them at a time (Vehtari et al. 2024)."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import arviz as az
import numpy as np
import xarray as xr
from xarray import DataArray, DataTree

from .arviz_parts import ELPDData
from .certain import is_certain, of_certain_cases
from .densities import TrainingDensities, as_tree


def relative_efficiency(densities: TrainingDensities) -> float:
    """Effective draws of the likelihood of a case, as a share of all draws; the mean over cases.

    Cases that are certain have no part in it.

    ArviZ takes that of all posterior variables by default, most of which are weights: they are
    not identified, mix badly, and say nothing about how well leave-one-out is estimated.

    Parameters
    ----------
    densities : TrainingDensities
        Of the training cases under each draw.

    Returns
    -------
    float
    """
    effective, samples = [], 1
    for whole in densities:
        # ArviZ counts every draw of a number that never changes
        piece = whole.isel({whole.dims[-1]: ~is_certain(whole)})
        samples = whole.sizes["chain"] * whole.sizes["draw"]
        if not piece.size:
            continue
        likelihood = (piece - piece.max(["chain", "draw"])).to_dataset(name="y_obs").map(np.exp)
        tree = DataTree.from_dict({"posterior": likelihood})
        effective.append(quietly(az.ess, tree, method="mean")["y_obs"].values.ravel())
    known = np.concatenate(effective) if effective else np.empty(0)
    known = known[~np.isnan(known)]
    share = float(known.mean()) / samples if known.size else np.nan
    return share if 0 < share < 1 else 1.0


def smoothed(densities: DataArray, share: float, keep_weights: bool = False) -> ELPDData:
    """PSIS-LOO of some cases; their weights are as many numbers as the densities."""
    loo = quietly(az.loo, as_tree(densities), pointwise=True, reff=share)
    return loo if keep_weights else replace(loo, log_weights=None)


def estimated(densities: DataArray, share: float) -> ELPDData:
    """Leave-one-out of some cases, smoothed where draws differ."""
    certain = is_certain(densities)
    cases = densities.dims[-1]
    parts = []
    if not certain.all():
        parts.append(smoothed(densities.isel({cases: ~certain}), share))
    if certain.any():
        parts.append(of_certain_cases(densities.isel({cases: certain})))
    order = np.argsort(np.r_[np.flatnonzero(~certain), np.flatnonzero(certain)])
    loo = joined(parts)
    return replace(
        loo, elpd_i=loo.elpd_i.isel({cases: order}), pareto_k=loo.pareto_k.isel({cases: order})
    )


def joined(parts: Sequence[ELPDData]) -> ELPDData:
    """PSIS-LOO of all cases from that of pieces."""
    dim = parts[0].elpd_i.dims[0]
    return summed(
        replace(
            parts[0],
            n_data_points=sum(part.n_data_points for part in parts),
            p=float(sum(part.p for part in parts)),
            elpd_i=xr.concat([part.elpd_i for part in parts], dim),
            pareto_k=xr.concat([part.pareto_k for part in parts], dim),
        )
    )


def summed(loo: ELPDData) -> ELPDData:
    """PSIS-LOO whose totals are those of its cases."""
    elpd, se, *_ = loo.elpd_i.azstats.loo_summary(loo.elpd_i)
    return replace(loo, elpd=elpd, se=se, warning=bool(failed(loo).any()))


def failed(loo: ELPDData) -> np.ndarray:
    """Cases at which importance sampling fails."""
    return np.asarray(loo.pareto_k > loo.good_k)


def quietly(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call without warnings, which the report gives in words instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)

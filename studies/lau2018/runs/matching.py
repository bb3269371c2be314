"""Unit of work: repair PSIS-LOO by moment matching, where it fails."""

import numpy as np
import xarray as xr

from ...scores.refitting import leave_one_out, match_moments, with_log_likelihood
from ...scores.smoothing import quietly
from ..design.declarations import Experiment
from .sampling import draw
from .scores import LARGEST_K

DRAWS = 50  # of each chain; each step of each case evaluates the network at all of them
EXAMINED = 40  # cases; on these networks it fails for hundreds


def match_experiment(experiment: Experiment) -> xr.Dataset:
    """Sample an experiment, thinned, and repair PSIS-LOO by moment matching.

    Returns
    -------
    Dataset
        ``loo`` and ``pareto_k`` of all training cases; and of those that are examined, evenly
        chosen from the ones where k is too large, ``matched_loo`` and ``matched_k``, which are
        undefined elsewhere. All are from the same draws.
    """
    model, idata, _ = draw(experiment)
    thinned = with_log_likelihood(model, _thinned(idata, -(-experiment.draws // DRAWS)))
    before = leave_one_out(model, thinned)
    values = {"loo": before.elpd_i.values.copy(), "pareto_k": before.pareto_k.values.copy()}
    failed = np.flatnonzero(values["pareto_k"] > LARGEST_K)
    places = np.linspace(0, len(failed) - 1, min(EXAMINED, len(failed)))
    examined = np.isin(np.arange(len(values["loo"])), failed[places.round().astype(int)])
    before.pareto_k = before.pareto_k.where(xr.DataArray(examined, dims=before.pareto_k.dims), 0.0)
    after = quietly(match_moments, model, thinned, before)
    values["matched_loo"] = np.where(examined, after.elpd_i, np.nan)
    values["matched_k"] = np.where(examined, after.pareto_k, np.nan)
    return xr.Dataset({name: ("row", column) for name, column in values.items()})


def _thinned(idata: xr.DataTree, every: int) -> xr.DataTree:
    groups = {name: group.dataset for name, group in idata.children.items() if name != "warmup"}
    for name in ("posterior", "sample_stats"):
        groups[name] = groups[name].isel(draw=slice(None, None, every))
    return xr.DataTree.from_dict(groups)

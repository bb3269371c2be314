"""A ladder of one temperature, where a batch of chains is faster than one chain after another."""

from typing import Any

import numpy as np
import xarray as xr
from xarray import DataTree

from ...batch.chains import BatchOfChains
from ...batch.sampling import begun, drawn
from ...batch.trace import samples_of
from ...steps.gibbs_hmc import GibbsHMC
from ..groups import EXCHANGE, check_names
from ..log_likelihood import LogLikelihood


def sample_one_rung(
    step: GibbsHMC,
    draws: int,
    tune: int,
    chains: int,
    cores: int,
    rng: np.random.Generator,
    *,
    initvals: Any = None,
    **ending: Any,
) -> DataTree:
    """Sample the posterior as :func:`...batch.sampling.sample_batch` does, to the last bit.

    Parameters
    ----------
    step : GibbsHMC
        How to sample.
    draws, tune, chains, cores, rng
        As for a batch.
    initvals, **ending
        As for a batch.

    Returns
    -------
    DataTree
        With the group ``replica_exchange`` of a ladder whose only temperature is 1.
    """
    check_names(step.model)
    batch = begun(step, draws, tune, chains, rng, initvals, bool(ending.get("quiet")))
    found, done = drawn(batch, batch.blocks(cores), **ending)
    if isinstance(found, DataTree) and "posterior" in found.children:  # not ended in its warm-up
        found[EXCHANGE] = DataTree(_only_rung(found, batch, done))
    return found


def _only_rung(idata: DataTree, batch: BatchOfChains, done: int) -> xr.Dataset:
    """What a ladder records, of chains that have nobody to change places with."""
    stats = idata["sample_stats"].to_dataset()
    own = {name: stats[name] for name in ("acceptance_rate", "diverging")}
    kept = slice(done - stats.sizes["draw"], done)
    like = xr.zeros_like(own["acceptance_rate"])
    own["log_likelihood"] = like.copy(data=_log_likelihoods(batch, kept))
    own["replica"] = like.astype(np.int64)
    return xr.Dataset(own).expand_dims(temperature=[1.0]).transpose("chain", "draw", "temperature")


def _log_likelihoods(batch: BatchOfChains, kept: slice) -> np.ndarray:
    """Log likelihood at every draw that is kept, shape (chains, draws)."""
    model = batch.step.model
    points = samples_of(batch.step, batch.records, kept.stop, model.value_vars)
    evaluate = LogLikelihood(model)
    return np.array(
        [
            [
                evaluate({name: values[chain, draw] for name, values in points.items()})
                for draw in range(kept.start, kept.stop)
            ]
            for chain in range(len(batch.seconds))
        ]
    )

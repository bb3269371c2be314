"""Replicas that change places (Algorithm 2)."""

import numpy as np
import xarray as xr

from ....samplers import minimize, sample
from ...chains.exchange import exchange_summary
from ..design.budgets import Exchange
from ..design.images import cases
from ..design.networks import NETWORKS, start
from ..design.sweeps import RANGES, USUAL
from .measuring import DESCENT
from .sweeps import static


def exchange(declared: Exchange, leapfrogs: int, seed: list[int]) -> xr.Dataset:
    """Run a geometric ladder from a minimised network.

    Returns
    -------
    Dataset
        ``energy`` and ``replica`` by ``draw`` and ``temperature``, ``swapped``, how often a
        temperature changed places with the next one, and the number of ``round_trips``.
    """
    data, network = cases(declared.cases), NETWORKS[declared.network]
    model = network.build(data.X, data.y)
    begin = start(model, np.random.default_rng(seed))
    [begin] = minimize(model, DESCENT, begin, of="likelihood").points
    idata = sample(
        model,
        declared.draws,
        declared.tune,
        chains=1,
        cores=1,
        step=static(model, leapfrogs),
        temperature=_ladder(declared),
        initvals=begin,
        seed=seed[0] + 1,
        progressbar=False,
        quiet=True,
    )
    ladder = idata["replica_exchange"].to_dataset().isel(chain=0, drop=True)
    summary = exchange_summary(idata)
    swapped = summary["swapped with the next"].to_numpy()
    found = ladder[["replica"]].assign(energy=-ladder["log_likelihood"])
    return found.assign(
        swapped=("temperature", swapped), round_trips=int(np.sum(summary.attrs["round_trips"]))
    )


def _ladder(declared: Exchange) -> list[float]:
    """Temperatures; an odd number of them has 1 in its middle."""
    low, high = RANGES.get(declared.network, USUAL)
    return [float(t) for t in 10 ** np.linspace(low, high, declared.temperatures)]

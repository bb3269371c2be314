"""Networks with separate modes, by chains alone and by ladders."""

import time
from typing import Any

import numpy as np
import xarray as xr

from ....samplers import sample
from ...chains.exchange import exchange_summary
from ..design.modes import CASES, Modes

ALONE, LADDER = "alone", "ladder"


def sample_modes(declared: Modes, way: str, seed: int) -> xr.Dataset:
    """Sample a network in one of both ways.

    Returns
    -------
    Dataset
        By ``chain`` and ``draw``: ``log_likelihood``, and ``lead``, by how much the first half of
        cases is more likely than the second; ``seconds``, compilation included, and ``round_trips``
        of a ladder's replicas.
    """
    model = declared.build()
    ladder: dict[str, Any] = {"chains": declared.chains}
    if way == LADDER:
        ladder = {"chains": declared.ladders, "temperature": declared.ladder()}
    begun = time.perf_counter()
    idata = sample(
        model,
        declared.draws,
        declared.tune,
        cores=1,
        seed=seed + 1,
        progressbar=False,
        quiet=True,
        **ladder,
    )
    seconds = time.perf_counter() - begun
    cases = model.log_likelihood(idata, *declared.data())
    first, second = (
        cases.isel(obs=half).sum("obs").values
        for half in (slice(0, CASES // 2), slice(CASES // 2, None))
    )
    trips = np.sum(exchange_summary(idata).attrs["round_trips"]) if way == LADDER else 0
    dims = ("chain", "draw")
    columns = {"log_likelihood": (dims, first + second), "lead": (dims, first - second)}
    return xr.Dataset(columns).assign(seconds=seconds, round_trips=int(trips))

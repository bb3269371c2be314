"""Ordinary tables with and without replica exchange, at equal seconds."""

from typing import Any

import numpy as np
import xarray as xr

from ....models import BNN
from ....samplers import sample
from ...chains.convergence import check_convergence
from ..design.ordinary import LADDER, Ordinary

WAYS: dict[str, dict[str, Any]] = {"alone": {}, "ladder": {"temperature": LADDER}}
PILOT = 20  # iterations that say how many the next pilot can have
SHARE = 0.15  # of the seconds, for the pilot that says how many there are time for
FEWEST, MOST = 20, 10_000
TUNED = 1 / 3


def sample_ordinary(declared: Ordinary, seed: int) -> xr.Dataset:
    """Sample a network in both ways, for as many seconds.

    How many iterations there is time for is told by two pilots, as warm-up goes with step sizes
    that change. Seconds are those of sampling, without compilation.

    Returns
    -------
    Dataset
        By ``way``: ``rhat`` and ``ess`` of the worst output of the network, ``rhat_hyper`` and
        ``ess_hyper`` of the worst hyperparameter, ``seconds`` and ``draws`` of a chain.
    """
    model = declared.build()
    found = [_sampled(model, declared, way, seed) for way in WAYS]
    columns = {name: ("way", [one[name] for one in found]) for name in found[0]}
    return xr.Dataset(columns, {"way": list(WAYS)})


def _sampled(model: BNN, declared: Ordinary, way: str, seed: int) -> dict[str, float]:
    per_iteration = _seconds(_draw(model, declared, way, PILOT, seed)) / PILOT
    for share in (SHARE, 1.0):
        count = int(np.clip(share * declared.seconds / per_iteration, FEWEST, MOST))
        idata = _draw(model, declared, way, count, seed)
        per_iteration = _seconds(idata) / count
    table = check_convergence(model, idata).table
    row: dict[str, float] = {
        "seconds": _seconds(idata),
        "draws": idata["posterior"].sizes["draw"],
    }
    for kind, ending in (("network outputs", ""), ("hyperparameter", "_hyper")):
        here = table[table["kind"] == kind]
        row |= {f"rhat{ending}": here["rhat"].max(), f"ess{ending}": here["ess"].min()}
    return row


def _draw(model: BNN, declared: Ordinary, way: str, iterations: int, seed: int) -> Any:
    tune = round(TUNED * iterations)
    return sample(
        model,
        iterations - tune,
        tune,
        chains=declared.chains,
        cores=1,
        seed=seed + 1,
        progressbar=False,
        quiet=True,
        compute_convergence_checks=False,
        **WAYS[way],
    )


def _seconds(idata: Any) -> float:
    attributes = idata.attrs | idata["posterior"].attrs
    return float(attributes["sampling_time"])

"""Ordinary tables with and without replica exchange, at equal seconds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from ....models import BNN
from ....samplers import sample
from ...chains.convergence import check_convergence
from ..design.ordinary import LADDER, Ordinary

WAYS: dict[str, dict[str, Any]] = {"alone": {}, "ladder": {"temperature": LADDER}}
PILOT = 20  # iterations that say how many the next pilot can have
SHARES = 0.06, 0.25  # of the seconds, for the pilots that say how many there are time for
FEWEST, MOST = 20, 100_000
TUNED = 1 / 3


def sample_ordinary(declared: Ordinary, seed: int) -> xr.Dataset:
    """Sample a network in both ways, for as many seconds.

    How many iterations there is time for is told by pilots, as warm-up goes with step sizes that
    change; one no longer than the one before it would tell nothing new and is left out. Seconds
    are those of sampling, without compilation.

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
    idata = _draw(model, declared, way, PILOT, seed)
    took = [(PILOT, _seconds(idata))]
    for share in (*SHARES, 1.0):
        count = iterations_in(share * declared.seconds, took)
        if share < 1.0 and count <= took[-1][0]:
            took.append(took[-1])
            continue
        idata = _draw(model, declared, way, count, seed)
        took.append((count, _seconds(idata)))
    table = check_convergence(model, idata).table
    row: dict[str, float] = {
        "seconds": _seconds(idata),
        "draws": idata["posterior"].sizes["draw"],
    }
    for kind, ending in (("network outputs", ""), ("hyperparameter", "_hyper")):
        here = table[table["kind"] == kind]
        row |= {f"rhat{ending}": here["rhat"].max(), f"ess{ending}": here["ess"].min()}
    return row


def iterations_in(seconds: float, took: Sequence[tuple[int, float]]) -> int:
    """How many iterations there is time for, by the line through the last two pilots.

    What chains begin with takes time too. The first pilot is too short to tell how much.

    Parameters
    ----------
    seconds : float
        To be used.
    took : sequence of (int, float)
        Iterations and seconds of the pilots so far.

    Returns
    -------
    int

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.runs.ordinary import iterations_in
    >>> iterations_in(3.0, [(20, 1.0)]), iterations_in(4.0, [(20, 9.0), (100, 2.0), (200, 3.0)])
    (60, 300)
    """
    count, last = took[-1]
    before, earlier = took[-2] if len(took) > 2 else (0, 0.0)
    each = (last - earlier) / (count - before) if count > before else 0.0
    each = each if each > 0 else last / count
    return int(np.clip(count + (seconds - last) / each, FEWEST, MOST))


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

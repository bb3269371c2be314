"""Master runs: very long chains of the old method, which give reference means and start states."""

from itertools import islice
from typing import Any

import arviz as az
import numpy as np
import xarray as xr

from ....samplers import GibbsHMC
from ....samplers.one_chain import iterate_chain
from ..design.network import choo_network
from ..design.starts import INSIDE, choose_starts, is_inside
from .chains import Point, as_states, start_points

N_LEAPFROG = {False: 400, True: 50}  # without interweaving Table 5.7, with it far less will do
STEP_SCALES = {8: 0.35, 12: 0.32, 16: 0.26, 20: 0.24, 32: 0.2, 64: 0.14}  # Table 5.7, and on
MOST_EXTENSIONS = 10


def make_master(
    width: int,
    samples: int,
    separation: int,
    thin: int = 100,
    interweave: bool = False,
    seed: tuple[int, ...] = (0,),
) -> xr.DataTree:
    """Run a master, longer if need be until it has enough states in the region G.

    Parameters
    ----------
    width : int
        Hidden units.
    samples : int
        Trajectories; as many again at most ten times if the start states ask for it.
    separation : int
        Trajectories between the first 40 start states, Table 5.8.
    thin : int
        Trajectories per recorded state.
    interweave : bool
        Whether precisions and weights also move together, which the thesis's method does not.
    seed : tuple of int
        Same seed, same run.

    Returns
    -------
    DataTree
        ``draws`` from :func:`run_master`, ``starts`` from :func:`.starts.choose_starts` and
        ``summary`` from :func:`summarize_master`.

    Raises
    ------
    ValueError
        If there are not enough states in G even then.
    """
    draws = run_master(width, samples, thin, interweave, seed)
    for extension in range(1, MOST_EXTENSIONS + 1):
        if is_inside(draws).sum() >= INSIDE:
            break
        last = start_points(choo_network(width), _last(draws))[0]
        more = run_master(width, samples, thin, interweave, (*seed, extension), last)
        draws = _joined(draws, more)
    summary = summarize_master(draws)
    gap = 3 * float(summary["inefficiency"].sel(hyperparameter="u"))
    starts = choose_starts(draws, separation / thin, gap / thin, seed)
    return xr.DataTree.from_dict({"draws": draws, "starts": starts, "summary": summary})


def run_master(
    width: int,
    samples: int,
    thin: int = 100,
    interweave: bool = False,
    seed: tuple[int, ...] = (0,),
    start: Point | None = None,
) -> xr.Dataset:
    """Run one long chain with the settings of Table 5.7.

    Parameters
    ----------
    width, samples, thin, interweave, seed
        As for :func:`make_master`.
    start : dict, optional
        Point to go on from; by default the run begins anew, and its first 2% are not kept.

    Returns
    -------
    Dataset
        Weights, ``log_sigma`` and ``acceptance`` along ``draw``.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.runs.master import run_master
    >>> run_master(8, samples=100, thin=10)["log_sigma"].shape
    (10, 5)
    """
    model, rng = choo_network(width), np.random.default_rng(seed)
    options: dict[str, Any] = {"interweave": interweave, "thin": thin, "model": model}
    step = GibbsHMC(N_LEAPFROG[interweave], STEP_SCALES[width], **options)
    draws = max(1, samples // thin)
    skipped = max(1, draws // 50) if start is None else 0
    chain = iterate_chain(step, start or model.initial_point(), rng, draws=skipped + draws)
    points, acceptance = [], []
    for point, [stats], _ in islice(chain, skipped, None):
        points.append(point)
        acceptance.append(stats["acceptance_rate"])
    states = as_states(points, "draw").assign(acceptance=("draw", np.array(acceptance)))
    return states.assign_attrs(width=width, thin=thin, interweave=int(interweave))


def summarize_master(draws: xr.Dataset) -> xr.Dataset:
    """Reference numbers of a master run.

    Parameters
    ----------
    draws : Dataset
        From :func:`run_master`.

    Returns
    -------
    Dataset
        Of each log standard deviation ``mean``, ``sd``, ``mcse`` and ``inefficiency``, in
        trajectories; ``share`` of the region G with its Monte Carlo error ``share_mcse``; and
        ``rejection_rate`` and number of ``samples``.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.runs.master import run_master, summarize_master
    >>> summary = summarize_master(run_master(8, samples=200, thin=10))
    >>> summary["mean"].sel(hyperparameter="u").ndim, int(summary["samples"])
    (0, 200)
    """
    sigmas, inside = draws["log_sigma"].to_numpy(), is_inside(draws).to_numpy()
    thin, count = draws.attrs["thin"], draws.sizes["draw"]
    sampled = [sigmas[None, :, i] for i in range(sigmas.shape[1])]
    along = "hyperparameter"
    return xr.Dataset(
        {
            "mean": (along, sigmas.mean(axis=0)),
            "sd": (along, sigmas.std(axis=0, ddof=1)),
            "mcse": (along, [float(az.mcse(values)) for values in sampled]),
            "inefficiency": (along, [_inefficiency(values, thin) for values in sampled]),
            "share": inside.mean(),
            "share_mcse": float(az.mcse(inside[None, :].astype(float))),
            "rejection_rate": 1.0 - float(draws["acceptance"].mean()),
            "samples": count * thin,
        },
        coords={along: draws[along]},
    )


def _inefficiency(values: np.ndarray, thin: int) -> float:
    """Trajectories that are worth one independent one; no less than a recorded state's."""
    return thin * max(1.0, values.size / float(az.ess(values, method="mean")))


def _joined(first: xr.Dataset, second: xr.Dataset) -> xr.Dataset:
    return xr.concat(
        [first, second],
        "draw",
        data_vars="minimal",
        coords="minimal",
        compat="override",
        join="override",
        combine_attrs="override",
    )


def _last(draws: xr.Dataset) -> xr.Dataset:
    return draws.isel(draw=[-1]).rename(draw="start")

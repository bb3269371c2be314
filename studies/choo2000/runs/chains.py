"""Chains of one sampler from given start states, as the thesis runs them."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
import xarray as xr

from ....models import BNN
from ....samplers import GibbsHMC
from ....samplers.batch.chains import BatchOfChains
from ....samplers.batch.network.registers import WIDTH
from ....samplers.batch.sampling import are_lanes
from ....samplers.batch.statistics import ACCEPTANCE, ERROR, EVALUATIONS
from ....samplers.dynamics.metropolis import LARGEST_ENERGY_ERROR
from ....samplers.one_chain import iterate_chain
from ..design.network import HYPERPARAMETERS

WEIGHTS = ("w0", "b0", "w1", "b1")
STATISTICS = {"acceptance_rate": float, "diverging": int, "n_steps": int}

Point = dict[str, np.ndarray]
Run = tuple[np.ndarray, np.ndarray, int]
Seed = int | Sequence[int] | np.random.SeedSequence


def run_chains(
    step: Any, starts: Sequence[Point], draws: int, seed: Seed, passes_per_leapfrog: int = 2
) -> xr.DataTree:
    """Run chains, each from its start state and with random numbers of its own.

    Chains of :class:`GibbsHMC` move eight at a time where there are enough of them, others one
    after the other.

    Parameters
    ----------
    step : step method
        One that moves all variables, with as many updates inside a step as belong to a draw.
    starts : sequence of dict
        Values of the model's value variables, from :func:`start_points`.
    draws : int
        Recorded draws of each chain.
    seed : int, sequence of int or SeedSequence
        Same seed, same chains.
    passes_per_leapfrog : int
        Passes through the network that a leapfrog step takes, Table 5.5.

    Returns
    -------
    DataTree
        ``posterior`` with the log of each standard deviation under its name in the thesis, and
        ``sample_stats``; attributes ``seconds``, ``passes``, passes through the network, and
        ``packs``, whether eight chains moved at a time.

    Raises
    ------
    ValueError
        If there is no start state or no draw.

    Examples
    --------
    >>> from pymc_bnn.samplers import GibbsHMC
    >>> from pymc_bnn.studies.choo2000.runs.chains import run_chains
    >>> from pymc_bnn.studies.choo2000.design.network import choo_network
    >>> model = choo_network(8)
    >>> step = GibbsHMC(10, 0.3, thin=2, model=model)
    >>> chains = run_chains(step, [model.initial_point()] * 3, 4, seed=1)
    >>> chains["posterior"]["u"].shape, chains.attrs["passes"] >= 3 * 4 * 2 * 10 * 2
    ((3, 4), True)
    """
    if len(starts) < 1 or draws < 1:
        raise ValueError(f"starts={len(starts)}, draws={draws}: give at least one of each.")
    rngs = np.random.default_rng(seed).spawn(len(starts))
    packs = len(starts) >= WIDTH and are_lanes([step])
    if packs:  # which compile when they begin; single steps have
        _pack(step, starts[:WIDTH], 1, np.random.default_rng(0).spawn(WIDTH))
    begin = perf_counter()
    sigmas, stats, evaluations = (_in_packs if packs else _in_turn)(step, starts, draws, rngs)
    seconds = perf_counter() - begin
    chains = _as_tree(sigmas, stats)
    leapfrogs = int(chains["sample_stats"]["n_steps"].sum())
    passes = passes_per_leapfrog * leapfrogs + evaluations
    chains.attrs = {"seconds": seconds, "passes": passes, "packs": int(packs)}
    return chains


def _in_turn(
    step: Any, starts: Sequence[Point], draws: int, rngs: Sequence[np.random.Generator]
) -> Run:
    """Log standard deviations and statistics of chains one after the other, and evaluations."""
    sigmas = np.empty((len(starts), draws, len(HYPERPARAMETERS)))
    stats = np.empty((len(starts), draws, len(STATISTICS)))
    evaluations = 0
    for chain, rng in enumerate(rngs):
        iterations = iterate_chain(step, starts[chain], rng, draws=draws)
        for draw, (point, [found], _) in enumerate(iterations):
            sigmas[chain, draw] = log_sigma(point)
            stats[chain, draw] = [found[name] for name in STATISTICS]
            evaluations += int(found.get("interweave_evaluations", 0))
    return sigmas, stats, evaluations


def _in_packs(
    step: GibbsHMC, starts: Sequence[Point], draws: int, rngs: Sequence[np.random.Generator]
) -> Run:
    """Compute the same of chains that move eight at a time, in registers."""
    parts = [
        _pack(step, starts[first : first + WIDTH], draws, rngs[first : first + WIDTH])
        for first in range(0, len(starts), WIDTH)
    ]
    sigmas, stats, evaluations = zip(*parts, strict=True)
    return np.concatenate(sigmas), np.concatenate(stats), sum(evaluations)


def _pack(
    step: GibbsHMC, starts: Sequence[Point], draws: int, rngs: Sequence[np.random.Generator]
) -> Run:
    batch = BatchOfChains(step, starts, rngs, tune=0, draws=draws)
    for _ in batch.blocks():
        pass
    slices = step.precisions.slices
    places = [slices[f"{name}_log__"].start for name in HYPERPARAMETERS.values()]
    found = batch.records.statistics
    steps = np.full(found.shape[:2], step.thin * step.n_leapfrog)
    last = ~(found[..., ERROR] < LARGEST_ENERGY_ERROR)
    stats = np.stack([found[..., ACCEPTANCE], last, steps], axis=-1)
    sigmas = -0.5 * batch.records.log_precision[..., places]
    return sigmas, stats, int(found[..., EVALUATIONS].sum())


def _as_tree(sigmas: np.ndarray, stats: np.ndarray) -> xr.DataTree:
    dims = ("chain", "draw")
    coords = {name: np.arange(size) for name, size in zip(dims, sigmas.shape, strict=False)}
    posterior = {name: (dims, sigmas[..., i]) for i, name in enumerate(HYPERPARAMETERS)}
    types = enumerate(STATISTICS.items())
    statistics: dict[str, Any] = {
        name: (dims, stats[..., i].astype(kind)) for i, (name, kind) in types
    }
    return xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(posterior, coords=coords),
            "sample_stats": xr.Dataset(statistics, coords=coords),
        }
    )


def log_sigma(point: Point) -> list[float]:
    """Logs of the five standard deviations, in the order of ``HYPERPARAMETERS``.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.runs.chains import log_sigma
    >>> from pymc_bnn.studies.choo2000.design.network import choo_network
    >>> [round(value, 2) + 0.0 for value in log_sigma(choo_network(8).initial_point())]
    [-2.3, 0.0, -0.8, 0.0, -0.22]
    """
    values = (point[f"{name}_log__"] for name in HYPERPARAMETERS.values())
    return [-0.5 * float(np.asarray(value).item()) for value in values]


def start_points(model: BNN, states: xr.Dataset) -> list[Point]:
    """Turn stored states into points of a model, whatever its parametrization.

    Parameters
    ----------
    model : BNN
        From :func:`choo_network`, with as many hidden units as the states have.
    states : Dataset
        The weights themselves, and ``log_sigma`` of each hyperparameter, along ``start``.

    Returns
    -------
    list of dict
        Values of the model's value variables, in its order.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.choo2000.runs.chains import as_states, start_points
    >>> from pymc_bnn.studies.choo2000.design.network import choo_network
    >>> points = start_points(choo_network(8), as_states([choo_network(8).initial_point()]))
    >>> list(points[0])[:2]
    ['w0_precision_log__', 'w0']
    """
    points = []
    for i in range(states.sizes["start"]):
        state = states.isel(start=i)
        named: Point = {}
        for letter, name in HYPERPARAMETERS.items():
            log_precision = -2.0 * state["log_sigma"].sel(hyperparameter=letter).to_numpy()
            named[f"{name}_log__"] = np.asarray(log_precision)
        for name in WEIGHTS:
            weights = state[name].to_numpy()
            if model.parametrization == "noncentered":
                weights = weights * np.exp(0.5 * named[f"{name}_precision_log__"])
            named[model.free_name(name)] = np.asarray(weights)
        points.append({v.name: named[v.name].copy() for v in model.value_vars})
    return points


def as_states(points: Sequence[Point], dim: str = "start") -> xr.Dataset:
    """Store points of the centred network: weights and ``log_sigma``.

    Parameters
    ----------
    points : sequence of dict
        Values of the value variables of ``choo_network(width)``.
    dim : str
        Name of the dimension along the points.

    Returns
    -------
    Dataset
    """
    dims = {"w0": ("input", "hidden"), "b0": ("hidden",), "w1": ("hidden", "output")}
    weights = {
        name: ((dim, *dims.get(name, ("output",))), np.stack([p[name] for p in points]))
        for name in WEIGHTS
    }
    sigmas = np.array([log_sigma(point) for point in points])
    return xr.Dataset(
        {**weights, "log_sigma": ((dim, "hyperparameter"), sigmas)},
        coords={"hyperparameter": list(HYPERPARAMETERS)},
    )

"""Ladders with a replica at every temperature (Algorithm 2), moved together by JAX."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import xarray as xr
from pymc.blocking import PointType
from threadpoolctl import threadpool_limits

from ....models import BNN
from ....samplers import minimize
from ....samplers.one_chain import iterate_chain
from ....samplers.tempering.swaps import round_trips
from ....samplers.tempering.together.step import ReplicasTogether
from ..design.budgets import Budget
from ..design.images import cases
from ..design.networks import NETWORKS, start
from ..design.sweeps import Sweep
from .measuring import ACCEPTANCE, DESCENT, INSIDE, measure

RECORDED = ("tempered_log_likelihood", "replica", "tempered_acceptance", "swap_probability")


def climb(sweep: Sweep, direction: str, budget: Budget, seed: list[int]) -> xr.Dataset:
    r"""Run a ladder of replicas that change places, as the paper does.

    Replicas of a ladder that is cooled begin at draws of the prior; those of one that is heated all
    at the same minimum, that Algorithm 3 finds from :math:`1 / \sqrt{k}`.

    Parameters
    ----------
    sweep : Sweep
        Network, cases, walls, temperatures and length.
    direction : {"cooling", "heating"}
        Where replicas begin.
    budget : Budget
        How many leapfrog steps and draws that are tested.
    seed : list of int
        Of all random numbers.

    Returns
    -------
    Dataset
        As of :func:`.sweeps.go_through`, with ``replica`` by ``draw`` and ``temperature``,
        ``swapped``, how often a temperature changed places with the next one, and the number of
        ``round_trips``.
    """
    assert sweep.ladder is not None
    data, network = cases(sweep.cases), NETWORKS[sweep.network]
    rng = np.random.default_rng(seed)
    ladder = sweep.temperatures()
    model = network.build(data.X, data.y, sweep.walls)
    if direction == "heating":
        with threadpool_limits(1, user_api="blas"):
            [begin] = minimize(model, DESCENT, start(model, rng), of="likelihood").points
        points = [begin] * len(ladder)
    else:
        points = [start(model, rng, INSIDE * network.factor) for _ in ladder]
    step = ReplicasTogether(
        ladder,
        sweep.ladder.trajectories,
        budget.leapfrogs,
        target_accept=ACCEPTANCE,
        metric="unit",
        record=False,
        model=model,
    )
    length = sweep.ladder.tune, sweep.ladder.draws
    every = max(1, sweep.ladder.draws // budget.tested)
    records, kept = _drawn(step, points, length, every, rng)
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(os.cpu_count()) as pool:
        # a draw at each temperature, all draws of one at a time
        each = _by_temperature(model, step, kept)
        measured = list(pool.map(lambda one: measure(model, one, data, budget.tested), each))
    along = xr.DataArray(list(ladder), dims="temperature", name="temperature")
    together = xr.concat([one.drop_vars("energy") for one in measured], along)
    return together.merge(records.assign_coords(temperature=list(ladder)))


def _drawn(
    step: ReplicasTogether,
    points: Sequence[PointType],
    length: tuple[int, int],
    every: int,
    rng: np.random.Generator,
) -> tuple[xr.Dataset, np.ndarray]:
    """Draw, and keep the positions of some draws, shape (draws, temperatures, size)."""
    tune, draws = length
    chain = iterate_chain(step, points[step.posterior], rng, tune=tune, draws=draws)
    step.begin(points)  # once it is set up, which forgets where replicas are
    found, kept = [], []
    for _, [statistics], tuning in chain:
        if not tuning:
            found.append(statistics)
            if (len(found) - 1) % every == 0:
                kept.append(step.values())
    stacked = {name: np.array([one[name] for one in found]) for name in RECORDED}
    dims = ("draw", "temperature")
    swapped = np.append(np.nanmean(stacked["swap_probability"], axis=0), np.nan)
    records = xr.Dataset(
        {
            "energy": (dims, -stacked["tempered_log_likelihood"]),
            "replica": (dims, stacked["replica"]),
            "acceptance": ("temperature", stacked["tempered_acceptance"].mean(axis=0)),
            "swapped": ("temperature", swapped),
        }
    )
    return records.assign(round_trips=round_trips(stacked["replica"])), np.array(kept)


def _by_temperature(model: BNN, step: ReplicasTogether, kept: np.ndarray) -> Iterator[xr.DataTree]:
    """Draws of weights at each temperature, as the posterior of one chain."""
    for place in range(kept.shape[1]):
        columns = {}
        for (name, group), value in zip(model.groups.items(), model.value_vars, strict=True):
            where = step.layout.slices[str(value.name)]
            values = kept[:, place, where].reshape(1, len(kept), *group.shape)
            columns[name] = (("chain", "draw", *group.dims), values)
        yield xr.DataTree.from_dict({"posterior": xr.Dataset(columns)})

"""Effective draws of chains with trajectories of several lengths (Neal 1995, 3.3, Fig. 3.6)."""

from collections.abc import Sequence
from time import process_time
from typing import NamedTuple

import numpy as np
import xarray as xr
from pymc.blocking import PointType

from ...models.bnn import BNN
from ..diagnosis.identified import identified
from ..one_chain import iterate_chain
from ..steps.gibbs_hmc import GibbsHMC
from .records import as_draws, some_outputs

FEWEST_LENGTHS = 2  # to compare
RECORDED = 100  # gradients between draws of shorter trajectories


class Chain(NamedTuple):
    """A chain, and what it took.

    Attributes
    ----------
    points : list of dict
        Its draws.
    acceptance : float
        Mean acceptance.
    passes : int
        Gradients, and passes through the network that move precisions, which take nearly as long.
    seconds : float
        Of the processor.
    """

    points: list[PointType]
    acceptance: float
    passes: int
    seconds: float


def gradients_of_a_draw(length: int) -> int:
    """Gradients between two draws, of one trajectory or of several short ones.

    Examples
    --------
    >>> from pymc_bnn.samplers.trajectories.effective import gradients_of_a_draw
    >>> gradients_of_a_draw(30), gradients_of_a_draw(300)
    (90, 300)
    """
    return int(length) * max(1, RECORDED // int(length))


def effective_draws(
    model: BNN,
    step: GibbsHMC,
    points: Sequence[PointType],
    lengths: Sequence[int],
    gradients: int,
    rng: np.random.Generator,
) -> xr.Dataset:
    """Run chains of all lengths from the same starts, each for as many gradients.

    Parameters
    ----------
    model : BNN
        The network.
    step : GibbsHMC
        Its length is set here; its step sizes are kept.
    points : sequence of dict
        Starts of chains.
    lengths : sequence of int
        Leapfrogs of a trajectory.
    gradients : int
        Of each chain.
    rng : Generator
        Where random numbers come from.

    Returns
    -------
    Dataset
        ``effective``, effective draws by ``length``, ``chain`` and ``quantity``: the median of some
        outputs, and each log precision; of a chain by itself, so that one mode is enough. And
        ``acceptance``, ``passes`` and ``seconds`` by ``length`` and ``chain``. After Ctrl-C, of the
        lengths that were done by then, if there are two at least.
    """
    rows: list[xr.Dataset] = []
    try:
        for length, child in zip(lengths, rng.spawn(len(lengths)), strict=True):
            rows.append(_of_length(model, step, points, length, gradients, child))
    except KeyboardInterrupt:
        if len(rows) < FEWEST_LENGTHS:
            raise
    return xr.concat(rows, "length").assign_coords(length=np.array(lengths[: len(rows)], int))


def _of_length(
    model: BNN,
    step: GibbsHMC,
    points: Sequence[PointType],
    length: int,
    gradients: int,
    rng: np.random.Generator,
) -> xr.Dataset:
    step.n_leapfrog = int(length)
    step.thin = gradients_of_a_draw(length) // step.n_leapfrog
    draws = gradients // gradients_of_a_draw(length)
    runs = [
        _run(step, point, draws, own)
        for point, own in zip(points, rng.spawn(len(points)), strict=True)
    ]
    found = {name: ("chain", [getattr(r, name) for r in runs]) for name in Chain._fields[1:]}
    return xr.Dataset({"effective": _effective(model, [run.points for run in runs]), **found})


def _run(step: GibbsHMC, start: PointType, draws: int, rng: np.random.Generator) -> Chain:
    chain = iterate_chain(step, start, rng, draws=draws)
    points, accepted, passes, begun = [], 0.0, 0, process_time()
    for point, [found], _ in chain:
        points.append(point)
        accepted += found["acceptance_rate"]
        passes += found["n_steps"] + found["interweave_evaluations"]
    return Chain(points, accepted / draws, int(passes), process_time() - begun)


def _effective(model: BNN, chains: list[list[PointType]]) -> xr.DataArray:
    """Effective draws of each chain, by quantity."""
    draws = as_draws(model, chains)
    outputs = _of_each_chain(some_outputs(model, draws)).median("quantity")
    found, names = [outputs.values[:, None]], ["outputs"]
    for name, values in identified(draws["posterior"].dataset, model.groups).data_vars.items():
        flat = values.values.reshape(*values.shape[:2], -1)
        array = xr.DataArray(flat, dims=("chain", "draw", "quantity"))
        found.append(_of_each_chain(array).values)
        several = flat.shape[2] > 1
        names += [f"{name}[{i}]" if several else str(name) for i in range(flat.shape[2])]
    return xr.DataArray(
        np.concatenate(found, axis=1), {"quantity": names}, dims=("chain", "quantity")
    )


def _of_each_chain(values: xr.DataArray) -> xr.DataArray:
    """Effective draws within chains, shape (chain, quantity); 1 of what never changes."""
    import arviz as az  # takes a second or two, which no draw needs to wait for

    named = values.transpose("chain", "draw", "quantity").to_dataset(name="value")
    found = [az.ess(named.isel(chain=[i]))["value"] for i in range(values.sizes["chain"])]
    still = (values == values.isel(draw=0)).all("draw")
    return xr.concat(found, "chain").where(~still, 1.0).transpose("chain", "quantity")

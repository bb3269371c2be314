"""Chains that go through all temperatures, from the prior down or from a minimum up."""

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ....models import BNN
from ....samplers import StaticHMC, minimize
from ....samplers.cooling.chains_at_temperatures import ChainsAtTemperatures
from ....samplers.potential.temperature import at_temperature
from ..design.budgets import Budget
from ..design.images import cases
from ..design.networks import NETWORKS, start
from ..design.sweeps import Sweep
from .ladders import climb
from .measuring import ACCEPTANCE, DESCENT, INSIDE, measure


def go_through(sweep: Sweep, direction: str, budget: Budget, seed: list[int]) -> xr.Dataset:
    r"""Take one chain through all temperatures.

    A chain that is cooled begins at a draw of the prior, as if at infinite temperature; one that
    is heated at a minimum that Algorithm 3 finds from :math:`1 / \sqrt{k}`, as the paper's do.
    At every temperature the step size is learnt anew, in trajectories that do not count.

    Parameters
    ----------
    sweep : Sweep
        Network, cases, walls and temperatures.
    direction : {"cooling", "heating"}
        Where it begins.
    budget : Budget
        How many trajectories.
    seed : list of int
        Of all random numbers.

    Returns
    -------
    Dataset
        By rising ``temperature``; see :func:`.measuring.measure`.
    """
    if sweep.ladder is not None:
        return climb(sweep, direction, budget, seed)
    data, network = cases(sweep.cases), NETWORKS[sweep.network]
    rng = np.random.default_rng(seed)
    with threadpool_limits(1, user_api="blas"):
        model = network.build(data.X, data.y, sweep.walls)
        begin = start(model, rng, INSIDE * network.factor if direction == "cooling" else 1.0)
        ladder = sorted(sweep.temperatures(), reverse=direction == "cooling")
        if direction == "heating":
            [begin] = minimize(model, DESCENT, begin, of="likelihood").points
        step = static(model, budget.leapfrogs)
        chains = ChainsAtTemperatures(model, [step], [begin], budget.tune, budget.draws, rng)
        found = []
        for temperature in ladder:
            with at_temperature(model, temperature):
                idata, acceptance = chains.draw()
            measured = measure(model, idata, data, budget.tested)
            found.append(measured.assign(acceptance=acceptance))
    together = xr.concat(found, xr.DataArray(ladder, dims="temperature", name="temperature"))
    return together.sortby("temperature")


def static(model: BNN, leapfrogs: int) -> StaticHMC:
    """Trajectories as in the paper: unit masses, and a step size that is accepted at 0.65.

    Gradients are in single precision. Energies, by which trajectories are accepted, are in double.
    """
    return StaticHMC(
        n_leapfrog=leapfrogs,
        step_sizes="adapt",
        metric="unit",
        target_accept=ACCEPTANCE,
        precision="float32",
        model=model,
    )

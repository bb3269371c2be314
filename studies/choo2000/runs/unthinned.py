"""Runs that keep every trajectory, to measure how many are worth one independent draw."""

from pathlib import Path
from zlib import crc32

import arviz as az
import numpy as np
import xarray as xr

from ...reproduction.units import Unit, load_unit
from ..design.budgets import SECONDS_TO_START, Budget
from ..design.methods import ALONE, METHODS, RECOMMENDED
from ..design.network import HYPERPARAMETERS
from .chains import run_chains, start_points
from .master import N_LEAPFROG, STEP_SCALES
from .trials import master_key, posterior_means

CHAINS = 4
SECONDS = 1.5e-4  # of a trajectory of a small network, with what is kept of it


def unthinned_key(method: str, width: int) -> str:
    """Key of a run's result.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.runs.unthinned import unthinned_key
    >>> unthinned_key("collapsed_gibbs", 8)
    'unthinned-collapsed_gibbs-8'
    """
    return f"unthinned-{method}-{width}"


def run_unthinned(
    folder: Path, method: str, width: int, draws: int, seed: tuple[int, ...]
) -> xr.Dataset:
    """Run chains with the settings of the master run with interweaving, and keep each trajectory.

    Parameters
    ----------
    folder : Path
        Where the master runs are.
    method : {"interweaved_gibbs", "collapsed_gibbs"}
        The method.
    width : int
        Hidden units.
    draws : int
        Trajectories of each of four chains.
    seed : tuple of int
        Same seed, same chains.

    Returns
    -------
    Dataset
        ``inefficiency`` of each log standard deviation, in trajectories by chain, and ``passes``
        through the network of a trajectory.
    """
    sampler, n_leapfrog = METHODS[method], N_LEAPFROG[True]
    means = posterior_means(folder, width)
    model, step = sampler.build(width, n_leapfrog, STEP_SCALES[width], 1, means)
    states = load_unit(folder, master_key(width, True), "starts").isel(start=slice(0, CHAINS))
    chains = run_chains(step, start_points(model, states), draws, seed, sampler.passes)
    posterior = chains["posterior"].dataset
    factors = [
        [draws / float(az.ess(values[None, :], method="mean")) for values in posterior[name].values]
        for name in HYPERPARAMETERS
    ]
    return xr.Dataset(
        {
            "inefficiency": (("hyperparameter", "chain"), np.array(factors)),
            "passes": chains.attrs["passes"] / (CHAINS * draws),
        },
        coords={"hyperparameter": list(HYPERPARAMETERS)},
    )


def unthinned_units(folder: Path, budget: Budget, seed: int) -> list[Unit]:
    """Declare the runs of both methods that interweave.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.choo2000.runs.unthinned import unthinned_units
    >>> len(unthinned_units(Path(), BUDGETS["desk"], 0))
    12
    """
    units = []
    for method in (ALONE, RECOMMENDED) if budget.unthinned else ():
        for width in (*budget.widths, *budget.wide):
            key = unthinned_key(method, width)
            arguments = (folder, method, width, budget.unthinned, (seed, crc32(key.encode())))
            seconds = SECONDS_TO_START + CHAINS * budget.unthinned * SECONDS * (1 + width / 32)
            units.append(Unit(key, run_unthinned, arguments, seconds))
    return units

"""A trial: one method at one setting, from all start states of a width."""

from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import xarray as xr

from ..units import Unit, load_unit
from .budgets import SUPER_TRANSITIONS, Budget
from .chains import run_chains, start_points
from .methods import METHODS, PASSES
from .starts import INSIDE, OUTSIDE


def trial_key(
    method: str, width: int, n_leapfrog: int, step_scale: float, stage: str = "grid"
) -> str:
    """Key of a trial's result.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.trials import trial_key
    >>> trial_key("gibbs", 8, 200, 0.4)
    'grid-gibbs-8-200-0.4'
    """
    return f"{stage}-{method}-{width}-{n_leapfrog}-{step_scale}"


def run_trial(
    folder: Path,
    method: str,
    width: int,
    n_leapfrog: int,
    step_scale: float,
    sweeps: int,
    seed: tuple[int, ...],
) -> xr.DataTree:
    """Run the chains of a trial; the master run of the width has to be in the folder.

    Parameters
    ----------
    folder : Path
        Where the results of units are.
    method : str
        From ``METHODS``.
    width, n_leapfrog, step_scale : int, int and float
        The setting.
    sweeps : int
        Trajectories of a super-transition.
    seed : tuple of int
        Same seed, same chains.

    Returns
    -------
    DataTree
        From :func:`.chains.run_chains`, with the stratum of each chain and the setting.
    """
    states = load_unit(folder, master_key(width), "starts")
    model, step = METHODS[method](width, n_leapfrog, step_scale, sweeps)
    points = start_points(model, states)
    chains = run_chains(step, points, SUPER_TRANSITIONS, seed, PASSES.get(method, 2))
    stratum = ("chain", states["stratum"].to_numpy())
    posterior = chains["posterior"].to_dataset().assign_coords(stratum=stratum)
    chains["posterior"] = xr.DataTree(posterior)
    setting = {"method": method, "width": width, "n_leapfrog": n_leapfrog, "sweeps": sweeps}
    chains.attrs |= setting | {"step_scale": step_scale}
    return chains


def trial_unit(
    folder: Path,
    budget: Budget,
    method: str,
    width: int,
    n_leapfrog: int,
    step_scale: float,
    seed: int,
    stage: str = "grid",
) -> Unit:
    """Declare a trial; another stage has another key and other random numbers."""
    grid, key = budget.grids[method], trial_key(method, width, n_leapfrog, step_scale, stage)
    seeds = (seed, crc32(key.encode()))
    arguments = (method, width, n_leapfrog, step_scale, grid.sweeps(n_leapfrog), seeds)
    seconds = grid.seconds(method, width, n_leapfrog, OUTSIDE + INSIDE)
    return Unit(key, run_trial, (folder, *arguments), seconds)


def grid_units(folder: Path, budget: Budget, methods: Sequence[str], seed: int) -> list[Unit]:
    """Declare all trials of a budget's grids, those that compile the same code one after the other.

    Parameters
    ----------
    folder : Path
        Where the results of units are.
    budget : Budget
        The grids.
    methods : sequence of str
        Those to run.
    seed : int
        Same seed, same chains.

    Returns
    -------
    list of Unit

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.budgets import find_budget
    >>> from pymc_bnn.studies.choo2000.trials import grid_units
    >>> [unit.key for unit in grid_units(Path(), find_budget("smoke"), ["gibbs"], 0)][:2]
    ['grid-gibbs-8-50-0.4', 'grid-gibbs-8-200-0.4']
    """
    return [
        trial_unit(folder, budget, method, width, n_leapfrog, step_scale, seed)
        for method in methods
        for width in budget.widths
        for n_leapfrog, step_scale in budget.grids[method].settings()
    ]


def master_key(width: int, interweave: bool = False) -> str:
    """Key of a master run's result.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.trials import master_key
    >>> master_key(8), master_key(8, interweave=True)
    ('master-8', 'master-8-interweaved')
    """
    return f"master-{width}-interweaved" if interweave else f"master-{width}"

"""A trial: one method at one setting, from all start states of a width."""

from pathlib import Path
from zlib import crc32

import xarray as xr

from ...reproduction.units import Unit, load_unit
from ..design.budgets import SUPER_TRANSITIONS, Budget
from ..design.methods import SAMPLERS
from ..design.starts import INSIDE, OUTSIDE
from .chains import run_chains, start_points


def trial_key(
    method: str, width: int, n_leapfrog: int, step_scale: float, stage: str = "grid"
) -> str:
    """Key of a trial's result.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.runs.trials import trial_key
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
    recording: tuple[int, int],
    interweaved: bool,
    seed: tuple[int, ...],
) -> xr.DataTree:
    """Run the chains of a trial; the master run of the width has to be in the folder.

    Parameters
    ----------
    folder : Path
        Where the results of units are.
    method : str
        From ``SAMPLERS``.
    width, n_leapfrog, step_scale : int, int and float
        The setting.
    recording : tuple of int
        Recorded draws of a super-transition, and trajectories of each.
    interweaved : bool
        Whether the start states come from the master run with interweaving.
    seed : tuple of int
        Same seed, same chains.

    Returns
    -------
    DataTree
        From :func:`.chains.run_chains`, with the stratum of each chain and the setting.
    """
    states = load_unit(folder, master_key(width, interweaved), "starts")
    setting = width, n_leapfrog, step_scale
    return run_from(folder, states, method, setting, recording, seed)


def run_from(
    folder: Path,
    states: xr.Dataset,
    method: str,
    setting: tuple[int, int, float],
    recording: tuple[int, int],
    seed: tuple[int, ...],
) -> xr.DataTree:
    """Run the chains of a trial from given start states, as :func:`run_trial` does."""
    width, n_leapfrog, step_scale = setting
    sampler, (draws, sweeps) = SAMPLERS[method], recording
    means = posterior_means(folder, width)
    model, step = sampler.build(width, n_leapfrog, step_scale, sweeps, means)
    points = start_points(model, states)
    chains = run_chains(step, points, SUPER_TRANSITIONS * draws, seed, sampler.passes)
    stratum = ("chain", states["stratum"].to_numpy())
    posterior = chains["posterior"].to_dataset().assign_coords(stratum=stratum)
    chains["posterior"] = xr.DataTree(posterior)
    named = {"method": method, "width": width, "n_leapfrog": n_leapfrog, "sweeps": sweeps}
    chains.attrs |= named | {"step_scale": step_scale, "draws": draws}
    return chains


def posterior_means(folder: Path, width: int, interweave: bool = True) -> dict[str, float]:
    """Posterior means of the log standard deviations, from a master run."""
    means = load_unit(folder, master_key(width, interweave), "summary")["mean"]
    return {
        str(name): float(means.sel(hyperparameter=name)) for name in means["hyperparameter"].values
    }


def trial_unit(
    folder: Path,
    budget: Budget,
    method: str,
    width: int,
    setting: tuple[int, float],
    seed: int,
    stage: str = "grid",
) -> Unit:
    """Declare a trial; another stage has another key and other random numbers.

    In the stage ``"tail"``, and where there is no other master run, chains start from states of
    the one with interweaving.
    """
    key = trial_key(method, width, *setting, stage)
    interweaved = stage == "tail" or width in budget.wide
    seeds = (seed, crc32(key.encode()))
    arguments = (method, width, *setting, budget.recording(method, setting[0]), interweaved, seeds)
    seconds = budget.seconds(method, width, setting[0], OUTSIDE + INSIDE)
    return Unit(key, run_trial, (folder, *arguments), seconds)


def grid_units(folder: Path, budget: Budget, seed: int) -> list[Unit]:
    """Declare all trials of a budget's grids, those that compile the same code one after the other.

    Parameters
    ----------
    folder : Path
        Where the results of units are.
    budget : Budget
        The grids.
    seed : int
        Same seed, same chains.

    Returns
    -------
    list of Unit

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.choo2000.runs.trials import grid_units
    >>> [unit.key for unit in grid_units(Path(), BUDGETS["smoke"], 0)][:2]
    ['grid-gibbs-8-50-0.4', 'grid-gibbs-8-200-0.4']
    """
    return [
        trial_unit(folder, budget, method, width, setting, seed)
        for grids, widths in ((budget.grids, budget.widths), (budget.wide_grids, budget.wide))
        for method in grids
        for width in widths
        for setting in budget.settings(method, width)
    ]


def master_key(width: int, interweave: bool = False) -> str:
    """Key of a master run's result.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.runs.trials import master_key
    >>> master_key(8), master_key(8, interweave=True)
    ('master-8', 'master-8-interweaved')
    """
    return f"master-{width}-interweaved" if interweave else f"master-{width}"

"""The old method from many start states: how its means spread as networks become wider."""

from collections.abc import Mapping
from pathlib import Path
from zlib import crc32

import xarray as xr

from ...reproduction.units import Unit, load_unit
from ..design.budgets import Budget
from ..design.starts import INSIDE, OUTSIDE, choose_starts
from .trials import master_key, run_from, trial_key

METHOD, STAGE = "gibbs", "many"


def run_from_many(
    folder: Path,
    width: int,
    n_leapfrog: int,
    step_scale: float,
    recording: tuple[int, int],
    times: int,
    seed: tuple[int, ...],
) -> xr.DataTree:
    """Run plain Gibbs sampling from many states of the master run with interweaving.

    Parameters
    ----------
    folder : Path
        Where the results of units are; the master run has to be among them.
    width, n_leapfrog, step_scale : int, int and float
        The setting.
    recording : tuple of int
        Recorded draws of a super-transition, and trajectories of each.
    times : int
        How many times 40 states outside the region G and 10 inside.
    seed : tuple of int
        Same seed, same chains.

    Returns
    -------
    DataTree
        As from :func:`.trials.run_trial`.
    """
    draws = load_unit(folder, master_key(width, True), "draws")
    summary = load_unit(folder, master_key(width, True), "summary")
    gap = 3 * float(summary["inefficiency"].sel(hyperparameter="u")) / draws.attrs["thin"]
    states = choose_starts(draws, draws.sizes["draw"], gap, seed, times)
    return run_from(folder, states, METHOD, (width, n_leapfrog, step_scale), recording, seed)


def many_units(
    folder: Path, budget: Budget, seed: int, settings: Mapping[int, tuple[int, float]]
) -> list[Unit]:
    """Declare the chains of all widths.

    Parameters
    ----------
    folder : Path
        Where the results of units are.
    budget : Budget
        What to run.
    seed : int
        Same seed, same chains.
    settings : mapping of int to (int, float)
        Leapfrog steps and factor by width.
    """
    units = []
    for width, setting in settings.items():
        key = trial_key(METHOD, width, *setting, STAGE)
        recording = budget.recording(METHOD, setting[0])
        arguments = (folder, width, *setting, recording, budget.times, (seed, crc32(key.encode())))
        chains = budget.times * (OUTSIDE + INSIDE)
        seconds = budget.seconds(METHOD, width, setting[0], chains)
        units.append(Unit(key, run_from_many, arguments, seconds))
    return units

"""Long runs of the new methods, to compare their posterior with the old one's (Choo 2000, 5.2)."""

from pathlib import Path

import xarray as xr

from ...reproduction.units import Unit, load_unit
from ..design.budgets import SECONDS_TO_START, Budget
from ..design.methods import METHODS
from .chains import run_chains, start_points
from .trials import master_key, posterior_means

WIDTH, DRAWS, CHAINS = 8, 1000, 4
SETTINGS = {"dynamical_a": (100, 0.48), "dynamical_b": (300, 0.08)}  # Table 5.3


def verification_run(folder: Path, method: str, thin: int, seed: tuple[int, ...]) -> xr.DataTree:
    """Run four long chains of a new method at the settings of Table 5.3.

    Parameters
    ----------
    folder : Path
        Where the master runs are.
    method : {"dynamical_a", "dynamical_b"}
        The method.
    thin : int
        Trajectories per recorded draw.
    seed : tuple of int
        Same seed, same chains.

    Returns
    -------
    DataTree
        From :func:`.chains.run_chains`.
    """
    n_leapfrog, step_scale = SETTINGS[method]
    means = posterior_means(folder, WIDTH)
    model, step = METHODS[method].build(WIDTH, n_leapfrog, step_scale, thin, means)
    states = load_unit(folder, master_key(WIDTH, True), "starts").isel(start=slice(0, CHAINS))
    points = start_points(model, states)
    return run_chains(step, points, DRAWS, seed, METHODS[method].passes)


def verification_units(folder: Path, budget: Budget, seed: int) -> list[Unit]:
    """Declare the runs, of about ten trajectories per draw as in Table 5.3.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.choo2000.runs.verification import verification_units
    >>> [unit.key for unit in verification_units(Path(), BUDGETS["smoke"], 0)]
    ['verify-dynamical_a', 'verify-dynamical_b']
    """
    if budget.repeats == 0:
        return []
    units = []
    for i, (method, (n_leapfrog, _)) in enumerate(SETTINGS.items()):
        thin = max(1, 3 * budget.repeats * 100 // n_leapfrog)
        seconds = SECONDS_TO_START + CHAINS * DRAWS * thin * n_leapfrog * 2e-6
        arguments = (folder, method, thin, (seed, 5, i))
        units.append(Unit(f"verify-{method}", verification_run, arguments, seconds))
    return units

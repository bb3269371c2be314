"""The study as a whole: master runs, then all methods over their grids."""

from dataclasses import asdict

from rich.console import Console

from ..studying import StudyRequest
from ..unit_progress import UnitProgress
from ..unit_store import claim_folder
from ..units import Unit, describe_units, run_units
from .budgets import SECONDS_PER_LEAPFROG, SUPER_TRANSITIONS, Budget, find_budget
from .master import N_LEAPFROG, make_master
from .methods import METHODS
from .trials import grid_units, master_key

VERSION = 1  # of what a result means; raise it when old results no longer go with new ones


def run(request: StudyRequest, console: Console) -> int:
    """Run the study, or what is missing of it.

    Parameters
    ----------
    request : StudyRequest
        What the user asked for.
    console : Console
        Where to say what happens.

    Returns
    -------
    int
        Exit code.
    """
    budget = find_budget(request.budget)
    folder, progress = (
        claim_folder(request.out, declare(budget, request.seed)),
        UnitProgress(console),
    )
    units = folder / "units"
    stages = {
        "master runs": master_units(budget, request.seed),
        "grids": grid_units(units, budget, list(METHODS), request.seed),
    }
    everything = [unit for stage in stages.values() for unit in stage]
    progress.say(f"choo2000, {budget.name}: {describe_units(everything, units, request.cores)}")
    for title, stage in stages.items():
        run_units(stage, units, request.cores, progress, title)
    progress.say(f"All results are in {units}.")
    return 0


def declare(budget: Budget, seed: int) -> dict:
    """Everything that the results depend on.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.budgets import find_budget
    >>> from pymc_bnn.studies.choo2000.study import declare
    >>> sorted(declare(find_budget("smoke"), seed=0))
    ['budget', 'leapfrogs', 'seed', 'settings', 'study', 'super_transitions', 'version']
    """
    settings = asdict(budget)
    grids = settings.pop("grids")  # results of other grid points still go together
    return {
        "study": "choo2000",
        "version": VERSION,
        "budget": budget.name,
        "seed": seed,
        "super_transitions": SUPER_TRANSITIONS,
        "leapfrogs": {method: grid["leapfrogs"] for method, grid in grids.items()},
        "settings": settings,
    }


def master_units(budget: Budget, seed: int) -> list[Unit]:
    """Declare the master runs, the longest first.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.budgets import find_budget
    >>> from pymc_bnn.studies.choo2000.study import master_units
    >>> [unit.key for unit in master_units(find_budget("paper"), 0)][:2]
    ['master-16', 'master-20']
    """
    units = []
    for width in budget.widths:
        for interweave in (False, True):
            samples = budget.interweaved_samples if interweave else budget.master_samples[width]
            if samples == 0:
                continue
            what = (width, samples, budget.separations[width], budget.master_thin, interweave)
            seconds = samples * N_LEAPFROG * SECONDS_PER_LEAPFROG["gibbs"] * (0.5 + width / 16)
            arguments = (*what, (seed, width, int(interweave)))
            units.append(Unit(master_key(width, interweave), make_master, arguments, seconds))
    return sorted(units, key=lambda unit: -unit.seconds)

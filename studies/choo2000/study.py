"""The study as a whole: master runs, then all methods over their grids."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from ..errors import writing_to
from ..reproduction.changed_code import settle_changed_code
from ..reproduction.studying import FIRST_TIME, StudyRequest
from ..reproduction.unit_progress import UnitProgress
from ..reproduction.unit_store import claim_folder
from ..reproduction.units import Unit, describe_units, run_units
from .design.budgets import (
    SECONDS_PER_LEAPFROG,
    SECONDS_PER_TRAJECTORY,
    SUPER_TRANSITIONS,
    Budget,
    find_budget,
)
from .design.methods import ALONE, RECOMMENDED, THESIS
from .numbers.analysis import best_setting
from .runs.energies import energy_units
from .runs.master import N_LEAPFROG, make_master
from .runs.rejections import rejection_units
from .runs.trials import grid_units, master_key, trial_unit
from .runs.verification import verification_units
from .words.page import summary, write_page

AGAIN = "best settings again"
VERSION = 2  # of what a result means; raise it when old results no longer go with new ones


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
    seed = request.seed
    stages = [
        ("master runs", lambda: master_units(budget, seed)),
        ("grids", lambda: grid_units(units, budget, seed)),
        (AGAIN, lambda: best_units(units, budget, ("gibbs", ALONE, RECOMMENDED), seed)),
        ("verification, energies, rejections", lambda: check_units(units, budget, seed)),
        (AGAIN, lambda: best_units(units, budget, THESIS[1:], seed)),
    ]
    known = [unit for title, declared in stages if title != AGAIN for unit in declared()]
    known += best_units(
        units, budget, ("gibbs", ALONE, RECOMMENDED, *THESIS[1:]), seed, any_setting
    )
    progress.say(f"choo2000, {budget.name}: {describe_units(known, units, request.cores)}")
    settle_changed_code({unit.key: unit.function for unit in known}, units, request.changed)
    progress.say(FIRST_TIME)
    for title, declared in stages:
        run_units(declared(), units, request.cores, progress, title, request.changed)
    console.print(summary(units, budget))
    if request.docs is not None:
        with writing_to(request.docs):
            progress.say(f"Written: {write_page(units, budget, request.docs)[0]}.")
    progress.say(f"All results are in {units}.")
    return 0


def declare(budget: Budget, seed: int) -> dict:
    """Everything that the results depend on.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.design.budgets import find_budget
    >>> from pymc_bnn.studies.choo2000.study import declare
    >>> sorted(declare(find_budget("smoke"), seed=0))
    ['budget', 'seed', 'settings', 'study', 'super_transitions', 'version']
    """
    settings = asdict(budget)
    for grids in ("grids", "wide_grids"):
        del settings[grids]  # results of other grid points still go together
    return {
        "study": "choo2000",
        "version": VERSION,
        "budget": budget.name,
        "seed": seed,
        "super_transitions": SUPER_TRANSITIONS,
        "settings": settings,
    }


def master_units(budget: Budget, seed: int) -> list[Unit]:
    """Declare the master runs, the longest first.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.design.budgets import find_budget
    >>> from pymc_bnn.studies.choo2000.study import master_units
    >>> [unit.key for unit in master_units(find_budget("paper"), 0)][0]
    'master-16'
    """
    units = []
    for width in (*budget.widths, *budget.wide):
        for interweave in (False, True):
            if not interweave and width in budget.wide:
                continue
            samples = budget.interweaved_samples if interweave else budget.master_samples[width]
            separation = samples // 60 if interweave else budget.separations[width]
            each = N_LEAPFROG[interweave] * SECONDS_PER_LEAPFROG["gibbs"] * (0.5 + width / 16)
            arguments = (width, samples, separation, thin(samples), interweave)
            units.append(
                Unit(
                    master_key(width, interweave),
                    make_master,
                    (*arguments, (seed, width, int(interweave))),
                    samples * (each + SECONDS_PER_TRAJECTORY),
                )
            )
    return sorted(units, key=lambda unit: -unit.seconds)


def check_units(folder: Path, budget: Budget, seed: int) -> list[Unit]:
    """Declare what looks at trajectories and posteriors, all in one stage to keep processors busy.

    The first two have single long units, so they begin.
    """
    return [
        *verification_units(folder, budget, seed),
        *energy_units(folder, budget, seed),
        *rejection_units(folder, budget, seed),
    ]


def thin(samples: int) -> int:
    """Trajectories per recorded state of a master run: the thesis's 100, fewer in a short run."""
    return 100 if samples >= 100_000 else 20


def any_setting(folder: Path, budget: Budget, method: str, width: int) -> tuple[int, float]:
    """Stand in for the best setting, to say how long it takes before it is known."""
    grids = budget.wide_grids if width in budget.wide else budget.grids
    return next(grids[method].settings())


def best_units(
    folder: Path,
    budget: Budget,
    methods: Sequence[str],
    seed: int,
    choose: Callable[[Path, Budget, str, int], tuple[int, float]] = best_setting,
) -> list[Unit]:
    """Declare the best settings of methods again, with other seeds (Choo 2000, 5.3).

    The old method and the recommended one also start from states of the master run with
    interweaving: is it another story where the tail is not missed?
    """
    units = []
    for method in methods:
        for width in (*budget.widths, *budget.wide):
            grids = budget.wide_grids if width in budget.wide else budget.grids
            if method not in grids:
                continue
            setting = choose(folder, budget, method, width)
            units.append(trial_unit(folder, budget, method, width, setting, seed, "again"))
            if method in ("gibbs", RECOMMENDED) and width in budget.widths:
                units.append(trial_unit(folder, budget, method, width, setting, seed, "tail"))
    return units

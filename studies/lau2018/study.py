"""The study as a whole: what runs, in which order, and what it says at the end."""

from dataclasses import asdict

from rich.console import Console

from ..errors import writing_to
from ..reproduction.changed_code import settle_changed_code
from ..reproduction.studying import FIRST_TIME, StudyRequest
from ..reproduction.unit_progress import UnitProgress
from ..reproduction.unit_store import claim_folder
from ..reproduction.units import describe_units, run_units
from .design.budgets import Budget, find_budget
from .runs.stages import stages_of
from .words.page import summary, write_page

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
    folder = claim_folder(request.out, declare(budget, request.seed))
    progress, units = UnitProgress(console), folder / "units"
    stages = stages_of(budget, request.seed)
    known = [unit for declared in stages.values() for unit in declared]
    progress.say(f"lau2018, {budget.name}: {describe_units(known, units, request.cores)}")
    settle_changed_code({unit.key: unit.function for unit in known}, units, request.changed)
    progress.say(FIRST_TIME)
    for title, declared in stages.items():
        run_units(declared, units, request.cores, progress, title, request.changed)
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
    >>> from pymc_bnn.studies.lau2018.design.budgets import find_budget
    >>> from pymc_bnn.studies.lau2018.study import declare
    >>> sorted(declare(find_budget("smoke"), seed=0))
    ['budget', 'seed', 'settings', 'study', 'version']
    """
    settings = asdict(budget)
    for kept in ("rows", "matched"):
        del settings[kept]  # results of other rows still go together
    return {
        "study": "lau2018",
        "version": VERSION,
        "budget": budget.name,
        "seed": seed,
        "settings": settings,
    }

"""The study as a whole."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..reproduction.results import Results
from ..reproduction.study import Stage, Study
from .design.budgets import BUDGETS, Budget
from .runs.stages import stages_of
from .words.page import PAGE, summary


def settings(budget: Budget) -> dict[str, Any]:
    """Everything of a budget that results depend on."""
    return {"settings": asdict(budget)}


def stages(folder: Path, budget: Budget, seed: int) -> list[Stage]:
    """Declare all units of work; none depends on results of others.

    They are one stage: each new one would wait for the last unit of that before, and start worker
    processes anew, which takes some seconds each. Variational approximations compile for minutes
    what the next of them find on disk: the first one is begun first, and the others come last, so
    that no two processes compile the same.
    """
    found = stages_of(budget, seed)
    first, *later = found.pop("approximations")
    units = [first, *(unit for declared in found.values() for unit in declared), *later]
    return [Stage("all experiments", units.copy)]


STUDY = Study(
    name="neal1992",
    version=1,
    budgets=BUDGETS,
    settings=settings,
    stages=stages,
    results=Results,
    page=PAGE,
    summary=summary,
)

"""The study as a whole."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..reproduction.study import Stage, Study
from .design.budgets import BUDGETS, Budget
from .numbers.results import Results
from .runs.stages import stages_of
from .words.page import PAGE, summary


def settings(budget: Budget) -> dict[str, Any]:
    """Everything of a budget that results depend on."""
    found = asdict(budget)
    for kept in ("rows", "matched", "confirmed"):
        del found[kept]  # results of other rows still go together
    return {"settings": found}


def stages(folder: Path, budget: Budget, seed: int) -> list[Stage]:
    """Declare all units of work; none depends on results of others."""
    declared = stages_of(budget, seed)
    return [Stage(title, units.copy) for title, units in declared.items()]


STUDY = Study(
    name="lau2018",
    version=2,
    budgets=BUDGETS,
    settings=settings,
    stages=stages,
    results=Results,
    page=PAGE,
    summary=summary,
)

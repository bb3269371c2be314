"""The study as a whole."""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ..reproduction.results import Results
from ..reproduction.study import Stage, Study
from .design.budgets import BUDGETS, Budget
from .runs import stages as runs
from .words.page import PAGE, summary


def settings(budget: Budget) -> dict[str, Any]:
    """Everything of a budget that results depend on."""
    return {"settings": asdict(budget)}


def stages(folder: Path, budget: Budget, seed: int) -> list[Stage]:
    """Declare all units of work; those of the sampling phase begin where the initial one ends."""
    given = budget, seed
    return [
        Stage("initial phase", partial(runs.initial_units, *given)),
        Stage("trajectories and sampling phase", partial(runs.later_units, folder, *given)),
        Stage("methods", lambda: list(runs.method_units(*given))),
        Stage("chapters 2 and 4", lambda: list(runs.chapter_units(*given))),
    ]


STUDY = Study(
    name="neal1995",
    version=1,
    budgets=BUDGETS,
    settings=settings,
    stages=stages,
    results=Results,
    page=PAGE,
    summary=summary,
)

"""The study as a whole."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..reproduction.results import Results
from ..reproduction.study import Stage, Study
from ..reproduction.units import Unit
from .budgets import BUDGETS, Budget
from .fits import fit_fold, fold_key
from .page import PAGE, summary

SECONDS, SMALL_SECONDS = 150.0, 30.0  # of a fold, by one core


def settings(budget: Budget) -> dict[str, Any]:
    """Everything of a budget that results depend on."""
    return {"settings": asdict(budget)}


def units(budget: Budget, seed: int) -> list[Unit]:
    """One unit for each fold; all tables have the first one before any has the second."""
    seconds = SECONDS if budget.rows is None else SMALL_SECONDS
    return [
        Unit(fold_key(table, fold), fit_fold, (table, fold, budget, seed), seconds)
        for fold in range(budget.folds)
        for table in budget.tables
    ]


def stages(folder: Path, budget: Budget, seed: int) -> list[Stage]:
    """Declare all units of work, none of which needs another."""
    return [Stage("folds", lambda: units(budget, seed))]


STUDY = Study(
    name="peers",
    version=1,
    budgets=BUDGETS,
    settings=settings,
    stages=stages,
    results=Results,
    page=PAGE,
    summary=summary,
)

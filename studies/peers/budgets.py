"""How much the study runs."""

from dataclasses import dataclass, field
from typing import Any

from .ordinary import TABLES

FOLDS, LEAST_FOLDS = 5, 3  # into which rows are split, and of which a verdict needs results


@dataclass(frozen=True)
class Budget:
    """What a run of the study consists of.

    Parameters
    ----------
    name : str
        Its name.
    tables : tuple of str
        Names from :data:`.ordinary.TABLES`.
    folds : int
        Of the five into which rows are split, how many are left out in turn.
    rows : int or None
        Rows of each table, the first ones of a random order; all by default.
    network : dict
        Arguments of :class:`pymc_bnn.studies.BNNRegressor` instead of its defaults.
    """

    name: str
    tables: tuple[str, ...] = tuple(TABLES)
    folds: int = FOLDS
    rows: int | None = None
    network: dict[str, Any] = field(default_factory=dict)


SMALL = {"hidden": (3,), "draws": 30, "tune": 20, "chains": 2}
BUDGETS = {
    budget.name: budget
    for budget in (
        Budget("smoke", ("autompg", "diabetes"), 2, 60, SMALL),
        Budget("desk", folds=LEAST_FOLDS),
        Budget("paper"),
    )
}

"""What a folder of results holds so far, for the tables of the study."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from ...reproduction import results
from ...reproduction.units import load_unit
from ..design.budgets import Budget
from ..design.declarations import Experiment
from ..design.digits import CASES, digits
from ..design.keys import baseline_key, fold_key


@dataclass(frozen=True)
class Results(results.Results[Budget]):
    """Results of a study, finished or not.

    Parameters
    ----------
    folder : Path
        Where the results of units are.
    budget : Budget
        What the study was to sample.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.lau2018.numbers.results import Results
    >>> Results(Path("nothing"), BUDGETS["smoke"]).load("committee-raw") is None
    True
    """

    def load(self, key: str, group: str | None = None) -> Any:
        """Load a result into memory, where all of them have room; None if it is not there."""
        made = results.stamp(self.folder, key) if self.has(key) else None
        return None if made is None else _load(self.folder, key, group, made)

    def fits(self, rows: list[Experiment]) -> list[tuple[Experiment, xr.Dataset]]:
        """Experiments that are there, with their results."""
        found = [(row, self.load(row.key)) for row in rows]
        return [(row, fit) for row, fit in found if fit is not None]

    def table(self, name: str) -> list[tuple[Experiment, xr.Dataset]]:
        """Rows of a table of the thesis that are there."""
        return self.fits(self.budget.table(name))

    def candidates(self) -> list[tuple[Experiment, xr.Dataset]]:
        """Candidates that are there."""
        return self.fits(self.budget.candidates())

    def baseline(self, name: str, inputs: str) -> xr.Dataset | None:
        """Result of a baseline, if it is there."""
        return self.load(baseline_key(name, inputs))

    def held_out(self, row: Experiment) -> np.ndarray | None:
        """Class probabilities of the training cases, each predicted without its block.

        Parameters
        ----------
        row : Experiment
            A candidate.

        Returns
        -------
        ndarray, shape (500, 10), or None
            None unless all blocks are there.
        """
        folds = self.budget.folds
        parts = [self.load(fold_key(row, fold, folds)) for fold in range(folds)]
        there = [part for part in parts if part is not None]
        if not there or len(there) < folds:
            return None
        probability = np.empty((CASES, there[0].sizes["class"]))
        for part in there:
            probability[part["row"].values] = part["probability"].values
        return probability


def observed(test: bool = True) -> np.ndarray:
    """Digits of the test cases, or of the training cases."""
    data = digits("raw")
    return data.y_test if test else data.y


@lru_cache(maxsize=1024)
def _load(folder: Path, key: str, group: str | None, made: tuple[int, ...]) -> Any:
    return load_unit(folder, key, group)

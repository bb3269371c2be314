"""What a folder of results holds so far, for the tables and figures of the study."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import xarray as xr

from ...chains.bootstrap import Interval, interval_of, resample_chains
from ...chains.strata import chain_weights, strata_of
from ...reproduction import results
from ..design.budgets import Budget
from ..design.methods import METHODS
from ..runs.rejections import Curve, curves
from ..runs.trials import master_key, trial_key
from . import analysis


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
    >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.choo2000.numbers.results import Results
    >>> results = Results(Path("nothing"), BUDGETS["smoke"])
    >>> results.methods[:2], results.again("gibbs", 8)
    (['gibbs', 'dynamical_a'], None)
    """

    @property
    def methods(self) -> list[str]:
        """Methods of the budget."""
        return [name for name in METHODS if name in self.budget.grids]

    @property
    def widths(self) -> tuple[int, ...]:
        """Hidden units of the thesis's networks and of wider ones."""
        return (*self.budget.widths, *self.budget.wide)

    def master(self, width: int, interweave: bool, group: str = "draws") -> xr.Dataset | None:
        """Part of a master run."""
        found: xr.Dataset | None = self.load(master_key(width, interweave), group)
        return found

    def grid(self, method: str, width: int) -> list[tuple[int, float, str]]:
        """Leapfrog steps, factor and key of the trials of a method's grid that are there."""
        grids = self.budget.wide_grids if width in self.budget.wide else self.budget.grids
        if method not in grids or not self.has(master_key(width, True)):
            return []
        wanted = self.budget.settings(method, width)
        settings = ((*s, trial_key(method, width, *s)) for s in wanted)
        return [setting for setting in settings if self.has(setting[2])]

    def again(self, method: str, width: int, stage: str = "again") -> str | None:
        """Key of the best setting's trial with new random numbers, if it is there.

        Stage ``"tail"`` starts from states of the master run with interweaving.
        """
        if not self.has(master_key(width, True)):
            return None
        found = sorted(self.folder.glob(f"{stage}-{method}-{width}-*"))
        keys = [path.name for path in found if self.has(path.name)]
        if len(keys) > 1:  # from grids of other sizes
            tried = [
                (self.performance(width, key).value, trial_key(method, width, steps, eta, stage))
                for steps, eta, key in self.grid(method, width)
            ]
            best = min(tried)[1] if tried else ""
            keys = [key for key in keys if key == best] or keys
        return keys[0] if keys else None

    def performance(self, width: int, key: str, every: bool = False) -> Interval:
        """Geometric mean g of a trial with its 90% interval."""
        return _performance(self.folder, width, key, every)

    def variances(
        self, width: int, key: str, every: bool = False, interweave: bool = True
    ) -> xr.Dataset:
        """Variance of means of each hyperparameter in a trial, and its error.

        True means and the share of the region G are those of the master run with interweaving, or
        of the one without.
        """
        return _variances(self.folder, width, key, every, interweave)

    def ratio(
        self, width: int, method: str, other: str, stage: str = "again", every: bool = False
    ) -> Interval | None:
        """Ratio of g of two methods from the same start states, if both are there."""
        keys = [self.again(name, width, stage) for name in (method, other)]
        if keys[0] is None or keys[1] is None:
            return None
        return self.ratio_of(width, keys[0], keys[1], every)

    def ratio_of(self, width: int, key: str, other: str, every: bool = False) -> Interval:
        """Ratio of g of two trials from the same start states."""
        return _ratio(self.folder, width, key, other, every)

    def curves(self) -> list[tuple[Curve, xr.Dataset]]:
        """Rejection rates against the length of trajectories."""
        found = [(curve, self.load(curve.key)) for curve in curves(self.budget.widths)]
        return [(curve, rates) for curve, rates in found if rates is not None]

    def rejection(self, width: int, rates: xr.DataArray, samples: int = 1000) -> np.ndarray:
        """Posterior means of something known at each start state, and bootstrap realisations.

        Parameters
        ----------
        width : int
            Hidden units.
        rates : DataArray
            Along ``start`` and one more dimension, with the ``stratum`` of the starts.
        samples : int
            How many realisations.

        Returns
        -------
        ndarray, shape (1 + samples, other dimension)
            Strata weighted by their shares of the posterior; the estimate in the first row.
        """
        share = analysis.conditions(self.folder, width)["share"]
        chains = xr.Dataset({"x": ("chain", np.zeros(rates.sizes["start"]))})
        strata = strata_of(chains, rates["stratum"].to_numpy(), share)
        weights = resample_chains(strata, samples, rng=0) * chain_weights(strata)
        return np.asarray(weights @ rates.transpose("start", ...).to_numpy())


def with_interval(values: np.ndarray) -> Interval:
    """Estimate with its 90% interval, from an estimate and its realisations."""
    return interval_of(values, 0.9)


@lru_cache(maxsize=4096)
def _performance(folder: Path, width: int, key: str, every: bool) -> Interval:
    return analysis.performance(folder, width, key, every)


@lru_cache(maxsize=4096)
def _variances(folder: Path, width: int, key: str, every: bool, interweave: bool) -> xr.Dataset:
    return analysis.variances(folder, width, key, every, interweave)


@lru_cache(maxsize=4096)
def _ratio(folder: Path, width: int, key: str, other: str, every: bool) -> Interval:
    return analysis.ratio(folder, width, key, other, every)

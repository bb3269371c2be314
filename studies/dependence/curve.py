"""Partial dependence of a model on one column, draw by draw."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .grid import Grid

INNER, OUTER = 0.5, 0.9


@dataclass(frozen=True)
class Curve:
    """Partial dependence on one column.

    Parameters
    ----------
    grid : Grid
        Values of the column.
    draws : ndarray, shape (samples, points, targets)
        The function of each posterior draw, in the unit of the table.
    """

    grid: Grid
    draws: np.ndarray

    @property
    def column(self) -> str:
        """Name of the column."""
        return self.grid.column

    @cached_property
    def mean(self) -> np.ndarray:
        """Posterior mean of the function, shape (points, targets)."""
        found: np.ndarray = self.draws.mean(axis=0)
        return found

    def band(self, probability: float) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the central interval at each point, shape (points, targets) each."""
        low, high = np.quantile(self.draws, ((1 - probability) / 2, (1 + probability) / 2), axis=0)
        return low, high

    @cached_property
    def spreads(self) -> np.ndarray:
        """Standard deviation over the training rows' values, shape (samples, targets)."""
        weights = self.grid.weights[:, None]
        centred = self.draws - (weights * self.draws).sum(axis=1, keepdims=True)
        found: np.ndarray = np.sqrt((weights * centred**2).sum(axis=1))
        return found

    @cached_property
    def measure(self) -> np.ndarray:
        r"""How much the column matters, by each draw, shape (samples,).

        The standard deviation of the function over the values of the training rows. Of more than
        one class it is :math:`\sqrt{\frac{1}{2} \sum_k s_k^2}`, which of two is that of either.
        """
        if self.spreads.shape[1] == 1:
            return self.spreads[:, 0]
        found: np.ndarray = np.sqrt((self.spreads**2).sum(axis=1) / 2)
        return found

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Central 90% interval of the measure; it is above zero by definition."""
        low, high = np.quantile(self.measure, ((1 - OUTER) / 2, (1 + OUTER) / 2))
        return float(low), float(high)

    @cached_property
    def shown(self) -> bool:
        """Whether the column is shown to matter: no constant lies within the 90% band.

        Examples
        --------
        >>> import numpy as np
        >>> from pymc_bnn.studies.dependence.curve import Curve
        >>> from pymc_bnn.studies.dependence.grid import Grid
        >>> ends = np.array([-1.0, 1.0])
        >>> grid = Grid("age", ends, np.full(2, 0.5), ends[:, None], slice(0, 1))
        >>> slopes = np.random.default_rng(1).normal([2.0, 0.5], size=(400, 2))
        >>> [Curve(grid, (ends * slopes[:, [i]])[:, :, None]).shown for i in range(2)]
        [True, False]
        """
        low, high = self.band(OUTER)
        return bool((low.max(axis=0) > high.min(axis=0)).any())

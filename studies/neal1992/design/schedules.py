"""The report's schedules, and the grids of step sizes that they are run with."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

Schedule = tuple[tuple[int, float, float], ...]

SPREADS = (0.50, 0.71, 1.00)
STEP_SIZES = tuple(float(size) for size in 0.25e-4 * np.sqrt(2.0) ** np.arange(7))
METROPOLIS_STEPS = tuple(1e-4 * 2.0**i for i in range(6))
FIGURE_2 = STEP_SIZES[3], SPREADS[0]  # 0.71e-4 and 0.50
ANNEALED: Schedule = ((10, 0.0, 15.0), (130, 0.95, 1.0), (60, 0.0, 1.0))
PLAIN: Schedule = ((200, 0.0, 1.0),)
COOLING: Schedule = ((20, 0.0, 40.0), (680, 0.99, 1.0), (150, 0.0, 1.0))
METROPOLIS_PERSISTENCE = 0.99995  # which cools as 0.95 in a thousandth of the iterations
COOLING_STEP, COOLING_SPREAD = 0.25e-4, 0.9
LAST = 100 / 850  # of the iterations of cooling, whose predictions are averaged
THIN = 1000  # iterations of Metropolis for one of Hamiltonian dynamics


@dataclass(frozen=True)
class Cell:
    """A cell of a grid.

    Parameters
    ----------
    annealed : bool
        Whether runs begin hot.
    step_size : float
        Median of the step size (Eq. 23).
    spread : float
        Spread of its logarithm.
    """

    annealed: bool
    step_size: float
    spread: float

    @property
    def way(self) -> str:
        """With or without annealing, in a word."""
        return "annealed" if self.annealed else "plain"

    def key(self) -> str:
        """Name of the cell in that of a result.

        Examples
        --------
        >>> from pymc_bnn.studies.neal1992.design.schedules import Cell
        >>> Cell(True, 1e-4, 0.71).key()
        'annealed-1.00e-04-0.71'
        """
        return f"{self.way}-{self.step_size:.2e}-{self.spread:.2f}"


BEST = Cell(True, STEP_SIZES[4], SPREADS[1])  # 1e-4 and 0.71


def grid(step_sizes: tuple[float, ...]) -> Iterator[Cell]:
    """Cells with all spreads, with annealing and without."""
    for step_size in step_sizes:
        for spread in SPREADS:
            for annealed in (True, False):
                yield Cell(annealed, step_size, spread)


def scaled(schedule: Schedule, share: float) -> Schedule:
    """Shorten the phases of a schedule.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.design.schedules import ANNEALED, scaled
    >>> scaled(ANNEALED, 0.1)
    ((1, 0.0, 15.0), (13, 0.95, 1.0), (6, 0.0, 1.0))
    """
    return tuple((max(1, round(share * n)), alpha, hot) for n, alpha, hot in schedule)


def for_metropolis(schedule: Schedule) -> Schedule:
    """Lengthen phases for the plain Metropolis algorithm; the phase that cools does so as fast."""
    return tuple(
        (THIN * n, METROPOLIS_PERSISTENCE if alpha else 0.0, hot) for n, alpha, hot in schedule
    )


def iterations(schedule: Schedule) -> int:
    """Iterations of all phases."""
    return sum(n for n, _, _ in schedule)

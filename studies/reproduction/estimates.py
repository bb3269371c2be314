"""Numbers with their errors, and intervals that hold for several numbers at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

CHANCE = 0.05  # that one of the intervals of a claim misses its number


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error.

    Parameters
    ----------
    value, error : float
        The number and its standard error.
    freedom : float
        Degrees of freedom of the error: a spread of four chains is not known well.
    paired : bool
        Whether the error comes from comparing case by case. Without that it is an upper bound,
        as long as cases that are hard for one are hard for the other.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> low, high = Estimate(1.0, 0.5).interval()
    >>> f"{low:.2f} to {high:.2f}"
    '0.02 to 1.98'
    """

    value: float
    error: float
    freedom: float = np.inf
    paired: bool = True

    def interval(self, among: int = 1) -> tuple[float, float]:
        """Limits that hold with 95% for all of so many numbers at once."""
        half = float(student.isf(CHANCE / 2 / among, self.freedom)) * self.error
        return self.value - half, self.value + half

    def __neg__(self) -> "Estimate":
        return Estimate(-self.value, self.error, self.freedom, self.paired)

    def minus(self, other: "Estimate") -> "Estimate":
        """Difference to an independent number."""
        parts = [(one.error**2, one.freedom) for one in (self, other)]
        return summed(self.value - other.value, parts, self.paired and other.paired)


def summed(value: float, parts: Sequence[tuple[float, float]], paired: bool) -> Estimate:
    """Make an estimate whose variance is a sum.

    Parameters
    ----------
    value : float
        The number.
    parts : sequence of (variance, degrees of freedom)
        Undefined ones count as nothing. The sum has the degrees of freedom of Welch (1947).
    paired : bool
        Whether cases were compared one by one.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.estimates import summed
    >>> found = summed(2.0, [(9.0, 3.0), (16.0, 3.0)], paired=True)
    >>> found.error, round(found.freedom, 2)
    (5.0, 5.56)
    """
    known = [(variance, freedom) for variance, freedom in parts if variance > 0]
    total = sum(variance for variance, _ in known)
    spread = sum(variance**2 / freedom for variance, freedom in known)
    freedom = total**2 / spread if spread > 0 else np.inf
    return Estimate(value, float(np.sqrt(total)), float(freedom), paired)

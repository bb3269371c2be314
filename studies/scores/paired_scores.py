"""Differences of two models' scores of the same cases, with their standard errors."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm, t

CHANCE = 0.025  # of calling the model that is best clearly worse than another
LEAST_HELD_OUT = 30  # cases, for a standard error of a mean difference
NOTICEABLE = 4.0  # elpd differences below it are too small to matter (Sivula et al. 2025)


@dataclass(frozen=True)
class Difference:
    """Mean difference per case, first model less second.

    Parameters
    ----------
    mean, se : float
        In nats per case, and its standard error.
    cases : int
        Number of cases.
    """

    mean: float
    se: float
    cases: int

    @property
    def total(self) -> float:
        """Sum over the cases."""
        return self.mean * self.cases

    @property
    def total_se(self) -> float:
        """Its standard error."""
        return self.se * self.cases

    @property
    def turned(self) -> "Difference":
        """The second model less the first."""
        return Difference(-self.mean, self.se, self.cases)

    def clear(self, models: int) -> bool:
        """Whether the first model is better, and not by chance."""
        return self.mean > critical(models, self.cases) * self.se

    def contradicts(self, other: "Difference", models: int) -> bool:
        """Whether another estimate has the other sign, and chance does not explain it."""
        gap, error = abs(self.mean - other.mean), np.hypot(self.se, other.se)
        limit = critical(models, min(self.cases, other.cases))
        return bool(self.mean * other.mean < 0 and gap > limit * error)


def critical(models: int, cases: int | None = None) -> float:
    """Standard errors from which a difference to the best of several models counts.

    Whichever model is truly best is compared with all others, and any of these differences may
    go against it by chance. That one does has a probability of 2.5% at most (Bonferroni), and so
    it does not matter that the leader was chosen by the same scores.

    Parameters
    ----------
    models : int
        How many there are to choose from.
    cases : int, optional
        From how many cases the standard error is estimated; many by default.

    Returns
    -------
    float

    Examples
    --------
    >>> from pymc_bnn.studies.scores.paired_scores import critical
    >>> round(critical(2), 2), round(critical(6), 2), round(critical(2, 30), 2)
    (1.96, 2.58, 2.05)
    """
    chance = CHANCE / max(models - 1, 1)
    return float(norm.isf(chance) if cases is None else t.isf(chance, max(cases - 1, 1)))


def difference(first: np.ndarray, second: np.ndarray, *errors: float) -> Difference:
    """Compare two models case by case.

    Parameters
    ----------
    first, second : ndarray, shape (cases,)
        Their scores of the same cases; larger is better.
    *errors : float
        Monte Carlo errors of the sums, where they are known.

    Returns
    -------
    Difference

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.scores.paired_scores import difference
    >>> difference(np.array([1.0, 3.0]), np.array([0.0, 0.0]))
    Difference(mean=2.0, se=1.0, cases=2)
    """
    gaps = np.asarray(first) - np.asarray(second)
    cases = len(gaps)
    sampling = gaps.std(ddof=1) / np.sqrt(cases) if cases > 1 else np.inf
    known = [error / cases for error in errors if np.isfinite(error)]
    return Difference(float(gaps.mean()), float(np.hypot(sampling, np.linalg.norm(known))), cases)

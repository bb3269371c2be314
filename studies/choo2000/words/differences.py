"""Differences with their errors, and what chance gives where there are none."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from .judgements import CHANCE

CLOSE = 2.0  # standard errors
TESTS = 3  # of a line, any of which may find that numbers differ
SAME = 0.25  # of a value: the difference that two numbers may have and still agree
# Half of the 50 chains: with more degrees of freedom, errors of a bootstrap let simulated equal
# numbers pass for different more often than a line may, as tests/studies/choo2000 has it.
FEW = 25


@dataclass(frozen=True)
class Kind:
    """What differences are, and how well their errors are known.

    Parameters
    ----------
    margin : float
        The largest difference that counts as none.
    degrees : float
        Degrees of freedom of the errors, as of Student's t.
    factors : bool
        Whether differences are logarithms of ratios, to be told as factors: with 0.25, a factor
        of 1.25 either way counts as none.
    """

    margin: float = SAME
    degrees: float = np.inf
    factors: bool = False

    @property
    def bound(self) -> float:
        """What a difference may be at most to count as none."""
        return float(np.log1p(self.margin)) if self.factors else self.margin

    @property
    def shown(self) -> str:
        """The margin in words."""
        return f"a factor of {1 + self.margin:g}" if self.factors else f"{self.margin:.0%}"

    def tail(self, z: Any) -> Any:
        """How often equal numbers are so many standard errors apart, or more."""
        far = np.abs(z)
        exact = np.isinf(self.degrees)
        return 2 * (stats.norm.sf(far) if exact else stats.t.sf(far, self.degrees))


SHARES = Kind()
FACTORS = Kind(degrees=FEW, factors=True)  # of g, by a bootstrap of chains


@dataclass(frozen=True)
class Joint:
    """A mean difference, and its standard error under either extreme of correlation.

    Parameters
    ----------
    value : float
        Mean of the differences, each weighted by one over its error.
    apart : float
        Standard error if all differences were independent.
    alike : float
        Standard error if differences of one group were the same number.
    """

    value: float
    apart: float
    alike: float

    @property
    def scores(self) -> tuple[float, float]:
        """Standard errors that it is away from 0: of groups taken as one, and of all rows."""
        return self.value / self.alike, self.value / self.apart


def together(differences: Any, errors: Any, groups: Any = None) -> Joint:
    """Take differences together, so that a sign that they have in common counts.

    What rows of a group have in common, such as start states, correlates them by an unknown
    amount between none and all.

    Parameters
    ----------
    differences, errors : array_like
        With their standard errors.
    groups : array_like, optional
        Of rows that may be correlated; by default every row is a group of its own.

    Returns
    -------
    Joint

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.words.differences import together
    >>> [round(score, 2) for score in together([1.0, 1.0], [0.5, 0.5]).scores]
    [2.83, 2.83]
    >>> together([1.0, 1.0], [0.5, 0.5], ["8 units", "8 units"]).scores[0]
    2.0
    """
    d, e = np.asarray(differences, float), np.asarray(errors, float)
    labels = np.arange(d.size) if groups is None else np.asarray(groups)
    sizes = np.unique(labels, return_counts=True)[1]
    total = (1 / e).sum()
    return Joint(
        float((d / e).sum() / total),
        float(np.sqrt(d.size) / total),
        float(np.sqrt((sizes**2).sum()) / total),
    )


@dataclass(frozen=True)
class Rows:
    """Differences with their errors.

    Parameters
    ----------
    differences, errors : ndarray
        Errors as large as they may be.
    least : ndarray
        Errors as small as they may be.
    labels : ndarray
        Groups of rows that may be correlated.
    """

    differences: np.ndarray
    errors: np.ndarray
    least: np.ndarray
    labels: np.ndarray

    def of(self, chosen: np.ndarray) -> "Rows":
        """Leave only some of the rows."""
        parts = (self.differences, self.errors, self.least, self.labels)
        return Rows(*(part[chosen] for part in parts))

    @property
    def known(self) -> np.ndarray:
        """Which rows have a difference and an error."""
        return np.isfinite(self.differences) & np.isfinite(self.errors) & (self.errors > 0)

    def seem_apart(self, kind: Kind) -> float:
        """How often equal numbers seem as different to one of the tests, at most."""
        z, joint = self.differences / self.errors, together(*self._with(self.errors))
        alone = joint.alike <= joint.apart * (1 + 1e-9)
        largest, many = _largest_and_many(z, kind)
        alike = float(kind.tail(joint.scores[0]))
        return TESTS * min(largest, alike, many if alone else 1.0)

    def are_close(self, kind: Kind) -> bool:
        """Whether no test finds anything, and all rows surely lie within the margin."""
        z, joint = self.differences / self.least, together(*self._with(self.least))
        found = min(*_largest_and_many(z, kind), float(kind.tail(joint.scores[1])))
        reach = np.abs(self.differences) + CLOSE * self.errors
        return found >= CHANCE and float(reach.max()) <= kind.bound

    def _with(self, errors: np.ndarray) -> tuple[np.ndarray, ...]:
        return self.differences, errors, self.labels

    def show(self, kind: Kind) -> str:
        """Tell what the tests see."""
        z, joint = self.differences / self.errors, together(*self._with(self.errors))
        largest, mean = z[np.argmax(np.abs(z))], _shown(joint, kind)
        if z.size == 1:
            return f"{'' if kind.factors else 'by '}{mean}, z = {largest:.1f}"
        apart = together(*self._with(self.least)).scores[1]
        both = list(dict.fromkeys(f"{score:.1f}" for score in (joint.scores[0], apart)))
        return (
            f"{(np.abs(z) > CLOSE).sum()} of {z.size} beyond 2 standard errors (the largest z = "
            f"{largest:.1f}), {(z > 0).sum()} of {z.size} are above; together {mean}, "
            f"z = {' to '.join(both)}"
        )


def _largest_and_many(z: np.ndarray, kind: Kind) -> tuple[float, float]:
    """Chances of so large a largest difference, and of so many beyond two standard errors."""
    beyond = int((np.abs(z) > CLOSE).sum())
    many = stats.binom.sf(beyond - 1, z.size, kind.tail(CLOSE))
    return float(z.size * kind.tail(z).min()), float(many)


def _shown(joint: Joint, kind: Kind) -> str:
    """A mean difference: with its error, or as a factor with two errors either way."""
    if not kind.factors:
        return f"{joint.value:+.1%} ± {joint.alike:.1%}"
    low, high = (np.exp(joint.value + side * CLOSE * joint.alike) for side in (-1, 1))
    return f"{np.exp(joint.value):.2f} ({low:.2f} to {high:.2f}) times"

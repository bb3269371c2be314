"""What numbers say, in words: rules that can say yes, no and undecided."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from ...chains.bootstrap import Interval

CLOSE = 2.0  # standard errors
CHANCE = 0.05  # how often equal numbers may seem to differ
TESTS = 3  # of a line, any of which may find that they do
SAME = 0.25  # of a value: the difference that two numbers may have and still agree


def z_score(first: float, second: float, *errors: float) -> float:
    """Difference in standard errors, of independent estimates.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.words.judgements import z_score
    >>> z_score(1.0, 3.0, 0.6, 0.8)
    -2.0
    """
    error = float(np.sqrt(np.sum(np.square(errors))))
    return (first - second) / error if error > 0 else float("nan")


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
    >>> from pymc_bnn.studies.choo2000.words.judgements import together
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


def agreement(differences: Any, errors: Any, groups: Any = None, margin: float = SAME) -> str:
    """Say whether numbers agree: each by itself, and all of them together.

    They differ if one difference is too large to be the largest of so many, if more than chance
    gives are beyond two standard errors, or if all together are too far from none, with each group
    counted as one row. Equal numbers pass for different by each of these three with a third of 5%,
    and so by any with 5% at most. They agree if none has a chance below 5%, rows taken as
    independent, and two standard errors around their mean lie within the margin. All else is
    undecided.

    Parameters
    ----------
    differences, errors : array_like
        As shares of the values; undefined ones are left out.
    groups : array_like, optional
        Of rows that share start states or chains.
    margin : float
        The largest mean difference that counts as none.

    Returns
    -------
    str

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.words.judgements import agreement
    >>> print(agreement([0.01, -0.02], [0.02, 0.02]))  # doctest: +NORMALIZE_WHITESPACE
    agrees within 25%: 0 of 2 beyond 2 standard errors (the largest z = -1.0), 1 of 2
    are above; together -0.5% ± 1.4%, z = -0.4
    >>> agreement([0.1, -0.2], [0.2, 0.2])[:16], agreement([0.1, 0.9], [0.2, 0.2])[:7]
    ('undecided at 25%', 'differs')
    """
    d, e = (np.asarray(values, float) for values in (differences, errors))
    known = np.isfinite(d) & np.isfinite(e) & (e > 0)
    if not known.any():
        return "no results to compare yet"
    d, e = d[known], e[known]
    joint = together(d, e, None if groups is None else np.asarray(groups)[known])
    z = d / e
    return f"{_verdict(z, joint, margin)}: {_shown(z, joint)}"


def _verdict(z: np.ndarray, joint: Joint, margin: float) -> str:
    beyond, independent = int((np.abs(z) > CLOSE).sum()), joint.alike <= joint.apart * (1 + 1e-9)
    largest = 2 * z.size * stats.norm.sf(np.abs(z).max())
    many = stats.binom.sf(beyond - 1, z.size, 2 * stats.norm.sf(CLOSE))
    alike, apart = 2 * stats.norm.sf(np.abs(joint.scores))
    if min(largest, alike, many if independent else 1.0) < CHANCE / TESTS:
        return "differs"
    if min(largest, apart, many) < CHANCE or abs(joint.value) + CLOSE * joint.alike > margin:
        return f"undecided at {margin:.0%}"
    return f"agrees within {margin:.0%}"


def _shown(z: np.ndarray, joint: Joint) -> str:
    largest = z[np.argmax(np.abs(z))]
    if z.size == 1:
        return f"by {joint.value:+.1%} ± {joint.alike:.1%}, z = {largest:.1f}"
    alike, apart = (f"{score:.1f}" for score in joint.scores)
    scores = alike if alike == apart else f"{alike} to {apart}"
    return (
        f"{(np.abs(z) > CLOSE).sum()} of {z.size} beyond 2 standard errors (the "
        f"largest z = {largest:.1f}), {(z > 0).sum()} of {z.size} are above; together "
        f"{joint.value:+.1%} ± {joint.alike:.1%}, z = {scores}"
    )


def same_at_all(values: Any, errors: Any) -> str:
    """Say whether numbers differ among each other by more than their errors, by chi squared.

    That they are the same is never shown: it would take a margin that nobody has named.

    Parameters
    ----------
    values, errors : array_like
        With their standard errors, of independent estimates.

    Returns
    -------
    str

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.words.judgements import same_at_all
    >>> same_at_all([1.0, 1.1], [0.1, 0.1]), same_at_all([1.0, 2.0], [0.1, 0.1])[:6]
    ('undecided, chi squared is 0.5 where 95% of equal ones are below 3.8', 'differ')
    """
    x, e = np.asarray(values, float), np.asarray(errors, float)
    mean = np.average(x, weights=e**-2)
    found, most = float((((x - mean) / e) ** 2).sum()), stats.chi2.isf(CHANCE, x.size - 1)
    verdict = "differ" if found > most else "undecided"
    return f"{verdict}, chi squared is {found:.1f} where 95% of equal ones are below {most:.1f}"


def target(found: Interval, limit: float) -> str:
    """Say whether something is small enough, by its whole interval.

    Parameters
    ----------
    found : Interval
        What was measured.
    limit : float
        What it may be at most.

    Returns
    -------
    {"met", "missed", "undecided", "not measured"}
        Met is a target that the whole interval is below, missed one that it is above.

    Examples
    --------
    >>> from pymc_bnn.studies.chains.bootstrap import Interval
    >>> from pymc_bnn.studies.choo2000.words.judgements import target
    >>> target(Interval(0.03, 0.02, 0.04), 0.05), target(Interval(0.03, 0.02, 0.06), 0.05)
    ('met', 'undecided')
    >>> target(Interval(0.2, 0.1, 0.4), 0.05), target(Interval(0.2, 0.01, 0.4), 0.05)
    ('missed', 'undecided')
    """
    if not np.isfinite([found.value, found.low, found.high]).all():
        return "not measured"
    if found.high <= limit:
        return "met"
    return "missed" if found.low > limit else "undecided"


def smaller(found: Interval, limit: float = 1.0) -> str:
    """Say whether a ratio is below 1, or another limit.

    Examples
    --------
    >>> from pymc_bnn.studies.chains.bootstrap import Interval
    >>> from pymc_bnn.studies.choo2000.words.judgements import smaller
    >>> [smaller(Interval(0.9, low, high)) for low, high in ((0.8, 0.95), (0.7, 1.2))]
    ['yes', 'undecided']
    """
    answer = target(found, limit)
    return {"met": "yes", "missed": "no"}.get(answer, answer)


def larger(found: Interval, limit: float = 1.0) -> str:
    """Say whether a ratio is above 1, or another limit.

    Examples
    --------
    >>> from pymc_bnn.studies.chains.bootstrap import Interval
    >>> from pymc_bnn.studies.choo2000.words.judgements import larger
    >>> [larger(Interval(0.3, low, 0.5), 0.0) for low in (0.1, -0.1)]
    ['yes', 'undecided']
    """
    return smaller(Interval(-found.value, -found.high, -found.low), -limit)

"""What numbers say, in words."""

from collections.abc import Iterable

import numpy as np
from scipy import stats

from ..bootstrap import Interval

CLOSE = 2.0  # standard errors


def z_score(first: float, second: float, *errors: float) -> float:
    """Difference in standard errors, of independent estimates.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.judgements import z_score
    >>> z_score(1.0, 3.0, 0.6, 0.8)
    -2.0
    """
    error = float(np.sqrt(np.sum(np.square(errors))))
    return (first - second) / error if error > 0 else float("nan")


def agreement(scores: Iterable[float]) -> str:
    """Say whether differences are what chance would give.

    Parameters
    ----------
    scores : iterable of float
        Differences in standard errors; undefined ones are left out.

    Returns
    -------
    str

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.judgements import agreement
    >>> agreement([0.5, -1.0])
    'agrees: all 2 within 2 standard errors (the largest difference: z = -1.0)'
    >>> agreement([0.5, -5.0])
    'differs: 1 of 2 by more than 2 standard errors (the largest difference: z = -5.0)'
    """
    z = np.array([score for score in scores if np.isfinite(score)])
    if z.size == 0:
        return "no results to compare yet"
    largest = z[np.argmax(np.abs(z))]
    beyond = int((np.abs(z) > CLOSE).sum())
    tail = f"(the largest difference: z = {largest:.1f})"
    if beyond == 0:
        which = "it lies" if z.size == 1 else f"all {z.size}"
        return f"agrees: {which} within 2 standard errors {tail}"
    by = f"{beyond} of {z.size} by more than 2 standard errors"
    chance = 2 * stats.norm.sf(CLOSE)
    usual = stats.binom.sf(beyond - 1, z.size, chance) > 0.05
    extreme = 2 * z.size * stats.norm.sf(abs(largest)) < 0.05
    if usual and not extreme:
        return f"agrees: {by}, as many as chance gives {tail}"
    return f"differs: {by} {tail}"


def target(found: Interval, limit: float, bound: float | None = None) -> str:
    """Say whether something is small enough.

    Parameters
    ----------
    found : Interval
        What was measured.
    limit : float
        What the estimate may be at most.
    bound : float, optional
        What the upper end of its interval may be at most; the same by default.

    Returns
    -------
    str

    Examples
    --------
    >>> from pymc_bnn.studies.bootstrap import Interval
    >>> from pymc_bnn.studies.choo2000.judgements import target
    >>> target(Interval(0.03, 0.02, 0.06), 0.05, 0.1)
    'met'
    >>> target(Interval(0.03, 0.02, 0.06), 0.05)
    'met by the estimate, not by its interval'
    >>> target(Interval(0.2, 0.1, 0.4), 0.05)
    'missed'
    """
    bound = limit if bound is None else bound
    if not found.value <= limit:
        return "missed"
    return "met" if found.high <= bound else "met by the estimate, not by its interval"


def smaller(ratio: Interval) -> str:
    """Say whether a ratio is below 1.

    Examples
    --------
    >>> from pymc_bnn.studies.bootstrap import Interval
    >>> from pymc_bnn.studies.choo2000.judgements import smaller
    >>> [smaller(Interval(0.9, low, high)) for low, high in ((0.8, 0.95), (0.7, 1.2))]
    ['yes', 'undecided']
    """
    if ratio.high < 1:
        return "yes"
    return "no" if ratio.low > 1 else "undecided"

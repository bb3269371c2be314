"""What numbers say, in words: rules that can say yes, no and undecided."""

from typing import Any

import numpy as np
from scipy import stats

from ...chains.bootstrap import Interval

CHANCE = 0.05  # how often equal numbers may seem to differ


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

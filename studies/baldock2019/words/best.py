"""Rule that the best temperature lies in a range, and how the page writes it."""

from collections.abc import Iterable, Sequence

import numpy as np

from ...reproduction.estimates import Estimate
from ...reproduction.verdicts import Verdict


def best_within(best: Estimate, low: float, high: float) -> Verdict:
    """Judge that the best temperature lies between two.

    Parameters
    ----------
    best : Estimate
        Its logarithm to base ten.
    low, high : float
        Temperatures.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.best import best_within
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> best = Estimate(0.0, 0.1)  # 0.64 to 1.6
    >>> [str(best_within(best, low, 10.0)) for low in (0.5, 1.0, 2.0)]
    ['Stands', 'Undecided', 'Does not stand']
    """
    colder, hotter = limits(best)
    if not np.isfinite(best.value) or not np.isfinite(best.error):
        return Verdict.UNDECIDED
    if low <= colder and hotter <= high:
        return Verdict.STANDS
    return Verdict.FAILS if hotter < low or colder > high else Verdict.UNDECIDED


def limits(best: Estimate) -> tuple[float, float]:
    """Temperatures between which the best one lies, of its logarithm to base ten."""
    colder, hotter = (10.0**end for end in np.clip(best.interval(), -300.0, 300.0))
    return colder, hotter


def of_best(best: Estimate, ladder: Iterable[float]) -> str:
    """Write the best temperature with the interval that is judged, as far as a ladder goes.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.best import of_best
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> [of_best(Estimate(0.0, error), [0.01, 1.0, 100.0]) for error in (0.1, 2.0)]
    ['Least at T = 1 (0.64 to 1.6)', 'Least at T = 1 (all temperatures)']
    """
    return f"Least at T = {_shown(10.0**best.value)} ({_between(best, list(ladder))})"


def _between(best: Estimate, ladder: Sequence[float]) -> str:
    colder, hotter = limits(best)
    if colder <= min(ladder) and hotter >= max(ladder):
        return "all temperatures"
    return f"{_shown(max(colder, min(ladder)))} to {_shown(min(hotter, max(ladder)))}"


def _shown(temperature: float) -> str:
    return f"{float(f'{temperature:.2g}'):g}"


def too_few(alike: Estimate, low: float, high: float, ladder: Iterable[float]) -> str:
    """Say that so many chains cannot tell whether the best temperature lies between two.

    Parameters
    ----------
    alike : Estimate
        Its logarithm to base ten, if all chains had the same.
    low, high : float
        Temperatures.
    ladder : iterable of float
        All temperatures that chains went through.

    Returns
    -------
    str
        Empty if they could.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.best import too_few
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> too_few(Estimate(0.5, 0.05, 1), 1.0, 1e4, [0.01, 1e4])
    '2 chains cannot decide this: if both had the same one, the interval would be 0.73 to 14'
    >>> too_few(Estimate(0.5, 0.05, 3), 1.0, 1e4, [0.01, 1e4])
    ''
    """
    if best_within(alike, low, high) != Verdict.UNDECIDED or not np.isfinite(alike.error):
        return ""
    count = round(alike.freedom) + 1
    each = "both" if count == 2 else "all"
    limit = _between(alike, list(ladder))
    return (
        f"{count} chains cannot decide this: if {each} had the same one, the interval would be "
        f"{limit}"
    )

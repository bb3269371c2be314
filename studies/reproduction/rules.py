"""Rules that claims of several studies are judged by, and how their numbers are written."""

from collections.abc import Mapping

from .estimates import Estimate
from .verdicts import Verdict, together


def at_most(found: Estimate, limit: float, among: int = 1) -> Verdict:
    """Judge that a number is at most another one.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.rules import at_most
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> [str(at_most(Estimate(value, 1.0), 40.0)) for value in (30.0, 39.0, 50.0)]
    ['Stands', 'Undecided', 'Does not stand']
    """
    low, high = found.interval(among)
    if high < limit:
        return Verdict.STANDS
    return Verdict.FAILS if low > limit else Verdict.UNDECIDED


def less(found: Mapping[str, Estimate]) -> Verdict:
    """Judge that all differences are below zero."""
    return together(at_most(one, 0.0, len(found)) for one in found.values())


def about(found: Estimate, low: float, high: float, among: int = 1) -> Verdict:
    """Judge that a number, one among so many of a claim, lies in a range."""
    begins, ends = found.interval(among)
    if low <= begins and ends <= high:
        return Verdict.STANDS
    return Verdict.FAILS if ends < low or begins > high else Verdict.UNDECIDED


def known(found: Mapping[str, Estimate]) -> bool:
    """Whether there are numbers to judge."""
    return all(one.value == one.value for one in found.values())


def says(found: Mapping[str, Estimate], unit: str = "") -> str:
    """Write numbers with the intervals that are judged.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.rules import says
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> says({"all cells": Estimate(-0.1, 0.05)})
    'all cells: -0.1 (-0.198 to -0.002)'
    """
    each = []
    for name, one in found.items():
        low, high = one.interval(len(found))
        interval = f"{low:.3g} to {high:.3g}" if high < float("inf") else "one seed, no interval"
        text = f"{name}: {one.value:.3g} ({interval})"
        each.append(f"{text} {unit}".rstrip())
    return "; ".join(each)

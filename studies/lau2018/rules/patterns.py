"""Rules that judge whether numbers of many rows agree: their order, and one by one."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd

from ...reproduction.estimates import Estimate
from ...reproduction.verdicts import Verdict, together

Numbers = Mapping[str, Estimate]


def clear_pairs(theirs: Numbers, ours: Numbers) -> tuple[int, int]:
    """Count pairs of rows that differ clearly in both, in the same order and in the other.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> from pymc_bnn.studies.lau2018.rules.patterns import clear_pairs
    >>> rising = {"a": Estimate(10.0, 1.0), "b": Estimate(20.0, 1.0)}
    >>> clear_pairs(rising, {"a": Estimate(90.0, 1.0), "b": Estimate(15.0, 1.0)})
    (0, 1)
    """
    names = [name for name in theirs if name in ours]
    every = list(combinations(names, 2))
    same = other = 0
    for one, two in every:
        signs = [_sign(numbers[one].minus(numbers[two]), len(every)) for numbers in (theirs, ours)]
        same += signs[0] * signs[1] == 1
        other += signs[0] * signs[1] == -1
    return same, other


def _sign(gap: Estimate, among: int) -> int:
    low, high = gap.interval(among)
    return int(low > 0) - int(high < 0)


def same_order(theirs: Numbers, ours: Numbers) -> Verdict:
    """Judge a claim that rows have the same order as the thesis's.

    It fails if two rows that differ clearly in both have the other order, stands if all such pairs
    have the same one, and is undecided if there is no such pair.
    """
    same, other = clear_pairs(theirs, ours)
    if other:
        return Verdict.FAILS
    return Verdict.STANDS if same else Verdict.UNDECIDED


def says_order(theirs: Numbers, ours: Numbers) -> str:
    """Write how many clear pairs have the same order; all in the other one are its reverse."""
    same, other = clear_pairs(theirs, ours)
    if not same + other:
        return "No two of them differ clearly in both"
    text = f"Of {same + other} pairs that differ clearly in both, {other} have the other order"
    return f"{text}: the pattern is the reverse" if other and not same else text


def agrees(theirs: float, ours: Estimate, among: int = 1) -> bool:
    """Whether a printed number lies in the interval of ours."""
    low, high = ours.interval(among)
    return low <= theirs <= high


def explains(
    theirs: Mapping[str, float], ours: Numbers, instead: Numbers, among: int = 0
) -> Verdict:
    """Judge a claim that ours is the quantity that the thesis prints, and no other one.

    It fails if a printed number lies outside the interval of ours, stands if none does and all lie
    outside that of the other quantity, and is undecided otherwise: where both would do, nothing
    is explained.

    Parameters
    ----------
    theirs : mapping of str to float
        Printed numbers by row.
    ours, instead : mapping of str to Estimate
        The quantity of the claim and the other one.
    among : int
        How many rows intervals hold for at once, if more than are judged.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> from pymc_bnn.studies.lau2018.rules.patterns import explains
    >>> drawn, likely = ({"a": Estimate(value, 2.0)} for value in (25.0, 9.0))
    >>> [str(explains({"a": printed}, drawn, likely)) for printed in (24.0, 49.8)]
    ['Stands', 'Does not stand']
    """

    def one(name: str) -> Verdict:
        if not agrees(theirs[name], ours[name], count):
            return Verdict.FAILS
        both = agrees(theirs[name], instead[name], count)
        return Verdict.UNDECIDED if both else Verdict.STANDS

    count = max(among, len(theirs))
    return together(one(name) for name in theirs)


def nearer(theirs: pd.Series, ours: pd.Series, others: pd.Series) -> Estimate:
    """How much nearer ours are to printed numbers than others are, on average over rows.

    Parameters
    ----------
    theirs, ours, others : Series
        By row; rows that are not in all of them do not count.

    Returns
    -------
    Estimate
        Mean distance of ours less that of the others, with the error of its spread over rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.lau2018.rules.patterns import nearer
    >>> theirs, ours, others = (pd.Series(values) for values in ([9, 20], [10, 18], [19, 10]))
    >>> nearer(theirs, ours, others).value
    -8.5
    """
    every = pd.concat([theirs, ours, others], axis=1, join="inner").dropna().to_numpy(float)
    gaps = np.abs(every[:, 1] - every[:, 0]) - np.abs(every[:, 2] - every[:, 0])
    if gaps.size < 2:
        return Estimate(np.nan, np.inf)
    error = float(gaps.std(ddof=1) / np.sqrt(gaps.size))
    return Estimate(float(gaps.mean()), error, gaps.size - 1)


def is_nearer(found: Mapping[str, Estimate]) -> Verdict:
    """Judge a claim that all mean distances are smaller.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> from pymc_bnn.studies.lau2018.rules.patterns import is_nearer
    >>> [str(is_nearer({"a": Estimate(value, 1.0)})) for value in (-3.0, 0.0, 3.0)]
    ['Stands', 'Undecided', 'Does not stand']
    """

    def one(gap: Estimate) -> Verdict:
        low, high = gap.interval(len(found))
        if high < 0:
            return Verdict.STANDS
        return Verdict.FAILS if low > 0 else Verdict.UNDECIDED

    return together(one(gap) for gap in found.values())


def says_gap(gap: Estimate, among: int) -> str:
    """Write a mean difference of distances with its interval."""
    low, high = gap.interval(among)
    return f"{gap.value:+.1f} ± {gap.error:.1f} ({low:+.1f} to {high:+.1f}) points on average"

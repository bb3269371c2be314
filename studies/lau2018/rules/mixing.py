"""Rules that judge claims on how well samplers move, by effective sample sizes.

No interval of these sizes is kept, so that a rule leaves room on both sides of its limit.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from ....samplers.diagnosis.findings import WORST_ESS
from ...reproduction.verdicts import Verdict, together

SAME = 2.0  # a factor; rows within it are as efficient as each other
KNOWN = 1.25  # a median over all weights is known within it: repeats here differ by up to 1.21
LEAST = WORST_ESS  # draws with less should not be used at all
KNOWN_ONE = 2.0  # the effective sample size of one variable is known within it


class Run(NamedTuple):
    """How well a run moved: effective draws, and how many were recorded."""

    ess: float
    chains: int
    draws: int

    @classmethod
    def of(cls, row: pd.Series, quantity: str = "median ESS") -> "Run":
        """Read a row of a table."""
        return cls(float(row[quantity]), int(row["chains"]), int(row["draws"]))


def ratio(first: Run, second: Run) -> float | None:
    """How many times as many effective draws the first run has.

    None where it says nothing: runs of other lengths, and both with fewer effective draws than
    can be used, which then count the chains rather than the draws.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.rules.mixing import Run, ratio
    >>> ratio(Run(300, 4, 60), Run(100, 4, 60)), ratio(Run(9, 4, 60), Run(3, 4, 60))
    (3.0, None)
    """
    if first[1:] != second[1:] or max(first.ess, second.ess) < LEAST:
        return None
    return first.ess / second.ess


def as_efficient(rows: Iterable[tuple[Run, Run]]) -> Verdict:
    """Judge a claim that first runs are as efficient as second ones.

    It stands if all ratios of effective draws are within a factor of two, with room for what is
    not known; it fails if one is outside, with the same room; and is undecided otherwise, as where
    a ratio says nothing (:func:`ratio`).
    """

    def one(first: Run, second: Run) -> Verdict:
        found = ratio(first, second)
        if found is None:
            return Verdict.UNDECIDED
        factor = max(found, 1 / found)
        if factor <= SAME / KNOWN:
            return Verdict.STANDS
        return Verdict.FAILS if factor > SAME * KNOWN else Verdict.UNDECIDED

    return together(one(*pair) for pair in rows)


def more_efficient(rows: Iterable[tuple[Run, Run]]) -> Verdict:
    """Judge a claim that first runs are much more efficient than second ones.

    It stands if all have more than twice as many effective draws, with room for what is not known;
    it fails if one has not, with the same room; and is undecided otherwise, as where a ratio says
    nothing (:func:`ratio`).
    """

    def one(first: Run, second: Run) -> Verdict:
        found = ratio(first, second)
        if found is None:
            return Verdict.UNDECIDED
        if found > SAME * KNOWN:
            return Verdict.STANDS
        return Verdict.FAILS if found <= SAME / KNOWN else Verdict.UNDECIDED

    return together(one(*pair) for pair in rows)


def moves(ess: float) -> Verdict:
    """Judge a claim that a sampler moves one variable.

    It stands from twice as many effective draws on as can be used at all, fails up to half as many,
    and is undecided in between.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.rules.mixing import moves
    >>> [str(moves(ess)) for ess in (288.0, 5.0, 100.0)]
    ['Stands', 'Does not stand', 'Undecided']
    """
    if ess >= LEAST * KNOWN_ONE:
        return Verdict.STANDS
    return Verdict.FAILS if ess <= LEAST / KNOWN_ONE else Verdict.UNDECIDED


PLAIN = ("gibbs-fixed-step", "gibbs-curvature")
MENDED, JOINT = "gibbs-interweaved", "joint-noncentered"


def gibbs_fails(ess: Mapping[str, float]) -> Verdict:
    """Judge a claim that Gibbs sampling of a variance fails where joint sampling succeeds.

    It stands if no plain Gibbs sampler moves the variance (:func:`moves`) and joint sampling does,
    fails if a plain one moves it or joint sampling does not, and is undecided otherwise.
    """
    plain = [moves(ess[name]).turned() for name in PLAIN if name in ess]
    joint = moves(ess[JOINT]) if JOINT in ess else Verdict.UNDECIDED
    return together([*plain, joint]) if plain else Verdict.UNDECIDED


def cause(ess: Mapping[str, float]) -> str:
    """Say what keeps Gibbs sampling from moving the variance, and what mends it.

    It is the fixed step if steps from the curvature move the variance, and plain Gibbs sampling if
    they do not; interweaving mends it if it moves the variance. What the numbers leave open is
    left open.

    Parameters
    ----------
    ess : mapping of str to float
        Effective draws of the variance by row.
    """
    fixed, curved, mended = (moves(ess[name]) for name in (*PLAIN, MENDED))
    if fixed is Verdict.STANDS:
        return "The fixed step moves the variance."
    if fixed is Verdict.UNDECIDED or curved is Verdict.UNDECIDED:
        return "What keeps the variance from moving cannot be told."
    if curved is Verdict.STANDS:
        return "What fails is the fixed step, not Gibbs sampling."
    text = "What fails is plain Gibbs sampling, with either kind of steps"
    also = {
        Verdict.STANDS: "interweaving mends it",
        Verdict.FAILS: "interweaving does not mend it",
        Verdict.UNDECIDED: "whether interweaving mends it is undecided",
    }
    return f"{text}; {also[mended]}."

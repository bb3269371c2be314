"""Rules that claims of the paper are judged by; each can say yes, no and undecided."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...model_evidence.conclusions import BAYES_FACTOR
from ...reproduction.estimates import Estimate
from ...reproduction.verdicts import Verdict, together
from ..numbers.levels import Level

SAME = 0.1  # share of a number, below which a difference counts as none
NATS = float(np.log(BAYES_FACTOR))  # of a log evidence, whose zero is nobody's, so no share
NEAR = 10**0.5  # factor within which a temperature is about another one
FAR = 0.1  # temperatures that are far below 1
FILLED, LOCAL = 0.9, 0.6  # root mean square of weights, as a share of that of the uniform prior
MIXED, APART = 1.01, 1.1  # R-hat

NEARLY = f"within {SAME:.0%} of each other"
Found = Mapping[Any, Estimate]


def less(found: Found) -> Verdict:
    """Judge that all differences are below zero.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.judgements import less
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> [str(less({"a": Estimate(value, 1.0)})) for value in (-3.0, 0.0, 3.0)]
    ['Stands', 'Undecided', 'Does not stand']
    """
    return together(_below(one, len(found)) for one in found.values())


def _below(one: Estimate, among: int) -> Verdict:
    low, high = one.interval(among)
    if high < 0:
        return Verdict.STANDS
    return Verdict.FAILS if low > 0 else Verdict.UNDECIDED


def _level(one: Estimate | Level) -> Level:
    return one if isinstance(one, Level) else Level(one, one)


def same(first: Estimate | Level, second: Estimate | Level, within: float | None = None) -> Verdict:
    """Judge that two independent numbers are within so much, or a tenth, of each other.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.judgements import NATS, same
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> first = Estimate(-1000.0, 0.1)  # a log evidence
    >>> others = [Estimate(value, 0.1) for value in (-1001.0, -1003.0, -1020.0)]
    >>> [str(same(first, other, NATS)) for other in others]
    ['Stands', 'Undecided', 'Does not stand']
    >>> str(same(first, others[-1]))
    'Stands'
    """
    one, other = _level(first), _level(second)
    margin = SAME * abs(one.plain.value + other.plain.value) / 2 if within is None else within
    low, high = one.minus(other).interval()
    if -margin < low and high < margin:
        return Verdict.STANDS
    return Verdict.FAILS if low > margin or high < -margin else Verdict.UNDECIDED


def as_printed(
    ours: Estimate | Level, printed: Estimate | Level, within: float | None = None
) -> Verdict:
    """Judge that a number is the printed one, if it is known to so much or to a tenth.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.judgements import NATS, as_printed
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> ours = [Estimate(-101.0, 1.0), Estimate(-101.0, 4.0), Estimate(-120.0, 4.0)]
    >>> [str(as_printed(one, Estimate(-100.0, 1.0), NATS)) for one in ours]
    ['Stands', 'Undecided', 'Does not stand']
    """
    one, other = _level(ours), _level(printed)
    low, high = one.minus(other).interval()
    if low > 0 or high < 0:
        return Verdict.FAILS
    low, high = one.wider.interval()
    enough = SAME * abs(other.plain.value) if within is None else within
    known = (high - low) / 2 < enough
    return Verdict.STANDS if known else Verdict.UNDECIDED


def good_enough(found: Mapping[Any, tuple[Estimate, float]]) -> Verdict:
    """Judge that differences are small shares of numbers."""

    def one(difference: Estimate, of: float) -> Verdict:
        low, high = difference.interval(len(found))
        if high < SAME * of:
            return Verdict.STANDS
        return Verdict.FAILS if low > SAME * of else Verdict.UNDECIDED

    return together(one(*pair) for pair in found.values())


def agree(rhat: float) -> Verdict:
    """Judge that chains have the same log likelihoods.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.judgements import agree
    >>> [str(agree(rhat)) for rhat in (1.002, 1.05, 1.8)]
    ['Stands', 'Undecided', 'Does not stand']
    """
    if rhat <= MIXED:
        return Verdict.STANDS
    return Verdict.FAILS if rhat > APART else Verdict.UNDECIDED


def fills(filled: Sequence[float]) -> Verdict:
    """Judge that weights fill the box as the prior does.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.judgements import fills
    >>> [str(fills(shares)) for shares in ([0.99, 1.0], [0.5, 1.0], [0.5, 0.49])]
    ['Stands', 'Undecided', 'Does not stand']
    """
    if not filled:
        return Verdict.UNDECIDED
    if min(filled) > FILLED:
        return Verdict.STANDS
    return Verdict.FAILS if max(filled) < LOCAL else Verdict.UNDECIDED


def same_choice(found: Found) -> Verdict:
    """Judge that all differences have one sign."""
    signs = {_below(one, len(found)) for one in found.values()}
    if {Verdict.STANDS, Verdict.FAILS} <= signs:
        return Verdict.FAILS
    return (
        Verdict.STANDS
        if len(signs) == 1 and len(found) > 1 and Verdict.UNDECIDED not in signs
        else Verdict.UNDECIDED
    )


def clear(found: Found) -> bool:
    """Whether the interval of a difference lies on one side of zero."""
    return any(_below(one, len(found)) != Verdict.UNDECIDED for one in found.values())


def no_jump(found: Sequence[tuple[Estimate, Estimate]]) -> Verdict:
    """Judge that at each place one of two excesses is below zero.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.judgements import no_jump
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> low, none, high = (Estimate(value, 1.0) for value in (-5.0, 0.0, 5.0))
    >>> [str(no_jump([(low, low), pair])) for pair in ((low, high), (none, high), (high, high))]
    ['Stands', 'Undecided', 'Does not stand']
    """
    among = sum(len(pair) for pair in found)
    return together(
        together(_below(one, among).turned() for one in pair).turned() for pair in found
    )


def cautioned(verdict: Verdict, cautions: str) -> Verdict:
    """Judge nothing by an estimate that has cautions.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.judgements import cautioned
    >>> from pymc_bnn.studies.reproduction.verdicts import Verdict
    >>> [str(cautioned(Verdict.FAILS, cautions)) for cautions in ("", "R-hat is 1.4.")]
    ['Does not stand', 'Undecided']
    """
    return Verdict.UNDECIDED if cautions else verdict


def says(found: Found, unit: str = "", among: int | None = None) -> str:
    """Write differences with their standard errors and the intervals that are judged.

    Those intervals hold for all differences at once, or for more of which these are some.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.judgements import says
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> says({"50 cases": Estimate(1.2, 0.5)}, "nats")
    '50 cases: +1.2 ± 0.5 (+0.22 to +2.18) nats'
    """
    each = []
    for name, one in found.items():
        low, high = one.interval(among or len(found))
        text = f"{name}: {one.value:+.3g} ± {one.error:.2g} ({low:+.3g} to {high:+.3g})"
        each.append(f"{text} {unit}".rstrip())
    return "; ".join(each)

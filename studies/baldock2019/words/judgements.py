"""Rules that claims of the paper are judged by; each can say yes, no and undecided."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...reproduction.estimates import Estimate
from ...reproduction.verdicts import Verdict, together

SAME = 0.1  # share of a number, below which a difference counts as none
NEAR = 10**0.5  # factor within which a temperature is about another one
FAR = 0.1  # temperatures that are far below 1
FILLED, LOCAL = 0.9, 0.6  # root mean square of weights, as a share of that of the uniform prior
MIXED, APART = 1.01, 1.1  # R-hat

NEARLY = f"within {SAME:.0%} of each other"
RULES = {
    "less": "numbers are less than others. Stands if the interval of every difference lies below "
    "zero, fails if one lies above.",
    "least": "the least test error of each chain, at whatever temperature, is less or more than a "
    "number, in the mean over chains. Stands if the interval of the difference lies on the side "
    "that the claim says, fails if it lies on the other. The least of many numbers is somewhat too "
    "small, by their errors.",
    "best": "the temperature of the least test error lies in a range. Each chain has one, of the "
    "temperatures that it went through; their geometric mean has an interval by their spread, or "
    "by the errors of the test errors if these move it more, and by the steps between "
    "temperatures. Stands if that interval "
    f"lies in the range, fails if it lies outside as a whole. *About 1* is within a factor of "
    f"{NEAR:.2g}; *far below 1* is up to {FAR:g}.",
    "same": f"two numbers are {NEARLY}. Stands if the interval of their difference lies within "
    f"{SAME:.0%} of their mean on both sides of zero, fails if it lies outside as a whole.",
    "as printed": "a number is what it should be, as printed in the paper or known exactly. "
    "Fails if the interval of the difference does not reach zero; stands if it does and ours is "
    f"known to {SAME:.0%} of the other one.",
    "good enough": "one error is hardly above another. Stands if the intervals of all differences "
    f"end below {SAME:.0%} of the least error, fails if one begins above that.",
    "agree": f"chains sample the same distribution. Stands if R-hat is at most {MIXED:g}, fails if "
    f"it is above {APART:g}.",
    "stays": "chains stay around a minimum. Fails if the weights of all fill the box: if their "
    f"root mean square is above {FILLED:g} of that of the prior. Stands if it is below {LOCAL:g} "
    "for all.",
    "same choice": "differences have one sign. Stands if there are two or more and all intervals "
    "lie on the same side of zero, fails if two lie on opposite sides.",
    "no jump": "no first-order transition shows at the temperatures that there are. It is a peak, "
    "a heat capacity above twice those of both neighbouring temperatures, or a jump, a mean "
    "energy that changes over a step by more than twice what the heat capacity at either end "
    "allows. Stands if of each temperature and of each step an interval lies below that, fails if "
    "both intervals of one lie above. A weaker transition within a step does not show. Chains "
    "that are cooled and heated have to agree (no hysteresis), or nothing is decided: *same* has "
    "to stand for their integrals, and neither the interval of that difference nor that of a mean "
    "energy's may lie on one side of zero.",
}
HOW = (
    "A verdict follows from a rule on the numbers of these tables, and is about runs of their "
    "length. What a rule does not say stands or fails is **undecided**. A mean over chains has the "
    "larger of two standard errors, that of the chains' own draws and that of the chains' spread, "
    "and the latter widens its interval where chains are few; so does the former where there is "
    "one chain. Intervals hold with 95% for all differences of a claim at once. An estimate with "
    "cautions of its own decides nothing: what rests on it is undecided, whatever its interval, "
    "and the cautions are named. The rules say that"
)
Found = Mapping[Any, Estimate]


def how() -> str:
    """Say how claims are judged: what a verdict is, and each rule."""
    return "\n".join([f"{HOW}\n", *(f"- *{name}*: {text}" for name, text in RULES.items())])


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
    >>> from pymc_bnn.studies.baldock2019.words.judgements import best_within
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


def of_best(best: Estimate) -> str:
    """Write the best temperature with the interval that is judged.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.judgements import of_best
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> of_best(Estimate(0.0, 0.1))
    'Least at T = 1 (0.64 to 1.6)'
    """
    colder, hotter = limits(best)
    return f"Least at T = {10.0**best.value:.2g} ({colder:.2g} to {hotter:.2g})"


def same(first: Estimate, second: Estimate) -> Verdict:
    """Judge that two independent numbers are within a tenth of each other."""
    margin = SAME * abs(first.value + second.value) / 2
    low, high = first.minus(second).interval()
    if -margin < low and high < margin:
        return Verdict.STANDS
    return Verdict.FAILS if low > margin or high < -margin else Verdict.UNDECIDED


def as_printed(ours: Estimate, printed: Estimate) -> Verdict:
    """Judge that a number is the printed one."""
    low, high = ours.minus(printed).interval()
    if low > 0 or high < 0:
        return Verdict.FAILS
    low, high = ours.interval()
    known = (high - low) / 2 < SAME * abs(printed.value)
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
    """Judge that chains sample the same distribution.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.words.judgements import agree
    >>> [str(agree(rhat)) for rhat in (1.002, 1.05, 1.8)]
    ['Stands', 'Undecided', 'Does not stand']
    """
    if rhat <= MIXED:
        return Verdict.STANDS
    return Verdict.FAILS if rhat > APART else Verdict.UNDECIDED


def stays(filled: list[float]) -> Verdict:
    """Judge that weights stay where they began."""
    if not filled:
        return Verdict.UNDECIDED
    if min(filled) > FILLED:
        return Verdict.FAILS
    return Verdict.STANDS if max(filled) < LOCAL else Verdict.UNDECIDED


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

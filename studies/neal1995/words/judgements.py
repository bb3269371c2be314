"""Rules that claims are judged by; each can say yes, no and undecided."""

from collections.abc import Mapping

import numpy as np

from ...reproduction.estimates import Estimate
from ...reproduction.rates import rate
from ...reproduction.verdicts import Verdict, together

WITHIN, BEYOND = 3.3, 4.5  # standard errors
MARGIN = 0.2  # of effective draws or of what a gradient moves
WORSE = 0.1  # of an error
WORST_K = 0.7  # of importance weights
TOGETHER = 0.2  # standard deviations of the noise, between halves of chains

RULES = {
    "less": "numbers are less than others. Stands if the interval of every difference, paired by "
    "data set, lies below zero, fails if one lies above.",
    "near the best": f"a setting gives at most {MARGIN:.0%} less than any other. Stands if the "
    "interval of every ratio, paired by data set, ends below that, fails if one begins above.",
    "at most": "a number is at most another. Stands if its interval ends below, fails if it begins "
    "above.",
    "about": "a number lies in a range. Stands if its interval does, fails if that lies outside.",
    "no worse": f"an error is at most {WORSE:.0%} larger. Stands if the interval of the difference "
    "ends below that, fails if it begins above. Undecided where halves of the draws of either "
    f"differ by more than {TOGETHER:g} of the noise: chains have not forgotten their start. Limits "
    f"whose weights have a k above {WORST_K:g} are left out.",
    "most": "something happens in more than half of all cases. Stands if Jeffreys' interval begins "
    "above, fails if it ends below.",
    "within": f"numbers agree. Stands if no difference is larger than {WITHIN:g} standard errors, "
    f"fails if one is larger than {BEYOND:g}.",
}
HOW = (
    "A verdict follows from a rule on the numbers of these tables. What a rule does not say stands "
    "or fails is **undecided**. Data sets are what is independent: intervals, by Student's t, are "
    "those of means over them, and hold with 95% for all differences of a claim at once. A method "
    "is compared at the setting that is best on all data sets but the one where it is compared, "
    "and so is the one it is compared with. The rules say that"
)


def how() -> str:
    """Say how claims are judged: what a verdict is, and each rule."""
    return "\n".join([f"{HOW}\n", *(f"- *{name}*: {text}" for name, text in RULES.items())])


def below(found: Mapping[str, Estimate], limit: float) -> Verdict:
    """Judge that all numbers are below a limit.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1995.words.judgements import below
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> [str(below({"": Estimate(value, 1.0)}, 0.0)) for value in (-3.0, 0.0, 3.0)]
    ['Stands', 'Undecided', 'Does not stand']
    """
    verdicts = []
    for one in found.values():
        low, high = one.interval(len(found))
        stands = Verdict.STANDS if high < limit else Verdict.UNDECIDED
        verdicts.append(Verdict.FAILS if low > limit else stands)
    return together(verdicts)


def near_the_best(found: Mapping[str, Estimate]) -> Verdict:
    """Judge, from logarithms of what others give over what a setting gives, that it is enough."""
    return below(found, float(-np.log(1.0 - MARGIN)))


def most(count: int, of: int) -> Verdict:
    """Judge that something happens in more than half of all cases.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1995.words.judgements import most
    >>> [str(most(count, 20)) for count in (20, 10, 0)]
    ['Stands', 'Undecided', 'Does not stand']
    """
    found = rate(count, of)
    if found.low > 0.5:
        return Verdict.STANDS
    return Verdict.FAILS if found.high < 0.5 else Verdict.UNDECIDED


def within(largest: float) -> Verdict:
    """Judge that numbers agree, from the largest difference in standard errors.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1995.words.judgements import within
    >>> [str(within(z)) for z in (2.0, 4.0, 6.0)]
    ['Stands', 'Undecided', 'Does not stand']
    """
    if largest <= WITHIN:
        return Verdict.STANDS
    return Verdict.FAILS if not largest <= BEYOND else Verdict.UNDECIDED


def as_ratios(found: Mapping[str, Estimate]) -> str:
    """Write logarithms as ratios with the intervals that are judged.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1995.words.judgements import as_ratios
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> as_ratios({"windows": Estimate(0.0, 0.1)})
    'windows: 1 (0.822 to 1.22)'
    """
    said = []
    for name, one in found.items():
        low, high = np.exp(one.interval(len(found)))
        said.append(f"{name}: {np.exp(one.value):.3g} ({low:.3g} to {high:.3g})")
    return "; ".join(said)

"""Rules that claims are judged by; each can say yes, no and undecided."""

from collections.abc import Mapping

import numpy as np
from scipy.stats import norm

from ...reproduction.estimates import CHANCE, Estimate
from ...reproduction.rates import rate
from ...reproduction.verdicts import Verdict, together

WITHIN = 3.3  # standard errors: the target for the largest difference, however many there are
MARGIN = 0.2  # of effective draws or of what a gradient moves
WORSE = 0.1  # of an excess
WORST_K = 0.7  # of importance weights
TOGETHER = 0.2  # standard deviations of the noise, between halves of chains


def most_by_chance(count: int) -> float:
    """Size, in standard errors, that none of so many differences exceeds with 95% if all are zero.

    By Bonferroni's inequality, whatever depends on what.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1995.words.judgements import most_by_chance
    >>> [round(most_by_chance(count), 2) for count in (1, 12, 672)]
    [1.96, 2.87, 3.96]
    """
    return float(norm.isf(CHANCE / 2 / count))


def as_many(counts: tuple[int, ...]) -> str:
    """Write the limits for some numbers of differences."""
    return ", ".join(f"{most_by_chance(count):.2f} for {count}" for count in counts)


RULES = {
    "less": "numbers are less than others. Stands if the interval of every difference, paired by "
    "data set, lies below zero, fails if one lies above.",
    "near the best": f"a setting gives at most {MARGIN:.0%} less than any other. Stands if the "
    "interval of every ratio, paired by data set, ends below that, fails if one begins above.",
    "at most": "a number is at most another. Stands if its interval ends below, fails if it begins "
    "above.",
    "about": "a number lies in a range. Stands if its interval does, fails if that lies outside. "
    "Undecided where a chain never reaches equilibrium, as a mean would lack it.",
    "no worse": f"an excess, which is an error less that of the truth, is at most {WORSE:.0%} "
    "larger than another. Stands if the interval of what it is beyond that, data set by data set, "
    "ends below zero, fails if it begins above. Undecided where halves of the draws of either "
    f"differ by more than {TOGETHER:g} of the noise: chains have not forgotten their start. Limits "
    "whose weights have a k above "
    f"{WORST_K:g} are left out, and so are the networks on their data sets.",
    "most": "something happens in more than half of all cases. Stands if Jeffreys' interval begins "
    "above, fails if it ends below.",
    "within": "no difference is seen beyond the errors, which does not say that there is none. "
    "Beside the largest stand the limit that with 95% none of so many exceeds by chance, which is "
    f"{as_many((2, 12, 96, 672))} standard errors, and the target of {WITHIN:g}. Stands if the "
    "largest is above neither, fails if it is above both.",
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


def within(largest: float, count: int) -> Verdict:
    """Judge that no difference is seen, from the largest of so many in standard errors.

    Between the limit by their number and the target it is undecided, whichever is larger.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1995.words.judgements import within
    >>> [str(within(z, 12)) for z in (2.0, 3.0, 3.5)]
    ['Stands', 'Undecided', 'Does not stand']
    >>> [str(within(z, 672)) for z in (3.0, 3.5, 4.0)]
    ['Stands', 'Undecided', 'Does not stand']
    """
    lower, upper = sorted((most_by_chance(count), WITHIN))
    if largest > upper:
        return Verdict.FAILS
    return Verdict.STANDS if largest <= lower else Verdict.UNDECIDED


def largest_of(largest: float, count: int) -> str:
    """Write the largest of so many differences beside its limit and the target.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1995.words.judgements import largest_of
    >>> largest_of(2.0, 12)
    'the largest of 12 differences is 2 standard errors; the limit is 2.87, the target 3.3'
    """
    limits = f"the limit is {most_by_chance(count):.2f}, the target {WITHIN:g}"
    return f"the largest of {count} differences is {largest:.3g} standard errors; {limits}"


def as_ratios(found: Mapping[str, Estimate], among: int = 0) -> str:
    """Write logarithms as ratios with the intervals that are judged.

    Parameters
    ----------
    found : mapping of str to Estimate
        Those that are written.
    among : int
        How many are judged, if more than are written.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1995.words.judgements import as_ratios
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> as_ratios({"windows": Estimate(0.0, 0.1)})
    'windows: 1 (0.822 to 1.22)'
    """
    said = []
    for name, one in found.items():
        low, high = np.exp(one.interval(among or len(found)))
        said.append(f"{name}: {np.exp(one.value):.3g} ({low:.3g} to {high:.3g})")
    return "; ".join(said)

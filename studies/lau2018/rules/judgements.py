"""Rules that judge claims on test errors by differences and their intervals.

Every rule can say that a claim stands, that it does not, and that it is undecided. Intervals hold
with 95% for all differences of a claim at once.
"""

from collections.abc import Iterable, Mapping

from ...reproduction.estimates import Estimate
from ...reproduction.verdicts import Verdict, together
from ..numbers.estimates import Compared

MARGIN = 2.0  # points of test error: ten of 500 test cases
KEPT = 1e-4  # change of a variance of 1 that counts as none
Found = Mapping[str, Compared]


def equal(found: Found, margin: float = MARGIN, among: int = 0) -> Verdict:
    """Judge a claim that rows err equally often.

    It stands if every interval lies inside the margin on both sides of zero, fails if one lies
    outside as a whole, and is undecided otherwise: that nothing is significant shows nothing.

    Parameters
    ----------
    found : mapping of str to Compared
        The differences.
    margin : float
        Differences below it count as none, in points.
    among : int
        How many differences there were to choose these from, if more than are given.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.numbers.estimates import Compared
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> from pymc_bnn.studies.lau2018.rules.judgements import equal
    >>> [str(equal({"a": Compared(Estimate(0.5, error))})) for error in (0.5, 1.0)]
    ['Stands', 'Undecided']
    """

    def one(ours: Estimate) -> Verdict:
        low, high = ours.interval(max(among, len(found)))
        if -margin < low and high < margin:
            return Verdict.STANDS
        return Verdict.FAILS if low > margin or high < -margin else Verdict.UNDECIDED

    return together(one(difference.ours) for difference in found.values())


def keeps(changes: Iterable[float], errors: Iterable[float]) -> Verdict:
    """Judge a claim that an update leaves a variance of 1 as it is, by integrals.

    It stands if every change is certainly below 0.0001, fails if one is certainly above.

    Parameters
    ----------
    changes, errors : iterable of float
        Changes of the variance, and how far each is known.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.rules.judgements import keeps
    >>> [str(keeps([1e-9, change], [1e-12, 5e-5])) for change in (4e-5, -2e-4, 1e-4)]
    ['Stands', 'Does not stand', 'Undecided']
    """

    def one(change: float, error: float) -> Verdict:
        if abs(change) + error < KEPT:
            return Verdict.STANDS
        return Verdict.FAILS if abs(change) - error > KEPT else Verdict.UNDECIDED

    return together(one(*pair) for pair in zip(changes, errors, strict=True))


def differ(found: Found, margin: float = MARGIN, among: int = 0) -> Verdict:
    """Judge a claim that errors are not the same: the opposite of :func:`equal`."""
    return equal(found, margin, among).turned()


def more(found: Found) -> Verdict:
    """Judge a claim that all first rows err more than the second ones, by however little.

    It stands if all intervals lie above zero, fails if one lies below, and is undecided otherwise.
    """

    def one(ours: Estimate) -> Verdict:
        low, high = ours.interval(len(found))
        if low > 0:
            return Verdict.STANDS
        return Verdict.FAILS if high < 0 else Verdict.UNDECIDED

    return together(one(difference.ours) for difference in found.values())


def below(value: Estimate, most: float) -> Verdict:
    """Judge a claim that a number is at most a target, by its interval.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.rules.judgements import below
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> [str(below(Estimate(4.0, error), 6.0)) for error in (0.5, 2.0)]
    ['Stands', 'Undecided']
    """
    low, high = value.interval()
    if high < most:
        return Verdict.STANDS
    return Verdict.FAILS if low > most else Verdict.UNDECIDED


def as_large(difference: Compared, among: int = 1) -> Verdict:
    """Judge whether a difference is as large as the thesis's, with its sign.

    It fails if it is clearly smaller than that, or clearly of the other sign: if the interval of
    ours less the thesis's, which has the errors of both, does not reach zero. It stands if it is
    clearly of the sign and not clearly smaller, and is undecided otherwise.

    Parameters
    ----------
    difference : Compared
        Ours and the thesis's.
    among : int
        How many differences the claim is about.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.numbers.estimates import Compared
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> from pymc_bnn.studies.lau2018.rules.judgements import as_large
    >>> str(as_large(Compared(Estimate(2.2, 0.9), Estimate(47.6, 2.8))))
    'Does not stand'
    """
    if difference.theirs is None:
        return Verdict.UNDECIDED
    ours, theirs = difference if difference.theirs.value >= 0 else difference.turned()
    assert theirs is not None
    low, high = ours.interval(among)
    if ours.minus(theirs).interval(among)[1] < 0 or high < 0:
        return Verdict.FAILS
    return Verdict.STANDS if low > 0 else Verdict.UNDECIDED


def all_as_large(found: Found) -> Verdict:
    """Judge a claim that all differences are as large as the thesis's, by :func:`as_large`."""
    return together(as_large(difference, len(found)) for difference in found.values())


def not_best(found: Found) -> Verdict:
    """Judge a claim that a choice does not err least.

    It stands if another row clearly errs less, fails if all others clearly err more, and is
    undecided otherwise.

    Parameters
    ----------
    found : mapping of str to Compared
        Errors of the others less that of the choice.
    """
    intervals = [difference.ours.interval(len(found)) for difference in found.values()]
    if any(high < 0 for _, high in intervals):
        return Verdict.STANDS
    if intervals and all(low > 0 for low, _ in intervals):
        return Verdict.FAILS
    return Verdict.UNDECIDED


def says(found: Found, among: int = 0) -> str:
    """Write differences with their standard errors and the intervals that are judged.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.numbers.estimates import Compared
    >>> from pymc_bnn.studies.reproduction.estimates import Estimate
    >>> from pymc_bnn.studies.lau2018.rules.judgements import says
    >>> says({"a": Compared(Estimate(1.2, 0.5))})
    'a: +1.2 ± 0.5 (+0.2 to +2.2) points'
    """
    count = max(among, len(found))
    each = []
    for name, (ours, _) in found.items():
        low, high = ours.interval(count)
        mark = "" if ours.paired else ", unpaired"
        each.append(
            f"{name}: {ours.value:+.1f} ± {ours.error:.1f} ({low:+.1f} to {high:+.1f}) points{mark}"
        )
    return "; ".join(each)


OF_SIZE = {Verdict.STANDS: "borne out", Verdict.FAILS: "refuted", Verdict.UNDECIDED: "possible"}


def size_words(found: Found) -> dict[str, str]:
    """Whether each of ours is as large as the thesis's, in words, where it has one."""
    return {
        name: OF_SIZE[as_large(one, len(found))]
        for name, one in found.items()
        if one.theirs is not None
    }


def says_size(found: Found) -> str:
    """Write the thesis's differences, and whether ours are as large."""
    words = size_words(found)
    each = [
        f"{name}: {theirs.value:+.1f}, {words[name]}"
        for name, (_, theirs) in found.items()
        if theirs is not None
    ]
    return f"The thesis has {'; '.join(each)}" if each else ""

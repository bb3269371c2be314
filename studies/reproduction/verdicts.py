"""What can become of a claim."""

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """Whether a claim stands, does not, or cannot be judged by the numbers that there are."""

    STANDS = "Stands"
    FAILS = "Does not stand"
    UNDECIDED = "Undecided"

    def turned(self) -> "Verdict":
        """Verdict about the opposite."""
        opposite = {Verdict.STANDS: Verdict.FAILS, Verdict.FAILS: Verdict.STANDS}
        return opposite.get(self, Verdict.UNDECIDED)


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """Judge a claim that several things hold at once.

    It fails if one of them fails, stands if all of them stand, and is undecided otherwise, as it
    is where there is nothing to judge.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.verdicts import Verdict, together
    >>> str(together([Verdict.STANDS, Verdict.UNDECIDED]))
    'Undecided'
    """
    every = set(verdicts)
    if Verdict.FAILS in every:
        return Verdict.FAILS
    return Verdict.STANDS if every == {Verdict.STANDS} else Verdict.UNDECIDED

"""What one difference of test errors says, ours and the thesis's."""

from typing import NamedTuple

from ...reproduction.estimates import Estimate


class Compared(NamedTuple):
    """A difference of test errors, ours and the thesis's.

    Attributes
    ----------
    ours : Estimate
        First row less second one.
    theirs : Estimate or None
        The same of the thesis, with the error that 500 test cases give; None where it has none.
    """

    ours: Estimate
    theirs: Estimate | None = None

    def turned(self) -> "Compared":
        """The same, second row less first one."""
        return Compared(-self.ours, None if self.theirs is None else -self.theirs)

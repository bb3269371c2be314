"""Claims with their verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass

from .verdicts import Verdict

NO_RESULTS = "No results to judge yet."
ANCHOR = "#how-claims-are-judged"


@dataclass(frozen=True)
class Claim:
    """A claim with what became of it.

    Parameters
    ----------
    text : str
        What is claimed, without the full stop.
    verdict : Verdict
        What the rule says.
    evidence : str
        The numbers that it says so from.
    rule : str
        Which rule, of those on the page.
    """

    text: str
    verdict: Verdict
    evidence: str
    rule: str

    def write(self) -> str:
        """Write the claim as an item of a list.

        Examples
        --------
        >>> from pymc_bnn.studies.reproduction.claims import Claim
        >>> from pymc_bnn.studies.reproduction.verdicts import Verdict
        >>> Claim("They differ", Verdict.UNDECIDED, "a: 1", "differ").write()
        '- They differ. **Undecided.** a: 1. ([differ](#how-claims-are-judged))'
        """
        evidence = f" {self.evidence}." if self.evidence else ""
        return f"- {self.text}. **{self.verdict}.**{evidence} ([{self.rule}]({ANCHOR}))"


def write(claims: Sequence[Claim], more: str = "") -> str:
    """Write claims as a list, and what is to be said besides."""
    if not claims:
        return NO_RESULTS
    text = "\n".join(claim.write() for claim in claims)
    return f"{text}\n\n{more}" if more else text

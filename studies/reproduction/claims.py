"""Claims with their verdicts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..pages.kept_tables import Tables
from ..pages.sections import Section
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
        return f"- {self.text}. **{self.verdict}.**{evidence} {to_rule(self.rule)}"


def to_rule(name: str) -> str:
    """Link from a verdict to its rule.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.claims import to_rule
    >>> to_rule("differ")
    '([differ](#how-claims-are-judged))'
    """
    return f"([{name}]({ANCHOR}))"


def write(claims: Sequence[Claim], more: str = "") -> str:
    """Write claims as a list, and what is to be said besides."""
    if not claims:
        return NO_RESULTS
    text = "\n".join(claim.write() for claim in claims)
    return f"{text}\n\n{more}" if more else text


def count_verdicts(tables: Tables, parts: Mapping[str, Sequence[Section]]) -> list[str]:
    """Count the verdicts that sections say.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        All tables of the page that are there.
    parts : mapping of str to sequence of Section
        Sections, by whose or which claims they judge.

    Returns
    -------
    list of str
        A sentence for each part that has claims.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.pages.sections import Section
    >>> from pymc_bnn.studies.reproduction.claims import count_verdicts
    >>> section = Section("Speed", "By width.", "speed", lambda tables: "- Fast. **Stands.** 1 s.")
    >>> tables = {"speed": pd.DataFrame({"s": [1.0]})}
    >>> count_verdicts(tables, {"of the thesis": [section], "of others": []})
    ['Of the 1 claims of the thesis, stands: 1, does not stand: 0, undecided: 0.']
    """
    lines = []
    for which, sections in parts.items():
        said = [section.conclude(tables) for section in sections]
        counts = Counter({v: sum(text.count(f"**{v}.**") for text in said) for v in Verdict})
        if counts.total():
            each = ", ".join(f"{str(v).lower()}: {counts[v]}" for v in Verdict)
            lines.append(f"Of the {counts.total()} claims {which}, {each}.")
    return lines

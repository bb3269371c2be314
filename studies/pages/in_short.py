"""How a page begins: what was found, in five sentences and one picture, then the rest."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .kept_tables import Tables
from .sections import Section

TITLE, REST = "What was found", "And besides:"
FIRST = 5  # answers before the picture
CLAIM = re.compile(r"\. \*\*(Stands|Does not stand|Undecided)\.\*\* ?(.*?)\.? \(\[.*?\]\(.*?\)\)$")
YES_OR_NO = {"Stands": "Yes", "Does not stand": "No", "Undecided": "Undecided"}


@dataclass(frozen=True)
class Answer:
    """A question that a page answers, by a line that a section says.

    Parameters
    ----------
    question : str
        The question, with its mark.
    section : str
        Title of the section.
    begins : str
        How the line begins that answers it: a claim with its verdict, or words before a colon.
    numbers : bool
        Whether the numbers of a claim are given with its verdict.
    """

    question: str
    section: str
    begins: str
    numbers: bool = True

    def write(self, said: str) -> str:
        """Write question and answer as an item of a list.

        Parameters
        ----------
        said : str
            What the section says.

        Returns
        -------
        str
            Empty if no line begins so.

        Examples
        --------
        >>> from pymc_bnn.studies.pages.in_short import Answer
        >>> said = "- It is fast. **Undecided.** 2 ± 1 s. ([less](#how))"
        >>> Answer("Is it fast?", "Speed (1)", "It is").write(said)
        '- Is it fast? **Undecided:** 2 ± 1 s. ([Speed (1)](#speed-1))'
        """
        for line in said.splitlines():
            rest = line.removeprefix("- ")
            if rest.startswith(self.begins):
                link = f"[{self.section}](#{anchor(self.section)})"
                return f"- {self.question} {self._answer(rest)} ({link})"
        return ""

    def _answer(self, line: str) -> str:
        claim = CLAIM.search(line)
        if claim is None:
            rest = line.removeprefix(self.begins).lstrip(": ")
            return f"{rest[0].upper()}{rest[1:]}"
        verdict, evidence = YES_OR_NO[claim[1]], claim[2]
        return f"**{verdict}:** {evidence}." if self.numbers and evidence else f"**{verdict}.**"


@dataclass(frozen=True)
class InShort:
    """What stands at the head of a page.

    Parameters
    ----------
    answers : tuple of Answer
        What matters most first: of those that are answered, five stand before the picture and the
        rest after it.
    picture : str
        Name of a picture of the page.
    """

    answers: tuple[Answer, ...]
    picture: str

    def check(self, sections: Iterable[Section]) -> None:
        """Refuse a section or a picture that a page lacks.

        Raises
        ------
        ValueError
            It names what is not there.
        """
        sections = list(sections)
        known = {section.title for section in sections if section.words is not None}
        shown = {p.name for section in sections for p in (*section.pictures, *section.plots)}
        for section in (answer.section for answer in self.answers):
            if section not in known:
                raise ValueError(f"in_short: no section {section!r} has words; name one that has.")
        if self.picture not in shown:
            raise ValueError(f"in_short: the page has no picture {self.picture!r}; name one.")

    def write(self, sections: Iterable[Section], tables: Tables, figures: Mapping[str, str]) -> str:
        """Write it; empty where nothing is answered.

        Parameters
        ----------
        sections : iterable of Section
            Those of the page.
        tables : mapping of str to DataFrame
            All tables of the page that are there.
        figures : mapping of str to str
            Pictures that are there, as the page shows them.
        """
        said = {section.title: section.conclude(tables) for section in sections}
        written = [answer.write(said[answer.section]) for answer in self.answers]
        answers = [answer for answer in written if answer]
        if not answers:
            return ""
        figure, rest = figures.get(self.picture, ""), answers[FIRST:]
        parts = [f"## {TITLE}", "\n".join(answers[:FIRST]), *filter(None, [figure])]
        parts += [REST, "\n".join(rest)] if rest else []
        return "\n\n".join(parts) + "\n"


def anchor(title: str) -> str:
    """Name by which a heading is linked to.

    Examples
    --------
    >>> from pymc_bnn.studies.pages.in_short import anchor
    >>> anchor("Errors of M(3*) against temperature (Fig. 4)")
    'errors-of-m3-against-temperature-fig-4'
    """
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")

"""What stands at the head of the page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...pages.in_short import Answer, InShort
from ...pages.kept_tables import Tables
from ...pages.sections import Section
from ..design.budgets import BUDGETS
from ..design.starts import INSIDE, OUTSIDE
from ..figures.pictures import SHARES, WIDTH_OF_ALL

MANY = BUDGETS["desk"].times * (OUTSIDE + INSIDE)
# while there are master runs alone
OF_MASTERS = InShort(
    (
        Answer(
            "Are the rejection rates of the long runs by the old method those of the thesis?",
            "Master runs",
            "",
        ),
        Answer(
            "Do those runs spend as much of their time in the region of large scales as the "
            "thesis's?",
            "Share of the region G",
            "Plain master runs and the thesis",
        ),
        Answer(
            "Does that share depend on the width?",
            "Share of the region G",
            "Plain master runs of all widths",
        ),
        Answer(
            "How many trajectories are worth one independent draw, beside the thesis's?",
            "Inefficiency",
            "The plain runs' factors are",
        ),
        Answer("How long are the runs?", "Here and in the thesis", "Plain master runs are"),
    ),
    SHARES.name,
)


@dataclass(frozen=True)
class Shortest(InShort):
    """What stands at the head of a page, or other answers where methods were not compared.

    Parameters
    ----------
    answers, picture
        As of ``InShort``.
    before : InShort
        What stands there before methods are compared.
    """

    before: InShort

    def check(self, sections: Iterable[Section]) -> None:
        """Refuse a section or a picture that a page lacks."""
        known = list(sections)
        super().check(known)
        self.before.check(known)

    def write(self, sections: Iterable[Section], tables: Tables, figures: Mapping[str, str]) -> str:
        """Write it; empty where nothing is answered."""
        if "geometric_means" in tables:
            return super().write(sections, tables, figures)
        return self.before.write(sections, tables, figures)


IN_SHORT = Shortest(
    (
        Answer(
            "Are geometric means of variances of means those of the thesis, for all its methods?",
            "Geometric mean",
            "All methods",
        ),
        Answer(
            "Where do precisions that move together with the weights (Dynamical B) explore better "
            "than Gibbs draws, where the ratio of variances is below 1?",
            "Pairwise ratios",
            "Dynamical B / Gibbs",
        ),
        Answer(
            "Does the variance of Gibbs's means grow with width?",
            "Growth with width",
            f"Gibbs, start states interweaved, {MANY} of them",
        ),
        Answer(
            "What does interweaving with the last layer integrated out leave of that variance?",
            "The gain of interweaving",
            "Collapsed Gibbs",
        ),
        Answer(
            "Do split trajectories without tethers stay flat as they become longer, where the "
            "ratio of rejections is to be at most 1.3?",
            "Split samplers that stay flat",
            "Dynamical A, as Dynamical A",
        ),
    ),
    WIDTH_OF_ALL.name,
    OF_MASTERS,
)

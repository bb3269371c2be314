"""Rules that claims are judged by; each can say yes, no and undecided."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from ..reproduction.estimates import Estimate
from ..reproduction.rules import at_most
from ..reproduction.verdicts import Verdict
from .budgets import FOLDS, LEAST_FOLDS
from .ordinary import TABLES

ONE, TWO = 1.0, 2.0  # standard errors behind
MARGIN = 0.05  # nats, less than which matters little
IN_PLACE, BEHIND, OPEN = "best or within one error", "behind", "between"

RULES = {
    "in place": f"a network is in place on a table if it is the best, or at most {ONE:g} standard "
    f"error behind the best of the others, row by row; it is behind if that is more than {TWO:g}. "
    "Stands if it is in place on so many tables, fails if it could not be even were all that are "
    "between in place. The best of several others is flattered, which is to our disadvantage; a "
    "table with large errors passes more easily, which is to our advantage. So it is also said on "
    f"how many tables it is so *by whole intervals*, which hold with 95% for all {len(TABLES)} at "
    f"once: at most {MARGIN:g} nats behind where the interval lies above minus that, behind where "
    "it lies below zero. These numbers do not change the verdict.",
    "better": "a table counts if the whole interval of the difference, row by row, lies above "
    "zero, and speaks against it if it lies below; intervals hold with 95% for all "
    f"{len(TABLES)} tables at once. Stands if more than half of the tables count, fails if they "
    "could not even were all that are between to count.",
    "usable": "draws of a fold are usable if they are called converged, nearly so, or their "
    "predictions stable. A table counts if those of all folds are, and does not if those of half "
    "of them are not. Stands and fails as above.",
    "no slower": "seconds of a fold, as a ratio, of which the geometric mean over tables is taken. "
    "Stands if its interval, by Student's t for the mean of logarithms, ends below 1, fails if it "
    "begins above.",
}


def how() -> str:
    """Say how claims are judged."""
    lines = [
        "A verdict follows from a rule on the numbers of these tables; what a rule does not say "
        f"stands or fails is **undecided**, and so is all of which not all {len(TABLES)} tables "
        f"and at least {LEAST_FOLDS} of {FOLDS} folds have been run. The rules say that\n",
        *(f"- *{name}*: {text}" for name, text in RULES.items()),
    ]
    return "\n".join(lines)


def place(ahead: float, error: float) -> str:
    """Say where a network stands that is so much ahead of the best of the others.

    Examples
    --------
    >>> from pymc_bnn.studies.peers.judgements import place
    >>> [place(ahead, 0.1) for ahead in (0.5, -0.05, -0.15, -0.3)]
    ['best or within one error', 'best or within one error', 'between', 'behind']
    """
    if ahead >= -ONE * error:
        return IN_PLACE
    return BEHIND if ahead < -TWO * error else OPEN


def shown(ahead: float, error: float, margin: float = 0.0) -> Verdict:
    """Judge that a network is at most so much behind on a table, one of all that are looked at.

    Examples
    --------
    >>> from pymc_bnn.studies.peers.judgements import shown
    >>> [str(shown(ahead, 0.1)) for ahead in (0.28, 0.27, -0.27, -0.28)]
    ['Stands', 'Undecided', 'Undecided', 'Does not stand']
    """
    return at_most(Estimate(-ahead, error), margin, len(TABLES))


def counted(yes: int, no: int, of: int, wanted: int) -> Verdict:
    """Judge that at least so many of all are a yes.

    Examples
    --------
    >>> from pymc_bnn.studies.peers.judgements import counted
    >>> [str(counted(*c, of=8, wanted=6)) for c in ((6, 2), (5, 3), (5, 2))]
    ['Stands', 'Does not stand', 'Undecided']
    """
    if yes >= wanted:
        return Verdict.STANDS
    return Verdict.FAILS if of - no < wanted else Verdict.UNDECIDED


def complete(folds: Iterable[int]) -> bool:
    """Whether all tables and enough folds have been run."""
    found = list(folds)
    return len(found) == len(TABLES) and min(found) >= LEAST_FOLDS


def no_slower(table: pd.DataFrame) -> tuple[Verdict, str]:
    """Judge ratios of seconds, one for each table, and give their mean with its interval."""
    logs = np.log(table["times"].to_numpy(float))
    if len(logs) < len(TABLES):
        return Verdict.UNDECIDED, f"{len(logs)} of {len(TABLES)} tables"
    error = float(logs.std(ddof=1) / np.sqrt(len(logs)))
    found = Estimate(float(logs.mean()), error, len(logs) - 1)
    low, high = np.exp(found.interval())
    evidence = f"{np.exp(found.value):.3g} times as long ({low:.3g} to {high:.3g})"
    return at_most(found, 0.0), evidence

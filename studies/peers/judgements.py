"""Rules that claims are judged by; each can say yes, no and undecided."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from ..reproduction.estimates import Estimate
from ..reproduction.rules import at_most, says
from ..reproduction.verdicts import Verdict
from .budgets import FOLDS, LEAST_FOLDS
from .ordinary import TABLES

ONE, TWO = 1.0, 2.0  # standard errors behind
IN_PLACE, BEHIND, OPEN = "best or within one error", "behind", "between"

RULES = {
    "in place": f"a network is in place on a table if it is the best, or at most {ONE:g} standard "
    f"error behind the best of the others, row by row; it is behind if that is more than {TWO:g}. "
    "Stands if it is in place on so many tables, fails if it could not be even were all that are "
    "between in place. The best of several others is flattered, which is to our disadvantage.",
    "better": f"a difference of more than {TWO:g} standard errors, row by row, makes a table one "
    "that counts, or one that speaks against it. Stands if more than half of the tables count, "
    "fails if they could not even were all that are between to count.",
    "usable": "draws of a fold are usable if they are called converged, nearly so, or their "
    "predictions stable. A table counts if those of all folds are, and does not if those of half "
    "of them are not. Stands and fails as above.",
    "no slower": "seconds of a fold, as a ratio, whose logarithms are averaged. Stands if the "
    "interval of the mean over tables, by Student's t, ends below 1, fails if it begins above.",
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
    return at_most(found, 0.0), says({"logarithm of the ratio": found})

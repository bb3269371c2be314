"""What chapter 6 of the thesis says of rejections, each statement beside our numbers."""

import numpy as np
import pandas as pd

from ...chains.bootstrap import Interval
from ..design.starts import OUTSIDE
from ..numbers.at_once import limit, widened
from ..numbers.beside import FLAT, GROWTHS, log_error
from ..numbers.judged import GROWTH
from ..runs.rejections import FEWER, LONGEST, TO_LONGEST
from .judgements import larger, smaller

# flat is a rejection rate after 2000 leapfrog steps that is at most GROWTH times that after 50
ALONE = (
    ("6.2", "Gibbs", "rejections of Gibbs hardly depend on the length of trajectories", smaller),
    ("6.2", "Dynamical A", "those of A are fairly flat", smaller),
    ("6.2", "Dynamical B", "those of B rise significantly", larger),
    ("6.7", "precisions in 100", "with a fine splitting they still rise", larger),
)
STEEPER = (
    ("6.2", "Dynamical B", "Dynamical A", "those of B rise more than those of A"),
    ("6.2", "Dynamical B", "Gibbs", "those of B rise more than those of Gibbs"),
)
LOWER = (
    ("6.5", "not split", "precisions in 2", "splitting B's updates of precisions lowers them"),
    ("6.6", "0.32, equal", "0.32, 1/100", "a small factor of precisions helps B, at 0.32"),
    ("6.6", "0.64, equal", "0.64, 1/100", "a small factor of precisions helps B, at 0.64"),
    ("6.7", "not split", "precisions in 100", "a fine splitting of precisions helps B"),
)
SAME = (("6.5", "not split", "weights in 2", "splitting B's updates of weights changes nothing"),)
STATED = (*ALONE, *STEEPER, *LOWER, *SAME)
# whose intervals hold at once: some are made of the longest trajectories as well
STATEMENTS = len(STATED) + sum(stated[0] in TO_LONGEST for stated in STATED)
LATER = (
    f"\nTrajectories of {LONGEST} steps, as long as the thesis's, were added after those of "
    f"{FLAT} had been seen; there are {FEWER} times fewer of them."
)
ANSWERS = {"yes": "confirmed", "no": "refuted", "undecided": "undecided"}


def chapter_6(table: pd.DataFrame) -> str:
    """Check what chapter 6 says of the curves.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words.chapter_6 import chapter_6
    >>> row = {"figure": "6.2", "sampler": "Dynamical A", "at 50": 0.1, "at 2000": 0.3}
    >>> chapter_6(pd.DataFrame([row | {"growth": 3.0, "low": 2.5, "high": 3.6}]))[:47]
    '- Those of A are fairly flat (6.2): refuted, 3.'
    """
    lines = []
    for at in GROWTHS:
        if f"at {at}" in table:
            known = table.dropna(subset=[f"at {at}"]).set_index(["figure", "sampler"])
            lines += _lines(known, at)
    if f"at {LONGEST}" in table and table[f"at {LONGEST}"].notna().any():
        lines.append(LATER)
    return "\n".join(lines) or "No results to compare yet."


def _lines(known: pd.DataFrame, at: int) -> list[str]:
    """What is said of trajectories of one length."""
    lines = []
    for figure, name, claim, judge in ALONE:
        if (figure, name) in known.index:
            row = known.loc[(figure, name)]
            found = growth(row, at)
            shown = f"{_shown(found)} times as many {_after(at)} as after 50, {row['at 50']:.3f}"
            lines.append(_line(claim, figure, judge(found, GROWTH), shown))
    for claims, judge_pair in ((STEEPER, steeper), (LOWER, lower), (SAME, same)):
        for figure, first, second, claim in claims:
            if (figure, first) in known.index and (figure, second) in known.index:
                pair = known.loc[(figure, first)], known.loc[(figure, second)]
                lines.append(_line(claim, figure, *judge_pair(*pair, at)))
    return lines


def _after(at: int) -> str:
    return f"after {at} leapfrog steps"


def _line(claim: str, figure: str, answer: str, shown: str) -> str:
    return f"- {claim[0].upper()}{claim[1:]} ({figure}): {ANSWERS[answer]}, {shown}."


def _shown(found: Interval) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


def _against(first: pd.Series, second: pd.Series, at: int) -> str:
    return f"{first[f'at {at}']:.3f} against {second[f'at {at}']:.3f} {_after(at)}"


def growth(row: pd.Series, at: int = FLAT) -> Interval:
    """Growth of a rejection rate, with an interval that holds for all statements at once."""
    grown, *names = GROWTHS[at]
    value = float(row[grown])
    ends = (float(widened(value, row[end], STATEMENTS)) for end in names)
    return Interval(value, *ends)


def steeper(first: pd.Series, second: pd.Series, at: int = FLAT) -> tuple[str, str]:
    """Say whether the first sampler's rejections grow by a larger factor with the length.

    A rate that leaves less than one of the start states outside G to be accepted can hardly grow
    any further: that it grows less than another follows from nothing then, and is undecided.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words.chapter_6 import steeper
    >>> grown = {g: {"growth": g, "low": 0.9 * g, "high": g / 0.9} for g in (1.2, 1.3, 3.0)}
    >>> rows = [pd.Series(grown[g] | {"at 2000": 0.2 * g}) for g in grown]
    >>> [steeper(rows[i], rows[0])[0] for i in (1, 2)], steeper(rows[0], rows[2])[0]
    (['undecided', 'yes'], 'no')
    >>> steeper(pd.Series(grown[1.2] | {"at 2000": 1.0}), rows[2])[0]
    'undecided'
    """
    grown, low, high = GROWTHS[at]
    errors = [log_error(row[low], row[high]) for row in (first, second)]
    found = _ratio(first[grown] / second[grown], errors)
    both = f"{first[grown]:.2f} against {second[grown]:.2f} times as many {_after(at)} as after 50"
    answer, shown = larger(found), f"{both}, {_shown(found)} times the growth"
    slower = {"no": first, "yes": second}.get(answer)
    if slower is not None and OUTSIDE * (1 - (rate := slower[f"at {at}"])) < 1:
        return "undecided", f"{shown}, where a rate of {rate:.3f} can grow no further"
    return answer, shown


def _ratio(value: float, log_errors: list[float]) -> Interval:
    spread = float(np.exp(limit(STATEMENTS) * np.linalg.norm(log_errors)))
    return Interval(float(value), float(value / spread), float(value * spread))


def lower(first: pd.Series, second: pd.Series, at: int = FLAT) -> tuple[str, str]:
    """Say whether the second sampler has fewer rejections after so many leapfrog steps.

    The distances from both rates to the ends of their intervals add up as errors do (Newcombe
    1998), as an interval near 1 has sides of different lengths.
    """
    rates = first[f"at {at}"], second[f"at {at}"]
    value = rates[0] - rates[1]
    (low, high), (its_low, its_high) = of_rate(first, at), of_rate(second, at)
    below = float(np.hypot(rates[0] - low, its_high - rates[1]))
    above = float(np.hypot(high - rates[0], rates[1] - its_low))
    found = Interval(float(value), float(value - below), float(value + above))
    shown = f"{_against(first, second, at)}, a difference of {_difference(found)}"
    return larger(found, 0.0), shown


def _difference(found: Interval) -> str:
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"


def of_rate(row: pd.Series, at: int = FLAT) -> tuple[float, float]:
    """Interval of a rejection rate after so many leapfrog steps.

    A bootstrap of start states that are nearly all alike has hardly any error: one that differs
    may be missing. Where the rate leaves less than one of those outside G to differ, the interval
    is at least Wilson's (1927), as if each were all rejected or all accepted.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words.chapter_6 import of_rate
    >>> low, high = of_rate(pd.Series({"at 2000": 1.0, "error at 2000": 0.0}))
    >>> round(low, 2), round(high, 2)
    (0.82, 1.0)
    """
    rate, z = float(row[f"at {at}"]), float(limit(STATEMENTS))
    low, high = rate - z * row[f"error at {at}"], rate + z * row[f"error at {at}"]
    if OUTSIDE * min(rate, 1 - rate) >= 1:
        return low, high
    part = z**2 / OUTSIDE
    middle = (rate + part / 2) / (1 + part)
    half = z * np.sqrt(rate * (1 - rate) / OUTSIDE + part / OUTSIDE / 4) / (1 + part)
    return float(min(low, middle - half)), float(max(high, middle + half))


def same(first: pd.Series, second: pd.Series, at: int = FLAT) -> tuple[str, str]:
    """Say whether two samplers reject alike: within the factor that also counts as flat.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words.chapter_6 import same
    >>> rows = [pd.Series({"at 2000": rate, "error at 2000": 0.002}) for rate in (0.1, 0.11, 0.3)]
    >>> same(rows[0], rows[1])[0], same(rows[0], rows[2])[0]
    ('yes', 'no')
    """
    errors = [row[f"error at {at}"] / row[f"at {at}"] for row in (first, second)]
    found = _ratio(second[f"at {at}"] / first[f"at {at}"], errors)
    answer = smaller(found, GROWTH)
    answer = larger(found, 1 / GROWTH) if answer == "yes" else answer
    return answer, f"{_against(first, second, at)}, {_shown(found)} times the first rate"

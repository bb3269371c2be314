"""What chapter 6 of the thesis says of rejections, each statement beside our numbers."""

import numpy as np
import pandas as pd

from ...chains.bootstrap import Interval
from ..design.starts import OUTSIDE
from ..numbers.at_once import limit, widened
from ..numbers.beside import log_error
from ..numbers.judged import GROWTH
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
STATEMENTS = len(ALONE) + len(STEEPER) + len(LOWER) + len(SAME)  # whose intervals hold at once
ANSWERS = {"yes": "confirmed", "no": "refuted", "undecided": "undecided"}
AFTER = "after 2000 leapfrog steps"


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
    known = table.set_index(["figure", "sampler"])
    lines = []
    for figure, name, claim, judge in ALONE:
        if (figure, name) in known.index:
            row = known.loc[(figure, name)]
            found = growth(row)
            shown = f"{_shown(found)} times as many {AFTER} as after 50, {row['at 50']:.3f}"
            lines.append(_line(claim, figure, judge(found, GROWTH), shown))
    for claims, judge_pair in ((STEEPER, steeper), (LOWER, lower), (SAME, same)):
        for figure, first, second, claim in claims:
            if (figure, first) in known.index and (figure, second) in known.index:
                answer, shown = judge_pair(known.loc[(figure, first)], known.loc[(figure, second)])
                lines.append(_line(claim, figure, answer, shown))
    return "\n".join(lines) or "No results to compare yet."


def _line(claim: str, figure: str, answer: str, shown: str) -> str:
    return f"- {claim[0].upper()}{claim[1:]} ({figure}): {ANSWERS[answer]}, {shown}."


def _shown(found: Interval) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


def _against(first: pd.Series, second: pd.Series) -> str:
    return f"{first['at 2000']:.3f} against {second['at 2000']:.3f} {AFTER}"


def growth(row: pd.Series) -> Interval:
    """Growth of a rejection rate, with an interval that holds for all statements at once."""
    value = float(row["growth"])
    ends = (float(widened(value, row[end], STATEMENTS)) for end in ("low", "high"))
    return Interval(value, *ends)


def steeper(first: pd.Series, second: pd.Series) -> tuple[str, str]:
    """Say whether the first sampler's rejections grow by a larger factor with the length.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words.chapter_6 import steeper
    >>> rows = [pd.Series({"growth": g, "low": 0.9 * g, "high": g / 0.9}) for g in (1.2, 1.3, 3.0)]
    >>> [steeper(rows[i], rows[0])[0] for i in (1, 2)], steeper(rows[0], rows[2])[0]
    (['undecided', 'yes'], 'no')
    """
    errors = [log_error(row["low"], row["high"]) for row in (first, second)]
    found = _ratio(first["growth"] / second["growth"], errors)
    both = f"{first['growth']:.2f} against {second['growth']:.2f} times as many {AFTER} as after 50"
    return larger(found), f"{both}, {_shown(found)} times the growth"


def _ratio(value: float, log_errors: list[float]) -> Interval:
    spread = float(np.exp(limit(STATEMENTS) * np.linalg.norm(log_errors)))
    return Interval(float(value), float(value / spread), float(value * spread))


def lower(first: pd.Series, second: pd.Series) -> tuple[str, str]:
    """Say whether the second sampler has fewer rejections after 2000 leapfrog steps.

    The distances from both rates to the ends of their intervals add up as errors do (Newcombe
    1998), as an interval near 1 has sides of different lengths.
    """
    value, rates = first["at 2000"] - second["at 2000"], (first["at 2000"], second["at 2000"])
    (low, high), (its_low, its_high) = of_rate(first), of_rate(second)
    below = float(np.hypot(rates[0] - low, its_high - rates[1]))
    above = float(np.hypot(high - rates[0], rates[1] - its_low))
    found = Interval(float(value), float(value - below), float(value + above))
    return larger(found, 0.0), f"{_against(first, second)}, a difference of {_difference(found)}"


def _difference(found: Interval) -> str:
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"


def of_rate(row: pd.Series) -> tuple[float, float]:
    """Interval of a rejection rate after 2000 leapfrog steps.

    A bootstrap of start states that are nearly all alike has hardly any error: one that differs
    may be missing. Where the rate leaves less than one of those outside G to differ, the interval
    is at least Wilson's (1927), as if each were all rejected or all accepted.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words.chapter_6 import of_rate
    >>> low, high = of_rate(pd.Series({"at 2000": 1.0, "error at 2000": 0.0}))
    >>> round(low, 2), round(high, 2)
    (0.83, 1.0)
    """
    rate, z = float(row["at 2000"]), float(limit(STATEMENTS))
    low, high = rate - z * row["error at 2000"], rate + z * row["error at 2000"]
    if OUTSIDE * min(rate, 1 - rate) >= 1:
        return low, high
    part = z**2 / OUTSIDE
    middle = (rate + part / 2) / (1 + part)
    half = z * np.sqrt(rate * (1 - rate) / OUTSIDE + part / OUTSIDE / 4) / (1 + part)
    return float(min(low, middle - half)), float(max(high, middle + half))


def same(first: pd.Series, second: pd.Series) -> tuple[str, str]:
    """Say whether two samplers reject alike: within the factor that also counts as flat.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words.chapter_6 import same
    >>> rows = [pd.Series({"at 2000": rate, "error at 2000": 0.002}) for rate in (0.1, 0.11, 0.3)]
    >>> same(rows[0], rows[1])[0], same(rows[0], rows[2])[0]
    ('yes', 'no')
    """
    errors = [row["error at 2000"] / row["at 2000"] for row in (first, second)]
    found = _ratio(second["at 2000"] / first["at 2000"], errors)
    answer = smaller(found, GROWTH)
    answer = larger(found, 1 / GROWTH) if answer == "yes" else answer
    return answer, f"{_against(first, second)}, {_shown(found)} times the first rate"

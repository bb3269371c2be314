"""What chapter 6 of the thesis says of rejections, each statement beside our numbers."""

import numpy as np
import pandas as pd

from ...chains.bootstrap import Interval
from ..numbers.beside import NORMAL_90
from ..numbers.judged import GROWTH
from .judgements import CLOSE, larger, smaller

# flat is a rejection rate after 2000 leapfrog steps that is at most GROWTH times that after 50
ALONE = (
    ("6.2", "Gibbs", "rejections of Gibbs hardly depend on the length of trajectories", smaller),
    ("6.2", "Dynamical A", "those of A are fairly flat", smaller),
    ("6.2", "Dynamical B", "those of B rise significantly", larger),
    ("6.7", "precisions in 100", "with a fine splitting they still rise", larger),
)
LOWER = (
    ("6.2", "Dynamical B", "Dynamical A", "those of B rise more than those of A"),
    ("6.2", "Dynamical B", "Gibbs", "those of B rise more than those of Gibbs"),
    ("6.5", "not split", "precisions in 2", "splitting B's updates of precisions lowers them"),
    ("6.6", "0.32, equal", "0.32, 1/100", "a small factor of precisions helps B, at 0.32"),
    ("6.6", "0.64, equal", "0.64, 1/100", "a small factor of precisions helps B, at 0.64"),
    ("6.7", "not split", "precisions in 100", "a fine splitting of precisions helps B"),
)
SAME = (("6.5", "not split", "weights in 2", "splitting B's updates of weights changes nothing"),)
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
    known = table.set_index(["figure", "sampler"])
    lines = []
    for figure, name, claim, judge in ALONE:
        if (figure, name) in known.index:
            row = known.loc[(figure, name)]
            answer = ANSWERS[judge(Interval(row["growth"], row["low"], row["high"]), GROWTH)]
            lines.append(_line(claim, figure, answer, _growth(row)))
    for claims, judge_pair in ((LOWER, lower), (SAME, same)):
        for figure, first, second, claim in claims:
            if (figure, first) in known.index and (figure, second) in known.index:
                pair = known.loc[(figure, first)], known.loc[(figure, second)]
                rates = " against ".join(f"{row['at 2000']:.3f}" for row in pair)
                shown = f"{rates} after 2000 leapfrog steps"
                lines.append(_line(claim, figure, ANSWERS[judge_pair(*pair)], shown))
    return "\n".join(lines) or "No results to compare yet."


def _line(claim: str, figure: str, answer: str, shown: str) -> str:
    return f"- {claim[0].upper()}{claim[1:]} ({figure}): {answer}, {shown}."


def _growth(row: pd.Series) -> str:
    times = f"{row['growth']:.2f} ({row['low']:.2f} to {row['high']:.2f}) times as many"
    return f"{times} after 2000 leapfrog steps as after 50, {row['at 50']:.3f}"


def lower(first: pd.Series, second: pd.Series) -> str:
    """Say whether the second sampler has fewer rejections after 2000 leapfrog steps."""
    difference = first["at 2000"] - second["at 2000"]
    error = np.hypot(first["error at 2000"], second["error at 2000"])
    if abs(difference) <= CLOSE * error:
        return "undecided"
    return "yes" if difference > 0 else "no"


def same(first: pd.Series, second: pd.Series) -> str:
    """Say whether two samplers reject alike: within the factor that also counts as flat.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words.chapter_6 import same
    >>> rows = [pd.Series({"at 2000": rate, "error at 2000": 0.005}) for rate in (0.1, 0.11, 0.3)]
    >>> same(rows[0], rows[1]), same(rows[0], rows[2])
    ('yes', 'no')
    """
    size = abs(float(np.log(second["at 2000"] / first["at 2000"])))
    parts = (row["error at 2000"] / row["at 2000"] for row in (first, second))
    spread, limit = NORMAL_90 * float(np.hypot(*parts)), np.log(GROWTH)
    return smaller(Interval(size, size - spread, size + spread), limit)

"""What is said of numbers that have no table in the thesis: of its sections 5.4.3, 6.1 and 6.2."""

import numpy as np
import pandas as pd

from ...chains.bootstrap import Interval
from ..numbers.at_once import ENDS, limit, widened
from ..numbers.beside import log_error
from ..numbers.data import NOISE, noise
from ..numbers.discussed import IN_G, TO_SLOWED, UP_TO
from ..numbers.judged import intervals
from ..numbers.larger import TIMES
from ..numbers.starts_of_u import over_plain
from .agreements import agreement
from .chapter_6 import ANSWERS
from .differences import FACTORS
from .judgements import larger, smaller

FROM_THERE = (
    "The table compares methods by the variance of these chains' means of 12 draws, the geometric "
    r"mean of those of $\log\sigma_u$ and $\log\sigma_a$: the thesis says that Gibbs and A do "
    "badly from there where B does well (5.4.2), and A above all with 16 hidden units (6.1). "
    "Intervals are 90% of a bootstrap of the start states; statements take those that hold for all "
    "at once.\n"
)
NOTHING = "No results to compare yet."
ONE_STATE = 1.0  # that a run has to keep for a picture to show it


def noise_of(table: pd.DataFrame) -> str:
    """Say whether targets scatter around the surface as the thesis says."""
    sd, error = noise(table)
    same = agreement([sd / NOISE - 1], [error / NOISE])
    return f"- Targets have noise of {sd:.3f}, where the thesis added {NOISE:g}: {same}."


def region_rejections(table: pd.DataFrame) -> str:
    """Say whether trajectories from G are rejected more often, and as often as the thesis says.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words.discussed import region_rejections
    >>> row = {"outside": 0.06, "error outside": 0.002, "inside": 0.12, "error inside": 0.004}
    >>> print(region_rejections(pd.DataFrame([row | {"thesis": 0.12}])).splitlines()[0])
    - More are rejected than elsewhere: confirmed, by 0.060 (0.051 to 0.069).
    """
    row = table.iloc[0]
    more = float(row["inside"] - row["outside"])
    found = _around(more, float(np.hypot(row["error inside"], row["error outside"])), 1)
    error = np.sqrt(2) * row["error inside"] / row["thesis"]
    same = agreement([row["inside"] / row["thesis"] - 1], [error])
    return "\n".join(
        [
            f"- More are rejected than elsewhere: {ANSWERS[larger(found, 0.0)]}, "
            f"by {more:.3f} ({found.low:.3f} to {found.high:.3f}).",
            f"- About {IN_G:.0%} are rejected: {same}.",
        ]
    )


def thesis_settings(table: pd.DataFrame) -> str:
    """Say whether the thesis's best settings have a smaller g than the best others.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words.discussed import thesis_settings
    >>> row = {"method": "Dynamical B", "hidden units": 8, "ratio": 0.5}
    >>> ends = {"low, at once": 0.3, "high, at once": 0.8}
    >>> thesis_settings(pd.DataFrame([row | ends]))
    '- Dynamical B, 8 units: smaller confirmed, 0.50 (0.30 to 0.80) times the best other.'
    """
    lines = []
    for (_, row), found in zip(table.iterrows(), intervals(table, "ratio", *ENDS), strict=True):
        shown = f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
        lines.append(
            f"- {row['method']}, {row['hidden units']} units: smaller "
            f"{ANSWERS[smaller(found)]}, {shown} times the best other."
        )
    return "\n".join(lines) or NOTHING


def _around(value: float, error: float, among: int) -> Interval:
    half = float(limit(among)) * error
    return Interval(value, value - half, value + half)


def slowed(table: pd.DataFrame) -> str:
    """Say whether g is the thesis's, and considerably worse than the best of B."""
    row = table.iloc[0]
    error = np.hypot(1, TO_SLOWED) * log_error(row["low"], row["high"])
    same = agreement([np.log(row["g"] / row["thesis"])], [error], kind=FACTORS)
    lines = [f"- $g$ is {row['thesis']:g}: {same}."]
    if np.isfinite(row["over B's"]):
        value, *ends = (float(row[name]) for name in ("over B's", "its low", "its high"))
        found = Interval(value, *(float(widened(value, end, 1)) for end in ends))
        lines.append(
            f"- It is worse than that of B at its best setting: {ANSWERS[larger(found)]}, "
            f"{value:.2f} ({found.low:.2f} to {found.high:.2f}) times that, and "
            f"{row["thesis over B's"]:.2f} in the thesis, recomputed."
        )
    return "\n".join(lines)


def scale_products(table: pd.DataFrame) -> str:
    """Say whether a run like the thesis's sees products as large as it says."""
    row = table.iloc[0]
    found = _around(float(row["expected in the thesis"]), float(row["its error"]), 1)
    return "\n".join(
        [
            f"- The product ranges up to $e^{{{UP_TO:g}}}$ or more: "
            f"{ANSWERS[larger(found, ONE_STATE)]}, {found.value:.1f} ({found.low:.1f} to "
            f"{found.high:.1f}) of the states that the thesis's run kept are expected so far out.",
            f"- So step sizes are {row['too large, 50%']:.2g} times too large in the median, "
            f"{row['too large, 95%']:.2g} times in one state of 20 and "
            f"{row['too large, 99.9%']:.2g} times in one of 1000; not judged, as the thesis names "
            "the largest alone.",
        ]
    )


def from_the_tail(table: pd.DataFrame) -> str:
    """Say of each network whether a method's means from G spread more than B's."""
    lines = []
    for found, (_, row) in zip(intervals(table, "ratio", *ENDS), table.iterrows(), strict=True):
        name, other = row["ratio of"].split(" / ")
        lines.append(
            f"- {name} is worse than {other} from there, {row['hidden units']} units: "
            f"{ANSWERS[larger(found)]}, {found.value:.2f} ({found.low:.2f} to {found.high:.2f}) "
            "times its variance."
        )
    return "\n".join([FROM_THERE, *lines]) if lines else NOTHING


def unthinned(table: pd.DataFrame) -> str:
    """Say how many trajectories are worth an independent draw, by method."""
    lines = []
    for method, rows in table.groupby("method", sort=False):
        t = rows["T_u"]
        lines.append(f"- {method}: $T_u$ is about {t.min():.3g} to {t.max():.3g} trajectories.")
    return "\n".join(lines) or NOTHING


def times_thesis(table: pd.DataFrame) -> str:
    """Say whether variances of u are larger than the thesis's, and whether they are twice those.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words.discussed import times_thesis
    >>> row = {"true means": "plain", "hyperparameter": "u"}
    >>> numbers = {"times the thesis's": 2.0, "low": 1.1, "high": 3.6}
    >>> print(times_thesis(pd.DataFrame([row | numbers])))
    - u is larger, plain means: confirmed, 2.00 (1.10 to 3.60) times.
    - u is at least twice as large, plain means: undecided.
    """
    lines = []
    for means, rows in table.groupby("true means", sort=False):
        row = rows[rows["hyperparameter"] == "u"].iloc[0]
        what = f"{means} means"
        lines += _larger_and_twice(row, what)
        others = rows[rows["hyperparameter"] != "u"]
        if not others.empty:
            lines.append(f"- u has the larger ratio, {what}: {_beyond_others(row, others)}.")
    return "\n".join(lines) or NOTHING


def _beyond_others(row: pd.Series, others: pd.DataFrame) -> str:
    """Compare u's ratio with the geometric mean of those of other hyperparameters."""
    log = np.log(row[TIMES]) - np.log(others[TIMES]).mean()
    errors = others["error of its log"]
    error = np.hypot(row["error of its log"], np.linalg.norm(errors) / len(errors))
    found = Interval(*(np.exp(log + side * float(limit(1)) * error) for side in (0, -1, 1)))
    shown = f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f}) times that of the others"
    return f"{ANSWERS[larger(found)]}, {shown}"


def _larger_and_twice(row: pd.Series, what: str) -> list[str]:
    found = Interval(*(float(row[name]) for name in (TIMES, "low", "high")))
    shown = f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f}) times"
    return [
        f"- u is larger, {what}: {ANSWERS[larger(found)]}, {shown}.",
        f"- u is at least twice as large, {what}: {ANSWERS[larger(found, 2.0)]}.",
    ]


def by_starts(table: pd.DataFrame) -> str:
    """Say the same of Gibbs alone, from each kind and number of start states.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words.discussed import by_starts
    >>> row = {"start states": "plain", "chains": 50, "true means": "plain", "as low": 0.004}
    >>> numbers = {"times the thesis's": 2.5, "low": 1.1, "high": 5.7, "ours of it": 0.2}
    >>> first, second = by_starts(pd.DataFrame([row | numbers])).split("; ")
    >>> first
    '- u is larger, 50 plain start states, plain means: confirmed, 2.50 (1.10 to 5.70) times'
    >>> print(second)
    of sets of 50 of these chains 0.4% are as low as the thesis's.
    - u is at least twice as large, 50 plain start states, plain means: undecided.
    """
    lines = []
    for _, row in table.iterrows():
        what = f"{row['chains']} {row['start states']} start states, {row['true means']} means"
        first, second = _larger_and_twice(row, what)
        low = f"of sets of 50 of these chains {row['as low']:.1%} are as low as the thesis's"
        lines += [f"{first.removesuffix('.')}; {low}.", second]
    for _, row in (over_plain(table) if len(table) else table).iterrows():
        found = Interval(row["ratio"], row["low"], row["high"])
        shown = f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f}) times"
        what = f"{row['chains']} {row['start states']} start states, {row['true means']} means"
        lines.append(f"- larger than from plain ones, {what}: {ANSWERS[larger(found)]}, {shown}.")
    return "\n".join(lines) or NOTHING

"""Whether figures reach their targets."""

from collections.abc import Sequence
from typing import Any

from .timing import Spread, spread

FEWEST = 5  # rounds; a median beyond the target has all of five on this side with 3%
MET, MISSED, UNDECIDED = "met", "missed", "undecided"


def by_round(above: Sequence[float], below: Sequence[float]) -> list[float]:
    """Ratios of two measurements of the same round, as the machine's speed changes between rounds.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.targets import by_round
    >>> by_round([3.0, 8.0], [1.0, 2.0])
    [3.0, 4.0]
    """
    return [a / b for a, b in zip(above, below, strict=True)]


def judged(values: Sequence[float], sign: str, target: float) -> dict[str, Any]:
    """Hold the measurements of a figure against its target.

    It is met if all of them reach it and missed if none does, where there are five or more.

    Parameters
    ----------
    values : sequence of float
        Of each round.
    sign : {"<=", ">="}
        Whether the target is the most or the least.
    target : float
        In the unit of the values.

    Returns
    -------
    dict
        ``median``, ``low``, ``high``, ``sign``, ``target`` and ``verdict``: ``"met"``,
        ``"missed"`` or ``"undecided"``.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.targets import judged
    >>> rounds = [1.0, 2.0, 3.0, 2.0, 2.0]
    >>> [judged(rounds, "<=", target)["verdict"] for target in (4.0, 2.5, 0.5)]
    ['met', 'undecided', 'missed']
    >>> judged(rounds[:4], "<=", 4.0)["verdict"]
    'undecided'
    """
    reached = [value <= target if sign == "<=" else value >= target for value in values]
    verdict = MET if all(reached) else UNDECIDED if any(reached) else MISSED
    if len(values) < FEWEST:
        verdict = UNDECIDED
    found = spread(values)._asdict()
    return {**found, "sign": sign, "target": target, "verdict": verdict}


def says(figure: dict[str, Any]) -> str:
    """Write a figure with its range, its target and the verdict.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.targets import judged, says
    >>> says(judged([1.0, 2.0, 3.0, 2.0, 2.0], "<=", 4.0))
    '2 (1-3), ≤ 4: met'
    """
    found = Spread(figure["median"], figure["low"], figure["high"])
    sign = "≤" if figure["sign"] == "<=" else "≥"
    return f"{found}, {sign} {figure['target']:g}: {figure['verdict']}"

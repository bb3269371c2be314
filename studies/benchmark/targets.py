"""Whether figures reach their targets."""

from collections.abc import Sequence
from typing import Any

from scipy.stats import binom

from .timing import Spread, spread

CHANCE = 1 / 32  # that a figure whose median is beyond its target counts as one that reaches it
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
    """Hold the measurements of a figure against its target, by the sign test.

    It is met if so few of them miss the target, none of five or one of nine, as hardly happens
    where every second one does; missed if as few reach it.

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
    count = len(values)
    reached = sum(value <= target if sign == "<=" else value >= target for value in values)
    met, missed = (binom.cdf(few, count, 0.5) <= CHANCE for few in (count - reached, reached))
    verdict = MET if met else MISSED if missed else UNDECIDED
    found = spread(values)._asdict()
    return {**found, "sign": sign, "target": target, "verdict": verdict}


def check_judged(results: dict[str, Any]) -> None:
    """Refuse results of versions that kept medians alone, which no round can be judged by.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.targets import check_judged
    >>> check_judged({"chains": {"a": {"ratio": 0.2, "target": 0.35}}})
    Traceback (most recent call last):
    ...
    SystemExit: chains: these results have no verdicts; measure again.
    """
    for part, found in results.items():
        if _lacks_verdicts(found):
            raise SystemExit(f"{part}: these results have no verdicts; measure again.")


def _lacks_verdicts(found: Any) -> bool:
    """Whether there is a target without a verdict, at any depth."""
    if not isinstance(found, dict):
        return False
    alone = "target" in found and "verdict" not in found
    return alone or any(map(_lacks_verdicts, found.values()))


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

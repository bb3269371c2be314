"""Time of a leapfrog step on the five problems, beside other programs."""

from collections.abc import Iterable
from typing import Any

from threadpoolctl import threadpool_limits

from ..peers.leapfrog_steps import PEERS
from ..problems import PROBLEMS, Problem
from ..timing import Spread, in_turn

RATIOS = (
    ("ours / floor", "ours", "floor", "<="),
    ("nutpie / ours", "nutpie", "ours", ">="),
    ("pm.HamiltonianMC / ours", "pm.HamiltonianMC", "ours", ">="),
)


def measure_leapfrog(
    problems: Iterable[str] = "abcde", repeats: int = 5, seconds: float = 1.0
) -> dict[str, Any]:
    """Time a leapfrog step of every peer, on one core.

    Parameters
    ----------
    problems : iterable of str
        Letters of :data:`.problems.PROBLEMS`.
    repeats : int
        Measurements of each peer, in turn.
    seconds : float
        Time of one measurement, roughly.

    Returns
    -------
    dict
        For each problem ``title``, ``n_leapfrog``, ``microseconds`` of each peer as median, low
        and high, and ``ratios`` of medians with ``value``, ``target`` and ``met``.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.ratios import measure_leapfrog
    >>> measure_leapfrog([])
    {}
    """
    with threadpool_limits(1):
        return {name: _measure(PROBLEMS[name], repeats, seconds) for name in problems}


def _measure(problem: Problem, repeats: int, seconds: float) -> dict[str, Any]:
    model = problem.build()
    timers = {name: build(problem, model) for name, build in PEERS.items()}
    times = in_turn(timers, repeats, seconds)
    return {
        "title": problem.title,
        "n_leapfrog": problem.n_leapfrog,
        "microseconds": {name: time._asdict() for name, time in times.items()},
        "ratios": ratios(times, problem.targets),
    }


def ratios(times: dict[str, Spread], targets: tuple[float, float, float]) -> dict[str, Any]:
    """Compare medians with the aims of the project.

    Parameters
    ----------
    times : dict of Spread
        Time of ``"ours"``, ``"floor"``, ``"nutpie"`` and ``"pm.HamiltonianMC"``.
    targets : tuple of float
        Of each ratio of :data:`RATIOS`.

    Returns
    -------
    dict
        For each ratio its ``value``, its ``target``, and whether it is ``met``.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.ratios import ratios
    >>> from pymc_bnn.studies.benchmark.timing import spread
    >>> times = {"ours": spread([2.0]), "floor": spread([1.0])}
    >>> times |= {"nutpie": spread([8.0]), "pm.HamiltonianMC": spread([9.0])}
    >>> ratios(times, (1.4, 3.0, 5.0))["nutpie / ours"]
    {'value': 4.0, 'target': 3.0, 'met': True}
    """
    found = {}
    for (name, above, below, sign), target in zip(RATIOS, targets, strict=True):
        value = times[above].median / times[below].median
        met = value <= target if sign == "<=" else value >= target
        found[name] = {"value": value, "target": target, "met": met}
    return found

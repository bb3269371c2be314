"""Time of a leapfrog step on the five problems, beside other programs."""

from collections.abc import Iterable
from typing import Any

from threadpoolctl import threadpool_limits

from ..peers.leapfrog_steps import PEERS
from ..problems import PROBLEMS, Problem
from ..targets import by_round, judged
from ..timing import in_turn, spreads

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
        and high, and ``ratios`` as of :func:`.targets.judged`.

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
        "microseconds": spreads(times),
        "ratios": ratios(times, problem.targets),
    }


def ratios(
    times: dict[str, list[float]], targets: tuple[float, float, float]
) -> dict[str, dict[str, Any]]:
    """Compare times with the aims of the project.

    Parameters
    ----------
    times : dict of list
        Of ``"ours"``, ``"floor"``, ``"nutpie"`` and ``"pm.HamiltonianMC"``, round by round.
    targets : tuple of float
        Of each ratio of :data:`RATIOS`.

    Returns
    -------
    dict
        Each ratio as of :func:`.targets.judged`.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.ratios import ratios
    >>> times = {"ours": [2.0, 2.0], "floor": [1.0, 1.0]}
    >>> times |= {"nutpie": [8.0, 6.0], "pm.HamiltonianMC": [9.0, 9.0]}
    >>> found = ratios(times, (1.4, 3.0, 5.0))["nutpie / ours"]
    >>> found["median"], found["low"], found["target"], found["verdict"]
    (3.5, 3.0, 3.0, 'undecided')
    """
    return {
        name: judged(by_round(times[above], times[below]), sign, target)
        for (name, above, below, sign), target in zip(RATIOS, targets, strict=True)
    }

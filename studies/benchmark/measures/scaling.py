"""Leapfrog steps per second as networks and data grow."""

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ....models import BNN, gaussian
from ..peers.leapfrog_steps import ours
from ..timing import in_turn, spread
from .arithmetic import Peak, least_seconds, measure_peak

INPUTS, WIDTH, DEPTH, CASES = 8, 32, 1, 500
SWEEPS: dict[str, tuple[int, ...]] = {
    "width": (8, 16, 32, 64, 128, 256),
    "depth": (1, 2, 3, 4),
    "cases": (8, 50, 500, 5_000, 50_000),
}


def network(width: int = WIDTH, depth: int = DEPTH, cases: int = CASES) -> BNN:
    """Build a regression network of a given size on synthetic data with 8 inputs.

    Parameters
    ----------
    width : int
        Units of each hidden layer.
    depth : int
        Hidden layers.
    cases : int
        Number of cases.

    Returns
    -------
    BNN

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.scaling import network
    >>> network(depth=2).hidden
    (32, 32)
    """
    X = np.random.default_rng(1).standard_normal((cases, INPUTS))
    return gaussian(X, np.sin(X[:, 0]), hidden=(width,) * depth)


def measure_scaling(repeats: int = 5, seconds: float = 1.0, points: int = 99) -> dict[str, Any]:
    """Time our leapfrog step inside ``pm.sample`` as width, depth and cases grow, on one core.

    Parameters
    ----------
    repeats : int
        Measurements of each point.
    seconds : float
        Time of all measurements of a point, roughly.
    points : int
        Points of each sweep, from the smallest network on.

    Returns
    -------
    dict
        ``peak`` with ``flops`` and ``tanhs`` per second, ``base`` with the sizes that stay while
        one grows, and ``points``: for each the ``sweep``, the ``value`` of what grows, ``rate``
        in steps per second as median, low and high, and ``limit``, the arithmetic limit.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.scaling import measure_scaling
    >>> measure_scaling(repeats=1, seconds=0.01, points=0)["points"]
    []
    """
    with threadpool_limits(1):
        peak = measure_peak(min(seconds, 0.5), repeats)
        measured = [
            {"sweep": sweep, "value": value, **_measure(sweep, value, peak, repeats, seconds)}
            for sweep, values in SWEEPS.items()
            for value in values[:points]
        ]
    base = {"inputs": INPUTS, "width": WIDTH, "depth": DEPTH, "cases": CASES}
    return {"peak": peak._asdict(), "base": base, "points": measured}


def _measure(sweep: str, value: int, peak: Peak, repeats: int, seconds: float) -> dict[str, Any]:
    model = network(**{sweep: value})
    cases = len(model["X"].get_value(borrow=True))
    least = least_seconds((INPUTS, *model.hidden, 1), cases, peak)
    # trajectories of 10 ms or so: long beside what pm.sample does for a draw
    timer = ours(model, int(np.clip(0.005 / least, 2, 2000)))
    [per_step] = in_turn({"rate": lambda s: 1e6 / timer(s)}, repeats, seconds / repeats).values()
    return {"rate": spread(per_step)._asdict(), "limit": 1.0 / least}

"""Times of repeated runs."""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np
from xarray import DataTree


class Spread(NamedTuple):
    """Median and range of repeated measurements.

    Attributes
    ----------
    median, low, high : float
        Median, smallest and largest value.
    """

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.3g} ({self.low:.3g}-{self.high:.3g})"


def spread(values: Sequence[float]) -> Spread:
    """Summarise repeated measurements.

    Parameters
    ----------
    values : sequence of float
        The measurements.

    Returns
    -------
    Spread

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.timing import spread
    >>> print(spread([3.0, 1.0, 2.0]))
    2 (1-3)
    """
    return Spread(float(np.median(values)), float(min(values)), float(max(values)))


def seconds_per_call(call: Callable[[], object], seconds: float) -> float:
    """Call a function again and again and return the mean time of a call.

    Parameters
    ----------
    call : callable
        What to time; it is called once before the clock starts.
    seconds : float
        For how long, at least; one call is always timed.

    Returns
    -------
    float
        Seconds per call.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.timing import seconds_per_call
    >>> seconds_per_call(lambda: None, 0.001) > 0
    True
    """
    call()
    calls, begin = 0, perf_counter()
    while (now := perf_counter()) < begin + seconds or calls == 0:
        call()
        calls += 1
    return (now - begin) / calls


def in_turn(
    timers: dict[str, Callable[[float], float]], repeats: int, seconds: float
) -> dict[str, list[float]]:
    """Time several things in turn, so that a change of the machine's speed meets them all.

    Parameters
    ----------
    timers : dict of callable
        Each takes the seconds it should run for and returns its measurement.
    repeats : int
        Measurements of each.
    seconds : float
        Time of one measurement, roughly.

    Returns
    -------
    dict of list
        Measurements of each, round by round.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.timing import in_turn
    >>> in_turn({"same": lambda seconds: 1.0}, 3, 0.1)
    {'same': [1.0, 1.0, 1.0]}
    """
    measured: dict[str, list[float]] = {name: [] for name in timers}
    for _ in range(repeats):
        for name, timer in timers.items():
            measured[name].append(timer(seconds))
    return measured


def spreads(measured: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    """Summarise several things as what a JSON file takes.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.timing import spreads
    >>> spreads({"same": [1.0, 1.0]})
    {'same': {'median': 1.0, 'low': 1.0, 'high': 1.0}}
    """
    return {name: spread(values)._asdict() for name, values in measured.items()}


def whole(idata: DataTree, chains: int, draws: int) -> DataTree:
    """Return the draws of a run if they are all there.

    Parameters
    ----------
    idata : DataTree
        What was sampled.
    chains, draws : int
        How much was asked for.

    Returns
    -------
    DataTree

    Raises
    ------
    KeyboardInterrupt
        If draws are missing: PyMC ends at Ctrl-C with what there is, whose time means nothing.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.studies.benchmark.timing import whole
    >>> draws = xr.Dataset({"x": (("chain", "draw"), np.zeros((2, 5)))})
    >>> idata = xr.DataTree.from_dict({"posterior": draws})
    >>> whole(idata, 2, 5) is idata
    True
    """
    sizes = idata["posterior"].sizes
    if sizes["chain"] < chains or sizes["draw"] < draws:
        raise KeyboardInterrupt("sampling was interrupted")
    return idata

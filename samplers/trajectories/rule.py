"""Which step size and which length of trajectories to take: rules that are stated once.

Lengths are compared by differences of logarithms between chains from the same start, with intervals
of Student's t that hold for all comparisons with the best at once, by Bonferroni's inequality.
"""

from typing import Any, NamedTuple, cast

import numpy as np
import xarray as xr
from scipy.special import stdtrit

LARGE_ERROR = 10.0  # from which the thesis plots errors in the energy as 10
MOST_LARGE = 0.05  # share of trajectories with such errors that a stable step size may have
NEAR_FURTHEST, NEAR_BEST = 0.9, 0.8  # what is as good
LEVEL = 0.95
FEWEST = 10  # effective draws of a chain from which it tells anything


class Judged(NamedTuple):
    """What a rule says.

    Attributes
    ----------
    word : {"chosen", "undecided", "none stable"}
        Whether there is a choice.
    value : float, int or None
        The factor or length to take, also where it is undecided; None where none is stable.
    reason : str
        Why, in a sentence.
    table : Dataset
        What the rule looked at.
    """

    word: str
    value: Any
    reason: str
    table: xr.Dataset


def choose_factor(errors: xr.Dataset) -> Judged:
    r"""Choose the step size adjustment factor by errors in the energy.

    A factor is stable if at most 5% of its trajectories, and of those of each smaller one, change
    the energy by more than 10. Of the stable ones the smallest is chosen whose
    :math:`\eta \bar a`, the factor times the mean acceptance and so what a gradient moves, is at
    least 90% of the largest.

    Parameters
    ----------
    errors : Dataset
        Of :func:`.energy_errors.energy_errors`.

    Returns
    -------
    Judged
        With ``acceptance``, its standard error ``acceptance_error``, ``large``, ``stable`` and
        ``moved`` by ``factor``.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.samplers.trajectories.rule import choose_factor
    >>> error = np.array([0.1, 0.2, 1.5, 50.0]) * np.ones((2, 20, 1))
    >>> dims, factors = ("chain", "trajectory", "factor"), {"factor": [0.1, 0.3, 0.5, 1.0]}
    >>> found = choose_factor(xr.Dataset({"error": (dims, error)}, factors))
    >>> found.value, found.table["stable"].values
    (0.3, array([ True,  True,  True, False]))
    """
    ordered = errors.sortby("factor")
    error = ordered["error"]
    each = ("chain", "trajectory")
    accepted = cast(xr.DataArray, np.exp(-error.clip(min=0.0)))
    large = (abs(error) > LARGE_ERROR).mean(each)
    count = error.sizes["chain"] * error.sizes["trajectory"]
    acceptance = accepted.mean(each)
    table = ordered.assign(
        acceptance=acceptance,
        acceptance_error=accepted.std(each, ddof=1) / np.sqrt(count),
        large=large,
        stable=("factor", np.logical_and.accumulate(large.values <= MOST_LARGE)),
        moved=error["factor"] * acceptance,
    )
    factors = error["factor"].values
    if not table["stable"].any():
        reason = (
            f"None stable: with eta = {factors[0]:g}, the smallest factor, "
            f"{large.values[0]:.0%} of trajectories change the energy by more than "
            f"{LARGE_ERROR:g}; give smaller factors."
        )
        return Judged("none stable", None, reason, table)
    moved = table["moved"].where(table["stable"], 0.0).values
    chosen = float(factors[np.argmax(moved >= NEAR_FURTHEST * moved.max())])
    largest = factors[table["stable"].values].max()
    reason = (
        f"Factors up to {largest:g} are stable, and by eta = {chosen:g} a gradient moves nearly as "
        f"far as by any of them{_end(chosen, factors)}"
    )
    return Judged("chosen", chosen, reason, table)


def choose_length(chains: xr.Dataset, kept: int) -> Judged:
    """Choose the leapfrogs of a trajectory by effective draws per pass through the network.

    Those of the slowest quantity count, on the mean of logarithms over chains. The best length is
    the one with the most. A length is near it if the interval of its ratio to the best lies above
    80%, worse if it lies below 1, and open otherwise. Without open ones the shortest of the best
    and those near it is chosen. With some it is undecided: ``kept`` stays if it is among those
    that are not worse, and otherwise the best is taken.

    Parameters
    ----------
    chains : Dataset
        Of :func:`.effective.effective_draws`.
    kept : int
        What to keep where it is undecided.

    Returns
    -------
    Judged
        With ``slowest``, ``per_million`` passes, and ``ratio``, ``low`` and ``high``, the ratio to
        the best and its interval, by ``length``.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.samplers.trajectories.rule import choose_length
    >>> draws = np.array([20.0, 95.0, 100.0])[:, None, None] * np.array([[0.99], [1.0], [1.01]])
    >>> effective = (("length", "chain", "quantity"), draws)
    >>> passes = (("length", "chain"), np.full((3, 3), 1e5))
    >>> coordinates = {"length": [10, 100, 1000], "quantity": ["outputs"]}
    >>> data = {"effective": effective, "passes": passes}
    >>> found = choose_length(xr.Dataset(data, coordinates), kept=300)
    >>> found.word, found.value, found.table["low"].round(2).values
    ('chosen', 100, array([0.2 , 0.95, 1.  ]))
    """
    table = _compared(chains.sortby("length"))
    lengths = table["length"].values
    best = int(lengths[table["ratio"].values.argmax()])
    near = table["low"].values >= NEAR_BEST
    undecided = ~near & (table["high"].values >= 1.0)
    possible = [int(n) for n in lengths[near | undecided]]
    value, draws = (kept if kept in possible else best), float(table["draws"].sel(length=best))
    if draws < FEWEST:
        reason = (
            f"the best, L = {best}, gives {draws:.1f} effective draws a chain; give more gradients"
        )
        return Judged("undecided", value, f"Undecided: {reason}.", table)
    if undecided.any():
        names = f"{', '.join(map(str, possible[:-1]))} and {possible[-1]}"
        taken = "kept" if value == kept else "the best so far"
        reason = f"Undecided: L = {names} are not distinguishable; L = {value} is {taken}"
        return Judged("undecided", value, reason + _end(value, lengths), table)
    value = possible[0]
    reason = (
        f"L = {value} gives the most effective draws per pass"
        if value == best
        else f"L = {value} is the shortest that gives at least {NEAR_BEST:.0%} of the effective "
        f"draws per pass of the best, L = {best}"
    )
    return Judged("chosen", value, reason + _end(value, lengths), table)


def _end(value: float, tried: np.ndarray) -> str:
    """End a sentence about what was taken: whether something beyond might be better."""
    ends = {float(tried[0]): "smallest", float(tried[-1]): "largest"}
    return f", the {ends[value]} that was tried." if value in ends else "."


def _compared(chains: xr.Dataset) -> xr.Dataset:
    """Effective draws of the slowest quantity of each length, beside those of the best."""
    logs = cast(xr.DataArray, np.log(chains["effective"]))
    place = logs.mean("chain").argmin("quantity")
    slowest = logs.isel(quantity=place).drop_vars("quantity")
    rates = slowest - np.log(chains["passes"] / 1e6)
    best = rates.isel(length=int(rates.mean("chain").argmax("length")))
    gaps = rates - best.drop_vars("length")
    count = gaps.sizes["chain"]
    tail = (1.0 - LEVEL) / 2 / max(1, gaps.sizes["length"] - 1)
    half = stdtrit(count - 1, 1.0 - tail) * gaps.std("chain", ddof=1) / np.sqrt(count)
    mean = gaps.mean("chain")
    return chains.assign(
        slowest=("length", chains["quantity"].values[place.values]),
        draws=np.exp(slowest.mean("chain")),
        per_million=np.exp(rates),
        ratio=np.exp(mean),
        low=np.exp(mean - half),
        high=np.exp(mean + half),
    )

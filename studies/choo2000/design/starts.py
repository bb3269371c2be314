"""Start states: far apart in a master run, and more from a rare region than it would give."""

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

OUTSIDE, INSIDE = 40, 10  # chains that start outside the region G, and inside
BORDER = 4.0  # G is where the log standard deviation u or a is larger


def is_inside(states: xr.Dataset) -> xr.DataArray:
    """Whether states lie in the region G of section 5.4.2.

    Parameters
    ----------
    states : Dataset
        With ``log_sigma``.

    Returns
    -------
    DataArray of bool

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn.studies.choo2000.design.starts import is_inside
    >>> sigmas = xr.DataArray([[0.0, 4.5], [5.0, 1.0], [3.9, 3.9]], dims=("draw", "hyperparameter"))
    >>> states = xr.Dataset({"log_sigma": sigmas}, coords={"hyperparameter": ["u", "a"]})
    >>> is_inside(states).values
    array([ True,  True, False])
    """
    return (states["log_sigma"].sel(hyperparameter=["u", "a"]) > BORDER).any("hyperparameter")


def choose_starts(
    draws: xr.Dataset, separation: float, gap: float, seed: Sequence[int] = (0,), times: int = 1
) -> xr.Dataset:
    """Choose 40 start states outside the region G and 10 inside, as section 5.4.2 does.

    The first 40 are evenly spaced. What they lack, or have too many, of either kind comes from a
    sequence of further states, uniformly and without replacement. That sequence keeps its distance
    to the first states, a smaller one if the run is too short for it.

    Parameters
    ----------
    draws : Dataset
        The master run.
    separation : float
        Recorded states between the first 40; fewer if the run is too short.
    gap : float
        Recorded states between the others, about three inefficiency factors.
    seed : sequence of int
        For the choice among them.
    times : int
        How many times as many to choose.

    Returns
    -------
    Dataset
        Weights and ``log_sigma`` along ``start``, with coordinates ``stratum``, first ``outside``
        and then ``inside``, and ``draw``, the place in the run.

    Raises
    ------
    ValueError
        If the run has too few states of a kind.
    """
    inside = is_inside(draws).to_numpy()
    wanted = {"outside": times * OUTSIDE, "inside": times * INSIDE}
    found = {"outside": ~inside, "inside": inside}
    _check(found, wanted)
    spacing = max(1, int(min(separation, inside.size // sum(wanted.values()))))
    first = np.arange(1, wanted["outside"] + 1) * spacing - 1
    rng = np.random.default_rng([*seed, wanted["outside"]])
    chosen = [
        _complete(first, found[kind], count, max(1, int(min(gap, spacing))), rng)
        for kind, count in wanted.items()
    ]
    strata = np.repeat(list(wanted), list(wanted.values()))
    starts = draws.isel(draw=np.concatenate(chosen)).drop_vars("acceptance", errors="ignore")
    starts = starts.rename(draw="start").drop_vars("start", errors="ignore")
    return starts.assign_coords(stratum=("start", strata), draw=("start", np.concatenate(chosen)))


def _complete(
    first: np.ndarray, allowed: np.ndarray, wanted: int, gap: int, rng: np.random.Generator
) -> np.ndarray:
    """Take the allowed ones of the first states, and complete them from the rest of the run."""
    taken = first[allowed[first]][:wanted]
    while taken.size < wanted:
        further = np.arange(gap - 1, allowed.size, gap)
        distance = np.abs(further[:, None] - first).min(axis=1)
        further = further[allowed[further] & (distance >= gap)]
        missing = wanted - taken.size
        if further.size >= missing or gap == 1:
            taken = np.append(taken, rng.choice(further, missing, replace=False))
        gap = max(1, gap // 2)
    return np.sort(taken)


def _check(found: Mapping[str, np.ndarray], wanted: Mapping[str, int]) -> None:
    for what, count in wanted.items():
        if found[what].sum() < count:
            raise ValueError(
                f"draws: the master run has {found[what].sum()} states {what} G and {count} are "
                "needed; make it longer by samples, or lower thin."
            )

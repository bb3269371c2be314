"""Transitions and divergences of a sampler, also of draws that are not recorded."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr


class Runs(NamedTuple):
    """Draws of a statistic run after run, each in the order in which they were drawn.

    Attributes
    ----------
    order : ndarray of int
        Places of the draws.
    begins : ndarray of bool
        Whether a run begins with a draw, as far as labels tell.
    cut : ndarray of bool
        Whether draws before it were cut off, as far as labels tell.
    """

    order: np.ndarray
    begins: np.ndarray
    cut: np.ndarray


def divergences_of(stats: xr.Dataset) -> int:
    """Count transitions that diverged since warm-up, also those of draws that are not recorded.

    A thinned step method counts them all in ``divergences``, and says by ``diverging`` whether the
    last one before a recorded draw did. Where draws were cut off at the beginning, of the
    transitions before the first one that is left the last alone is known. Runs that were joined
    count from nothing again, each for itself.
    """
    if "divergences" not in stats:
        return diverging(stats)
    return max(_counted(stats)[0], diverging(stats))


def may_miss_divergences(stats: xr.Dataset) -> bool:
    """Whether some that belong to the first draw cannot be told from those before, cut off.

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn.samplers.diagnosis.counted import may_miss_divergences
    >>> counts = xr.DataArray([[2, 2, 3]], {"draw": [5, 6, 7]}, dims=("chain", "draw"))
    >>> may_miss_divergences(xr.Dataset({"divergences": counts}))
    True
    >>> may_miss_divergences(xr.Dataset({"divergences": counts.assign_coords(draw=[0, 1, 2])}))
    False
    """
    return "divergences" in stats and _counted(stats)[1]


def _counted(stats: xr.Dataset) -> tuple[int, bool]:
    """Divergences, and whether there may be more."""
    runs = _runs(stats["divergences"])
    counts = _by_draw(stats, "divergences", runs)
    transitions = _by_draw(stats, "transitions", runs) if "transitions" in stats else None
    last = _by_draw(stats, "diverging", runs) if "diverging" in stats else np.zeros_like(counts)
    steps = np.diff(counts, axis=0, prepend=0)
    begins = runs.begins[:, None] | (steps < 0)
    cut = np.broadcast_to(runs.cut[:, None], counts.shape)
    if transitions is not None:  # a draw cannot have had more than it has transitions
        cut = cut | (counts > transitions)
    found = np.where(begins, np.where(cut, last, counts), steps)
    hidden = begins & cut & (counts > last)
    if transitions is not None:
        hidden &= transitions > 1
    lacking = bool(stats["divergences"].isnull().any())
    return int(found.sum()), lacking or bool(hidden.any())


def _runs(counts: xr.DataArray) -> Runs:
    """Tell runs that were joined by their labels; those that repeat are of other runs."""
    labels = counts.get_index("draw").to_series()
    if not pd.api.types.is_numeric_dtype(labels) or (labels % 1 != 0).any():
        labels = pd.Series(np.arange(len(labels)))
    labels = pd.Series(labels.to_numpy())
    run = labels.groupby(labels).cumcount().to_numpy()
    order = np.lexsort((labels, run))
    begins = np.diff(run[order], prepend=-1) > 0
    return Runs(order, begins, begins & (labels.to_numpy()[order] > 0))


def _by_draw(stats: xr.Dataset, name: str, runs: Runs) -> np.ndarray:
    """Numbers of a statistic in that order, (draws, chains); 0 where a run lacks it."""
    values = stats[name].astype(float).transpose("draw", ...)
    found = values.values.reshape(values.sizes["draw"], -1)[runs.order]
    return np.nan_to_num(found)


def _labels(values: xr.DataArray) -> np.ndarray | None:
    """Labels of draws in order, if they are whole numbers."""
    found = values.get_index("draw").to_numpy()
    return np.sort(found) if np.issubdtype(found.dtype, np.integer) else None


def diverging(stats: xr.Dataset) -> int:
    """Count recorded draws whose transition diverged."""
    return int(stats["diverging"].sum()) if "diverging" in stats else 0


def transitions_of(stats: xr.Dataset) -> int | None:
    """Count transitions since warm-up, also those of draws that are not recorded.

    Each draw has one of each step, unless ``transitions`` says how many; draws that count
    divergences of others and do not say so are of an unknown number. Draws that were left out
    afterwards, by their labels, had as many as those that are there.
    """
    if "transitions" in stats:
        recorded, labels = int(stats["transitions"].sum()), _labels(stats["transitions"])
        if labels is None or len(labels) < 2:
            return recorded
        # of runs that were joined the labels may jump, or repeat
        between = min((labels[-1] - labels[0] + 1) / len(labels), np.median(np.diff(labels)))
        return round(recorded * max(float(between), 1.0))
    known = divergences_of(stats) == diverging(stats)
    return stats["diverging"].size if known and "diverging" in stats else None

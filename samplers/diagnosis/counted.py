"""Transitions and divergences of a sampler, also of draws that are not recorded."""

import numpy as np
import xarray as xr


def divergences_of(stats: xr.Dataset) -> int:
    """Count transitions that diverged since warm-up, also those of draws that are not recorded.

    A thinned step method counts them all in ``divergences``, and says by ``diverging`` whether the
    last one before a recorded draw did. Where draws were cut off at the beginning, of the
    transitions before the first one that is left the last alone is known.
    """
    if "divergences" not in stats:
        return diverging(stats)
    counts, labels = stats["divergences"], _labels(stats["divergences"])
    joined = _joined(counts)
    if joined is not None:
        return max(_of_joined(joined), diverging(stats))
    # draws that were cut off at the beginning do not count; later ones may stand before others
    cut = labels is not None and labels[0] > 0
    found = counts.max("draw") - (counts.min("draw") if cut else 0)
    known = diverging(_first_draw(stats)) if cut else 0
    return max(int(found.sum()) + known, diverging(stats))


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
    if "divergences" not in stats:
        return False
    labels = _labels(stats["divergences"])
    if labels is None or labels[0] <= 0 or _joined(stats["divergences"]) is not None:
        return False
    first = _first_draw(stats)
    alone = "transitions" in first and bool((first["transitions"] <= 1).all())
    return not alone and bool((first["divergences"] > 0).any())


def _first_draw(stats: xr.Dataset) -> xr.Dataset:
    return stats.isel(draw=int(stats.get_index("draw").argmin()))


def _joined(counts: xr.DataArray) -> xr.DataArray | None:
    """Counts of runs that stand one after another: labels repeat, or in their order counts fall."""
    labels = _labels(counts)
    if labels is None:
        return None
    if (np.diff(labels) == 0).any():
        return counts
    in_order = counts.sortby("draw")
    return in_order if bool((in_order.diff("draw") < 0).any()) else None


def _of_joined(counts: xr.DataArray) -> int:
    """Divergences of runs that stand one after another: each counts from nothing again."""
    by_draw = counts.transpose("draw", ...).values
    steps = np.diff(by_draw, axis=0, prepend=0)
    return int(np.where(steps < 0, by_draw, steps).sum())


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

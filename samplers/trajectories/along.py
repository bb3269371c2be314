"""What varies along one long trajectory, and how soon it forgets (Neal 1995, 3.3, Fig. 3.4)."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from pymc.blocking import PointType

from ...models.bnn import BNN
from .correlations import autocorrelation, decorrelated
from .paths import compile_path
from .records import as_draws, magnitudes, some_outputs

EVERY, LENGTH = 10, 10_000  # leapfrogs between states that are looked at, and of a trajectory


def look_along(
    model: BNN, points: Sequence[PointType], factor: float, rng: np.random.Generator
) -> xr.Dataset:
    """Follow a long trajectory from each point with its precisions held.

    Parameters
    ----------
    model : BNN
        The network.
    points : sequence of dict
        Where trajectories start.
    factor : float
        Step size adjustment factor.
    rng : Generator
        Draws the momenta.

    Returns
    -------
    Dataset
        ``value`` by ``chain``, ``leapfrog`` and ``quantity``: outputs at a few training cases, and
        the logarithm of the root mean square of each group of weights; ``autocorrelation`` by
        ``lag`` in leapfrogs, mean over chains; ``decorrelated``, the lag from which it is small
        (:func:`.correlations.decorrelated`).
    """
    follow = compile_path(model)
    children = rng.spawn(len(points))
    paths = [
        follow(point, factor, child, EVERY, LENGTH // EVERY)
        for point, child in zip(points, children, strict=True)
    ]
    draws = as_draws(model, paths)
    outputs, sizes = some_outputs(model, draws), magnitudes(model, draws)
    names = [f"output {i + 1}" for i in range(outputs.sizes["quantity"])]
    names += [f"size of {name}" for name in sizes["quantity"].values]
    values = np.concatenate([outputs.transpose(*sizes.dims).values, sizes.values], axis=2)
    found = np.mean([autocorrelation(one) for one in values], axis=0)
    lags = EVERY * np.arange(len(found))
    return xr.Dataset(
        {
            "value": (("chain", "leapfrog", "quantity"), values),
            "autocorrelation": (("lag", "quantity"), found),
            "decorrelated": ("quantity", EVERY * decorrelated(found)),
        },
        {"quantity": names, "leapfrog": lags, "lag": lags},
    )

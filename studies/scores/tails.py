"""Standard deviations of predictions that rest on few draws."""

import warnings

import numpy as np
import xarray as xr
from scipy.stats import norm

MIDDLE = (0.025, 0.975)
FEWEST = 5  # draws beyond an end, by which it is known to about half of its tail
WIDE = 2.0  # times what the middle of a distribution says of its standard deviation


def resting_on_few_draws(summary: xr.Dataset) -> str:
    """Say where standard deviations are far above what intervals are as wide as.

    Parameters
    ----------
    summary : Dataset
        ``sd`` and ``quantiles`` of new targets, which are no counts: the interval of a rare event
        has no width. The first and the last quantile are the ends of an interval.

    Returns
    -------
    str
        How many are more than twice what they would be, were the target normal with that interval;
        nothing if none is.

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn.studies.scores.tails import resting_on_few_draws
    >>> quantiles = xr.DataArray([[-2], [2]], {"quantile": [0.025, 0.975]}, ("quantile", "obs"))
    >>> normal = xr.Dataset({"sd": ("obs", [1.0]), "quantiles": quantiles})
    >>> resting_on_few_draws(normal), resting_on_few_draws(normal.assign(sd=("obs", [40.0])))[:36]
    ('', 'rests on few draws at 1 of 1 predict')
    """
    quantiles = summary["quantiles"].transpose("quantile", ...)
    low, high = quantiles.values[0], quantiles.values[-1]
    ends = quantiles["quantile"].values[[0, -1]]
    implied = (high - low) / np.ptp(norm.ppf(ends))
    rows = int((summary["sd"].values > WIDE * implied).sum())
    if not rows:
        return ""
    return (
        f"rests on few draws at {rows} of {implied.size} predictions, where it is more than "
        f"{WIDE:g} times what the {ends[1] - ends[0]:.0%} interval says"
    )


def beyond_draws(probability: float, draws: int) -> str:
    """Say that the ends of an interval have fewer than :data:`FEWEST` draws beyond them.

    Examples
    --------
    >>> from pymc_bnn.studies.scores.tails import beyond_draws
    >>> beyond_draws(0.9, 2000)
    ''
    >>> beyond_draws(0.999, 2000).partition(", which")[0]
    'an interval of 0.999 has 1 of 2000 draws beyond each end'
    """
    if (beyond := draws * (1 - probability) / 2) >= FEWEST * (1 - 1e-9):
        return ""
    most = max(0.0, 1 - 2 * FEWEST / draws)
    return (
        f"an interval of {probability:g} has {beyond:.2g} of {draws} draws beyond each end, which "
        f"say little about it; take more draws, or a probability of at most {most:.3g}"
    )


def warn_of_tails(summary: xr.Dataset) -> None:
    """Warn of what :func:`resting_on_few_draws` says.

    Warns
    -----
    UserWarning
        If it says anything.
    """
    if said := resting_on_few_draws(summary):
        warnings.warn(f"std {said}; use predict_interval there.", stacklevel=3)

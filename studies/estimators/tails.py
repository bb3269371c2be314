"""Standard deviations of predictions that rest on few draws."""

import warnings

import numpy as np
import xarray as xr
from scipy.stats import norm

MIDDLE = (0.025, 0.975)
WIDE = 2.0  # times what the middle of a distribution says of its standard deviation


def warn_of_tails(summary: xr.Dataset) -> None:
    """Warn where standard deviations are far above what 95% intervals are as wide as.

    Parameters
    ----------
    summary : Dataset
        ``sd`` and ``quantiles`` of new targets, the latter at ``MIDDLE``.

    Warns
    -----
    UserWarning
        If one is more than twice what it would be, were the target normal with that interval.

    Examples
    --------
    >>> import warnings
    >>> import xarray as xr
    >>> from pymc_bnn.studies.estimators.tails import warn_of_tails
    >>> normal = xr.Dataset({"sd": ("obs", [1.0]), "quantiles": (("quantile", "obs"), [[-2], [2]])})
    >>> with warnings.catch_warnings(record=True, action="always") as given:
    ...     warn_of_tails(normal)
    ...     warn_of_tails(normal.assign(sd=("obs", [40.0])))
    >>> [str(one.message)[:46] for one in given]
    ['std rests on few draws at 1 of 1 predictions, ']
    """
    low, high = summary["quantiles"].transpose("quantile", ...).values
    implied = (high - low) / np.ptp(norm.ppf(MIDDLE))
    if rows := int((summary["sd"].values > WIDE * implied).sum()):
        warnings.warn(
            f"std rests on few draws at {rows} of {implied.size} predictions, where it is more "
            f"than {WIDE:g} times what the 95% interval says; use predict_interval there.",
            stacklevel=3,
        )

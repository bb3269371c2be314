"""A word on data that the priors are not made for.

Default priors expect inputs and targets of about unit scale: with an input of 1000 and weights of
standard normal prior, every hidden unit is a step function.
"""

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pymc as pm

from .numbers import listed

MOST, LEAST = 10.0, 0.1
MOST_NAMED = 5
BUILDERS = (str(Path(__file__).parents[1]), str(Path(pm.__file__).parent))


class ScaleWarning(UserWarning):
    """Inputs or targets are far from unit scale."""


def warn_of_scale(values: np.ndarray, names: Sequence, argument: str) -> None:
    """Warn of columns far from unit scale.

    That is a root mean square above 10, which a large mean brings about as well as a large
    spread, or no value of 0.1 or more where most are not zero.

    Parameters
    ----------
    values : ndarray, shape (cases, columns)
        Inputs or targets.
    names : sequence
        Names of the columns.
    argument : str
        What they were given as.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.models.data.unit_scale import warn_of_scale
    >>> warn_of_scale(np.array([[1.0], [-2.0]]), ["speed"], "X")
    """
    size_of_each = np.abs(values)
    small = (size_of_each.max(axis=0) < LEAST) & (np.median(size_of_each, axis=0) > 0)
    with np.errstate(over="ignore"):
        size = np.sqrt((values**2).mean(axis=0))
    far = (size > MOST) | small
    if far.any():
        found = [name for name, wrong in zip(names, far, strict=True) if wrong]
        more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        warnings.warn(
            f"{argument} has column(s) {listed(found[:MOST_NAMED])}{more} of root mean square "
            f"{_range(size[far])}, and the default priors are made for 1; standardize them, or "
            "choose priors that suit.",
            ScaleWarning,
            skip_file_prefixes=BUILDERS,
        )


def _range(sizes: np.ndarray) -> str:
    low, high = f"{sizes.min():.2g}", f"{sizes.max():.2g}"
    return low if low == high else f"{low} to {high}"

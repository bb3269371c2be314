"""Validation errors along falling temperatures, and whether they have risen."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

CLEARLY = 2.0  # standard errors of a difference


class Validated(NamedTuple):
    """What was found at a temperature.

    Attributes
    ----------
    temperature : float
        The temperature.
    error : float
        Mean of minus the log density of a validation case, over cases and draws.
    standard_error : float
        Monte Carlo standard error of that mean.
    acceptance_rate : float
        Mean over the draws.
    """

    temperature: float
    error: float
    standard_error: float
    acceptance_rate: float


def has_risen(path: Sequence[Validated], patience: int) -> bool:
    """Whether the last ``patience`` errors are all clearly above the lowest one.

    Parameters
    ----------
    path : sequence of Validated
        What was found up to now.
    patience : int
        How many.

    Returns
    -------
    bool
        Standard errors that are not known count as none.

    Examples
    --------
    >>> from pymc_bnn.samplers.cooling.validation_path import Validated, has_risen
    >>> errors = {2.0: 1.0, 1.0: 1.2, 0.5: 1.5}
    >>> path = [Validated(temperature, error, 0.1, 0.8) for temperature, error in errors.items()]
    >>> has_risen(path, 1), has_risen(path, 2)
    (True, False)
    """
    best = min(path, key=lambda one: one.error)
    last = path[-patience:]
    return len(last) == patience and all(
        one.error - best.error
        > CLEARLY * np.sqrt(np.nansum([one.standard_error**2, best.standard_error**2]))
        for one in last
    )

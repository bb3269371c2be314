"""Normal prior with a fixed standard deviation."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bnn import BNN
from .base import Group, Prior
from .settings import positive


@dataclass(frozen=True)
class Gaussian(Prior):
    """Independent normal weights with mean 0 and a fixed standard deviation (Lau 2018, 4.1).

    Parameters
    ----------
    sd : float
        Standard deviation; 1 is Lau's standard normal prior.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.Gaussian(sd=2.0).words()
    'normal, sd 2'
    """

    sd: float = 1.0

    def __post_init__(self) -> None:
        positive("Gaussian", sd=self.sd)

    def scale(self, group: Group) -> np.float64:
        """Standard deviation of the weights."""
        return np.float64(self.sd)

    def words(self) -> str:
        """Say the prior in words."""
        return f"normal, sd {self.sd:g}"


def gaussian(X: Any, y: Any, hidden: tuple[int, ...] = (8,), **arguments: Any) -> BNN:
    """Build a network whose weights all have a standard normal prior (Lau 2018, 4.1).

    Parameters
    ----------
    X, y, hidden, **arguments
        As for :class:`pymc_bnn.models.BNN`.

    Returns
    -------
    BNN

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.gaussian(X, X[:, 0] ** 2, hidden=(4,))
    >>> [variable.name for variable in model.free_RVs]
    ['w0', 'b0', 'w1', 'b1', 'noise_precision']
    """
    return BNN(X, y, hidden, prior=Gaussian(), **arguments)

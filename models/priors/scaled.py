"""Normal prior whose variance shrinks with the number of incoming units."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bnn import BNN
from .base import Group, Prior


@dataclass(frozen=True)
class Scaled(Prior):
    r"""Independent normal weights of variance :math:`1 / N_\mathrm{in}` (Lau 2018, 3.5 and 4.7).

    :math:`N_\mathrm{in}` is the number of units that feed the layer; its biases get the same
    variance.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.Scaled().words()
    'normal, variance 1 / number of incoming units'
    """

    def scale(self, group: Group) -> np.float64:
        """Standard deviation of the weights."""
        return np.float64(group.fan_in) ** np.float64(-0.5)

    def words(self) -> str:
        """Say the prior in words."""
        return "normal, variance 1 / number of incoming units"


def scaled(X: Any, y: Any, hidden: tuple[int, ...] = (8,), **arguments: Any) -> BNN:
    """Build a network whose weights have variance 1/fan-in (Lau 2018, 4.7).

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
    >>> model = models.scaled(X, X[:, 0] ** 2, hidden=(4,))
    >>> model.groups["w1"].fan_in
    4
    """
    return BNN(X, y, hidden, prior=Scaled(), **arguments)

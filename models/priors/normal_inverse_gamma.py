"""Normal prior with one unknown precision per group of weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from pytensor.tensor.variable import TensorVariable

from ..bnn import BNN
from .base import Group, Prior, gamma_precision
from .settings import positive


@dataclass(frozen=True)
class NormalInverseGamma(Prior):
    r"""Normal weights whose common precision has a gamma prior.

    .. math:: w_i \sim N(0, \tau^{-1}), \qquad
              \tau \sim \mathrm{Gamma}(\text{mean}=\mathrm{sd}^{-2}, \text{shape}=\alpha/2)

    Neal (1995, 3.2.1), Choo (2000, Eqs. 3.5 and 3.7). The defaults are Lau's (2018, 4.4)
    :math:`\tau \sim \mathrm{Gamma}(0.5, 0.5)`.

    Parameters
    ----------
    sd : float
        Typical standard deviation of the weights.
    alpha : float
        Shape of the precision's prior, as degrees of freedom; small is vague.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.NormalInverseGamma(sd=0.45, alpha=0.5).words()
    'normal, one precision per group ~ gamma of mean 4.938, shape 0.25'
    """

    sd: float = 1.0
    alpha: float = 1.0

    def __post_init__(self) -> None:
        positive("NormalInverseGamma", sd=self.sd, alpha=self.alpha)

    def scale(self, group: Group) -> TensorVariable:
        """Declare the precision of the group and return the standard deviation."""
        return gamma_precision(f"{group.name}_precision", self.sd, self.alpha) ** np.float64(-0.5)

    def words(self) -> str:
        """Say the prior in words."""
        return (
            f"normal, one precision per group ~ gamma of mean {float(self.sd) ** -2:.4g}, "
            f"shape {self.alpha / 2:g}"
        )


def normal_inverse_gamma(X: Any, y: Any, hidden: tuple[int, ...] = (8,), **arguments: Any) -> BNN:
    """Build a network with an unknown precision for every group of weights.

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
    >>> model = models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,))
    >>> [variable.name for variable in model.free_RVs][:2]
    ['w0_precision', 'w0']
    """
    return BNN(X, y, hidden, prior=NormalInverseGamma(), **arguments)

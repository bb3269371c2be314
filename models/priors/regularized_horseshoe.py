"""Regularized horseshoe prior: a horseshoe whose large weights are still shrunk by a slab."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from ..bnn import BNN
from .base import Group, Prior
from .horseshoe import check_sharing, half_cauchy, local_scale, sharing


@dataclass(frozen=True)
class RegularizedHorseshoe(Prior):
    r"""Regularized horseshoe prior (Lau 2018, 3.4.1; with ``ard=True`` his 4.5).

    .. math:: w_i \sim N(0, \tau^2 \tilde\lambda_i^2), \qquad
              \tilde\lambda_i^2 = \frac{c^2 \lambda_i^2}{c^2 + \tau^2 \lambda_i^2}, \quad
              c^2 \sim \mathrm{InvGamma}(2, 8)

    with half-Cauchy :math:`\tau` and :math:`\lambda_i`.

    Parameters
    ----------
    ard : bool
        One local scale per unit instead of one per weight. Biases have one each.
    by : {"source", "target"}
        Whether with ``ard`` the weights out of a unit share a scale, or the weights into it.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.RegularizedHorseshoe().words()
    'regularized horseshoe, one local scale per weight, slab variance ~ inverse gamma(2, 8)'
    """

    ard: bool = False
    by: str = "target"

    def __post_init__(self) -> None:
        check_sharing("RegularizedHorseshoe", self.ard, self.by)

    def scale(self, group: Group) -> TensorVariable:
        """Declare global and local scales and the slab, and return the standard deviations."""
        unregularized = half_cauchy(f"{group.name}_global") * local_scale(group, self.ard, self.by)
        slab = pm.InverseGamma(
            f"{group.name}_slab_variance", alpha=np.float64(2), beta=np.float64(8)
        )
        return unregularized * pt.sqrt(slab / (slab + unregularized**2))

    def words(self) -> str:
        """Say the prior in words."""
        return (
            f"regularized horseshoe, {sharing(self.ard, self.by)}, "
            "slab variance ~ inverse gamma(2, 8)"
        )


def regularized_horseshoe(X: Any, y: Any, hidden: tuple[int, ...] = (8,), **arguments: Any) -> BNN:
    """Build a network with regularized horseshoe priors, in the non-centred parametrization.

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
    >>> model = models.regularized_horseshoe(X, X[:, 0] ** 2, hidden=(4,))
    >>> "w1_slab_variance" in model.named_vars
    True
    """
    arguments.setdefault("parametrization", "noncentered")
    return BNN(X, y, hidden, prior=RegularizedHorseshoe(), **arguments)

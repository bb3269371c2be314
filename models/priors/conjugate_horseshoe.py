"""Horseshoe prior whose scales can be drawn exactly given the weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable

from ..bnn import BNN
from .base import Group, Prior
from .horseshoe import check_sharing, local_scale, sharing


def conjugate_half_cauchy(name: str, dims: tuple[str, ...] | None = None) -> TensorVariable:
    r"""Declare a standard half-Cauchy variable as a mixture of inverse gammas.

    .. math:: x^2 \mid v \sim \mathrm{InvGamma}(1/2, 1/v), \qquad v \sim \mathrm{InvGamma}(1/2, 1)

    makes :math:`x` standard half-Cauchy (Makalic & Schmidt 2016). It is declared by the
    precision :math:`x^{-2}` and the rate :math:`1/v`, which are gamma variables given each other:

    .. math:: x^{-2} \mid r \sim \mathrm{Gamma}(1/2, \text{rate}=r), \qquad
              r \sim \mathrm{Gamma}(1/2, \text{rate}=1)

    Parameters
    ----------
    name : str
        Name of the variable; the two behind it are ``{name}_precision`` and ``{name}_rate``.
    dims : tuple of str, optional
        Dimensions; a scalar otherwise.

    Returns
    -------
    TensorVariable
        The half-Cauchy variable, a Deterministic.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.models.priors.conjugate_horseshoe import conjugate_half_cauchy
    >>> with pm.Model() as model:
    ...     tau = conjugate_half_cauchy("tau")
    >>> [variable.name for variable in model.free_RVs]
    ['tau_rate', 'tau_precision']
    """
    half, one = np.float64(0.5), np.float64(1)
    rate = pm.Gamma(f"{name}_rate", alpha=half, beta=one, dims=dims)
    precision = pm.Gamma(f"{name}_precision", alpha=half, beta=rate, dims=dims)
    return pm.Deterministic(name, precision**-half, dims=dims)


@dataclass(frozen=True)
class ConjugateHorseshoe(Prior):
    r"""The horseshoe prior, declared so that Gibbs sampling draws all its scales.

    .. math:: w_i \sim N(0, \tau^2 \lambda_i^2), \qquad
              \tau \sim C^+(0, 1), \quad \lambda_i \sim C^+(0, 1)

    The weights have the same prior as under :class:`Horseshoe`, but the half-Cauchy scales are
    mixtures of inverse gammas (Makalic & Schmidt 2016): in the centred parametrization all scales
    and their rates have gamma full conditionals, which
    :class:`pymc_bnn.samplers.GibbsPrecision` draws. The slab of
    :class:`RegularizedHorseshoe` leaves its local scales no such conditional, so that one has no
    conjugate form.

    Parameters
    ----------
    ard : bool
        One local scale per unit instead of one per weight. Biases have one each.
    by : {"source", "target"}
        Whether with ``ard`` the weights out of a unit share a scale, or the weights into it.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> prior = {"w0": models.Gaussian(), "w1": models.ConjugateHorseshoe()}
    >>> model = models.BNN(X, X[:, 0] ** 2, hidden=(4,), prior=prior, biases=False)
    >>> [variable.name for variable in model.free_RVs if variable.name.startswith("w1_local")]
    ['w1_local_rate', 'w1_local_precision']
    """

    ard: bool = False
    by: str = "target"

    def __post_init__(self) -> None:
        check_sharing("ConjugateHorseshoe", self.ard, self.by)

    def scale(self, group: Group) -> TensorVariable:
        """Declare global and local scales and return the standard deviations."""
        local = local_scale(group, self.ard, self.by, conjugate_half_cauchy)
        return conjugate_half_cauchy(f"{group.name}_global") * local

    def words(self) -> str:
        """Say the prior in words."""
        return f"horseshoe, {sharing(self.ard, self.by)}, by gamma precisions"


def conjugate_horseshoe(X: Any, y: Any, hidden: tuple[int, ...] = (8,), **arguments: Any) -> BNN:
    """Build a network with horseshoe priors whose scales Gibbs sampling draws.

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
    >>> model = models.conjugate_horseshoe(X, X[:, 0] ** 2, hidden=(4,))
    >>> "w0_global_precision" in model.named_vars
    True
    """
    return BNN(X, y, hidden, prior=ConjugateHorseshoe(), **arguments)

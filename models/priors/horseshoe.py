"""Horseshoe prior: a heavy-tailed scale for every weight, and one for the group."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from ..network import BNN
from .base import Group, Prior


def half_cauchy(name: str, dims: tuple[str, ...] | None = None) -> TensorVariable:
    r"""Declare a standard half-Cauchy variable as a scale mixture (Lau 2018, 3.4.1).

    .. math:: x = r_1 \sqrt{r_2}, \qquad r_1 \sim N^+(0, 1), \quad
              r_2 \sim \mathrm{InvGamma}(1/2, 1/2)

    The non-centred mixture has lighter tails in ``r_1`` and ``log r_2`` than the half-Cauchy
    itself, which Hamiltonian dynamics needs.

    Parameters
    ----------
    name : str
        Name of the variable; its two factors are ``{name}_normal`` and ``{name}_variance``.
    dims : tuple of str, optional
        Dimensions; a scalar otherwise.

    Returns
    -------
    TensorVariable
        The half-Cauchy variable, a Deterministic.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.models.priors.horseshoe import half_cauchy
    >>> with pm.Model() as model:
    ...     tau = half_cauchy("tau")
    >>> [variable.name for variable in model.free_RVs]
    ['tau_normal', 'tau_variance']
    """
    half = np.float64(0.5)
    normal = pm.HalfNormal(f"{name}_normal", sigma=np.float64(1), dims=dims)
    variance = pm.InverseGamma(f"{name}_variance", alpha=half, beta=half, dims=dims)
    return pm.Deterministic(name, normal * pt.sqrt(variance), dims=dims)


def local_scale(group: Group, ard: bool) -> TensorVariable:
    """Declare the local half-Cauchy scales of a group: per weight, or per target unit."""
    per_unit = ard and not group.is_bias
    dims = group.dims[1:] if per_unit else group.dims
    return half_cauchy(f"{group.name}_local", dims)


@dataclass(frozen=True)
class Horseshoe(Prior):
    r"""Horseshoe prior (Lau 2018, 3.4.1; with ``ard=True`` his 4.5).

    .. math:: w_i \sim N(0, \tau^2 \lambda_i^2), \qquad
              \tau \sim C^+(0, 1), \quad \lambda_i \sim C^+(0, 1)

    Parameters
    ----------
    ard : bool
        One local scale per target unit instead of one per weight.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.Horseshoe(ard=True).words()
    'horseshoe, one local scale per target unit'
    """

    ard: bool = False

    def scale(self, group: Group) -> TensorVariable:
        """Declare global and local scales and return the standard deviations."""
        return half_cauchy(f"{group.name}_global") * local_scale(group, self.ard)

    def words(self) -> str:
        """Say the prior in words."""
        return f"horseshoe, one local scale per {'target unit' if self.ard else 'weight'}"


def horseshoe(X: Any, y: Any, hidden: tuple[int, ...] = (8,), **arguments: Any) -> BNN:
    """Build a network with horseshoe priors, in the non-centred parametrization.

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
    >>> model = models.horseshoe(X, X[:, 0] ** 2, hidden=(4,))
    >>> "w0_raw" in model.named_vars
    True
    """
    arguments.setdefault("parametrization", "noncentered")
    return BNN(X, y, hidden, prior=Horseshoe(), **arguments)

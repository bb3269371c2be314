"""Horseshoe prior: a heavy-tailed scale for every weight, and one for the group."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from ..bnn import BNN
from ..data.choices import choose
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


def local_scale(
    group: Group,
    ard: bool,
    by: str,
    declare: Callable[[str, tuple[str, ...]], TensorVariable] = half_cauchy,
) -> TensorVariable:
    """Declare the local half-Cauchy scales of a group of weights.

    Parameters
    ----------
    group : Group
        The weights.
    ard, by
        As for :class:`Horseshoe`.
    declare : callable
        Declares half-Cauchy variables of a name and dimensions.

    Returns
    -------
    TensorVariable
        The scales, broadcastable to ``group.shape``.
    """
    name = f"{group.name}_local"
    if group.is_bias or not ard:
        return declare(name, group.dims)
    if by == "source":
        return declare(name, group.dims[:1])[:, None]
    return declare(name, group.dims[1:])


def check_sharing(owner: str, ard: bool, by: str) -> None:
    """Refuse to share local scales by anything but units."""
    choose(f"{owner}(by=...)", by, ("source", "target"))
    if by != "target" and not ard:
        raise ValueError(
            f"{owner}(by={by!r}): only ard=True shares local scales; add it or leave by out."
        )


def sharing(ard: bool, by: str) -> str:
    """Say in words what has a local scale of its own."""
    return f"one local scale per {f'{by} unit' if ard else 'weight'}"


@dataclass(frozen=True)
class Horseshoe(Prior):
    r"""Horseshoe prior (Lau 2018, 3.4.1; with ``ard=True`` his 4.5).

    .. math:: w_i \sim N(0, \tau^2 \lambda_i^2), \qquad
              \tau \sim C^+(0, 1), \quad \lambda_i \sim C^+(0, 1)

    :class:`ConjugateHorseshoe` is the same prior of the weights with other variables behind it.

    Parameters
    ----------
    ard : bool
        One local scale per unit instead of one per weight. Biases have one each.
    by : {"source", "target"}
        Whether with ``ard`` the weights out of a unit share a scale, or the weights into it.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.Horseshoe(ard=True).words()
    'horseshoe, one local scale per target unit'
    """

    ard: bool = False
    by: str = "target"

    def __post_init__(self) -> None:
        check_sharing("Horseshoe", self.ard, self.by)

    def scale(self, group: Group) -> TensorVariable:
        """Declare global and local scales and return the standard deviations."""
        return half_cauchy(f"{group.name}_global") * local_scale(group, self.ard, self.by)

    def words(self) -> str:
        """Say the prior in words."""
        return f"horseshoe, {sharing(self.ard, self.by)}"


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

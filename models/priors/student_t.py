"""Weights with heavy tails: a precision for every weight, and one for the group."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable

from ..bnn import BNN
from .base import Group, Prior, gamma_precision
from .settings import positive


@dataclass(frozen=True)
class StudentT(Prior):
    r"""Weights that are t-distributed given a scale of their group (Neal 1995, chapter 2).

    .. math:: w_i \sim N(0, 1 / (\tau \lambda_i)), \qquad
              \lambda_i \sim \mathrm{Gamma}(\nu / 2, \text{rate}=\nu / 2), \qquad
              \tau \sim \mathrm{Gamma}(\text{mean}=\mathrm{sd}^{-2}, \text{shape}=\alpha / 2)

    so that given :math:`\tau` weights are t with :math:`\nu` degrees of freedom. All precisions
    have gamma conditionals, which :class:`pymc_bnn.samplers.GibbsPrecision` draws.

    As a hidden layer becomes wide, sums of weights with finite variances, :math:`\nu > 2`, become
    normal, and every unit's part in a function becomes small. With :math:`\nu < 2` the sums become
    stable of index :math:`\nu`, and few units keep large parts: such networks are no Gaussian
    processes, however wide. With ``scaled=True`` the standard deviation is divided by
    :math:`N_\mathrm{in}^{1 / \min(\nu, 2)}`, with which functions have a limit.

    Parameters
    ----------
    degrees : float
        Degrees of freedom :math:`\nu`; 1 is Cauchy.
    sd : float
        Typical scale of the weights.
    alpha : float
        Shape of the group's precision, as degrees of freedom; small is vague.
    scaled : bool
        Whether scales shrink with the number of incoming units.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.StudentT(degrees=1.5, scaled=True).words()
    't with 1.5 degrees of freedom, scale 1 / width^(1/1.5), one precision per group of shape 0.5'
    """

    degrees: float = 4.0
    sd: float = 1.0
    alpha: float = 1.0
    scaled: bool = False

    def __post_init__(self) -> None:
        positive("StudentT", degrees=self.degrees, sd=self.sd, alpha=self.alpha)
        if self.scaled and self.degrees == 2:
            raise ValueError(
                "StudentT(degrees=2, scaled=True): sums of such weights have no limit under any "
                "power of the width; give a number below or above 2."
            )

    def scale(self, group: Group) -> TensorVariable:
        """Declare the precisions of group and weights and return the standard deviations."""
        index = min(self.degrees, 2.0)
        sd = self.sd * group.fan_in ** (-1 / index) if self.scaled else self.sd
        half = np.float64(self.degrees) / 2
        precision = gamma_precision(f"{group.name}_precision", float(sd), self.alpha)
        local = pm.Gamma(f"{group.name}_local_precision", half, half, dims=group.dims)
        return (precision * local) ** np.float64(-0.5)

    def words(self) -> str:
        """Say the prior in words."""
        width = f" / width^(1/{min(self.degrees, 2.0):g})" if self.scaled else ""
        return (
            f"t with {self.degrees:g} degrees of freedom, scale {self.sd:g}{width}, one precision "
            f"per group of shape {self.alpha / 2:g}"
        )


def student_t(X: Any, y: Any, hidden: tuple[int, ...] = (8,), **arguments: Any) -> BNN:
    """Build a network whose weights have heavy tails.

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
    >>> model = models.student_t(X, X[:, 0] ** 2, hidden=(4,))
    >>> [variable.name for variable in model.free_RVs][:3]
    ['w0_precision', 'w0_local_precision', 'w0']
    """
    return BNN(X, y, hidden, prior=StudentT(), **arguments)

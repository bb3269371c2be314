"""Weights whose sums keep their distribution: symmetric stable ones."""

from dataclasses import dataclass

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from .base import Group, Prior
from .settings import positive

LEAST = 0.1


@dataclass(frozen=True)
class Stable(Prior):
    r"""Symmetric stable weights, as a scale mixture of normal ones (Neal 1995, chapter 2).

    .. math:: E\, e^{i t w} = e^{-|\mathrm{sd}\, t|^\alpha / 2^{\alpha / 2}}, \qquad
              w \sim N(0, \mathrm{sd}^2 v)

    with the index :math:`\alpha`; 1 is Cauchy, of scale :math:`\mathrm{sd} / \sqrt 2`, and near 2
    weights are nearly normal. A sum of :math:`N` of them is :math:`N^{1 / \alpha}` times one of
    them in distribution. With ``scaled=True`` the scale is divided by
    :math:`N_\mathrm{in}^{1 / \alpha}`, so that functions have a limit as layers become wide: no
    Gaussian process, but one in which few units keep large parts, however many there are.

    The variance :math:`v`, positive stable of index :math:`\beta = \alpha / 2`, has no simple
    density. It is a function of two variables that have one (Kanter 1975), which are declared for
    each weight: an angle :math:`u` and a waiting time :math:`e`,

    .. math:: v = \left(\frac{\sin((1 - \beta) u)}{e}\right)^{(1 - \beta) / \beta}
              \frac{\sin(\beta u)}{(\sin u)^{1 / \beta}}, \qquad
              u \sim U(0, \pi), \quad e \sim \mathrm{Exponential}(1).

    Parameters
    ----------
    index : float
        Index :math:`\alpha`, from 0.1 to below 2; small has heavier tails, and below that they
        leave the range of double precision.
    sd : float
        Typical scale of the weights; as the index goes to 2, their standard deviation.
    scaled : bool
        Whether scales shrink with the number of incoming units.

    Raises
    ------
    ValueError
        If a number is not in its range.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.BNN(X, X[:, 0] ** 2, (4,), prior={**dict.fromkeys(["w0", "b0", "b1"],
    ...                    models.Gaussian()), "w1": models.Stable(index=1.0, scaled=True)})
    >>> [variable.name for variable in model.free_RVs if "w1" in variable.name]
    ['w1_angle', 'w1_waiting', 'w1']
    >>> models.Stable(index=1.5).words()
    'stable of index 1.5, scale 1'
    """

    index: float = 1.0
    sd: float = 1.0
    scaled: bool = False

    def __post_init__(self) -> None:
        positive("Stable", index=self.index, sd=self.sd)
        if not LEAST <= self.index < 2:
            raise ValueError(
                f"Stable(index={self.index!r}): give a number from {LEAST:g} to below 2; at 2 "
                "weights are normal, which is models.Gaussian."
            )

    def scale(self, group: Group) -> TensorVariable:
        """Declare angles and waiting times and return the standard deviations."""
        beta = np.float64(self.index) / 2
        angle = pm.Uniform(f"{group.name}_angle", np.float64(0), np.float64(np.pi), dims=group.dims)
        waiting = pm.Exponential(f"{group.name}_waiting", np.float64(1), dims=group.dims)
        rate = pt.log(pt.sin((1 - beta) * angle)) - pt.log(waiting)
        shape = pt.log(pt.sin(beta * angle)) - pt.log(pt.sin(angle)) / beta
        sd = self.sd * group.fan_in ** (-1 / self.index) if self.scaled else self.sd
        return np.float64(sd) * pt.exp((rate * (1 - beta) / beta + shape) / 2)

    def words(self) -> str:
        """Say the prior in words."""
        width = f" / width^(1/{self.index:g})" if self.scaled else ""
        return f"stable of index {self.index:g}, scale {self.sd:g}{width}"

"""Automatic relevance determination: one unknown precision per unit."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from pytensor.tensor.variable import TensorVariable

from ..architecture import hidden_sizes
from ..bnn import BNN
from ..data.choices import choose
from .base import Group, Prior, gamma_precision
from .normal_inverse_gamma import NormalInverseGamma
from .settings import positive


@dataclass(frozen=True)
class ARD(Prior):
    r"""Normal weights with one precision per unit, each with a gamma prior.

    .. math:: w_{ij} \sim N(0, \tau_i^{-1}), \qquad
              \tau_i \sim \mathrm{Gamma}(\text{mean}=\mathrm{sd}^{-2}, \text{shape}=\alpha/2)

    With ``by="source"`` the weights out of a unit share a precision, so that an input without
    influence is shut off (Neal 1995, ch. 4); with ``by="target"`` the weights into a unit do
    (Lau 2018, 3.4.2). Biases have no source unit and share one precision per group. The
    precisions' prior is Lau's Gamma(0.5, 0.5).

    Parameters
    ----------
    sd : float
        Typical standard deviation of the weights.
    alpha : float
        Shape of a precision's prior, as degrees of freedom; small is vague.
    by : {"source", "target"}
        Whose weights share a precision.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.ARD(by="target").words()
    'normal, one precision per target unit ~ gamma of mean 1, shape 0.5'
    """

    sd: float = 1.0
    alpha: float = 1.0
    by: str = "source"

    def __post_init__(self) -> None:
        positive("ARD", sd=self.sd, alpha=self.alpha)
        choose("ARD(by=...)", self.by, ("source", "target"))

    def scale(self, group: Group) -> TensorVariable:
        """Declare the precisions of the group and return the standard deviations."""
        name = f"{group.name}_precision"
        power = np.float64(-0.5)
        if group.is_bias:
            return gamma_precision(name, self.sd, self.alpha) ** power
        if self.by == "source":
            return gamma_precision(name, self.sd, self.alpha, group.dims[:1])[:, None] ** power
        return gamma_precision(name, self.sd, self.alpha, group.dims[1:])[None, :] ** power

    def words(self) -> str:
        """Say the prior in words."""
        return (
            f"normal, one precision per {self.by} unit ~ gamma of mean {float(self.sd) ** -2:.4g}, "
            f"shape {self.alpha / 2:g}"
        )


def ard(X: Any, y: Any, hidden: tuple[int, ...] = (8,), **arguments: Any) -> BNN:
    """Build a network with an unknown precision for every input (Neal 1995, ch. 4).

    The weights out of each input have a precision of their own, those past hidden layers
    (``skip=True``) another one; every other group of weights has
    one for all (:class:`NormalInverseGamma`). For precisions per unit in all layers use
    ``models.BNN(X, y, hidden, prior=models.ARD())``.

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
    >>> X = np.random.default_rng(0).normal(size=(10, 3))
    >>> model = models.ard(X, X[:, 0], hidden=(4,))
    >>> model.named_vars_to_dims["w0_precision"]
    ('input',)
    """
    kinds = ("w", "b") if arguments.get("biases", True) else ("w",)
    layers = range(len(hidden_sizes(hidden)) + 1)
    prior: dict[str, Prior] = {f"{k}{i}": NormalInverseGamma() for i in layers for k in kinds}
    inputs = ("w0", "skip") if arguments.get("skip") else ("w0",)
    return BNN(X, y, hidden, prior={**prior, **dict.fromkeys(inputs, ARD())}, **arguments)

"""Counts that scatter by more than chance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable
from scipy.special import gammaln, xlogy

from ..priors.settings import positive
from .base import Draws
from .poisson import LARGEST_MEAN, Poisson


@dataclass(frozen=True)
class NegativeBinomial(Poisson):
    r"""Counts that scatter by more than those of :class:`Poisson`.

    .. math:: y \sim \mathrm{Poisson}(\mu\, e), \qquad
              e \sim \mathrm{Gamma}(\varphi, \varphi), \qquad \mu = \mathrm{rate} \cdot e^f

    The variance is :math:`\mu + \mu^2 / \varphi`. The dispersion :math:`\varphi` has a gamma prior,
    ``dispersion ~ Gamma(shape=alpha / 2, mean=mean)``, which is not conjugate. There is no fused
    kernel.

    Parameters
    ----------
    rate : float
        Typical mean: that of a case for which the network's output is zero.
    mean : float
        Prior mean of the dispersion; large ones say Poisson.
    alpha : float
        Shape of its prior, as degrees of freedom; small is vague.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.NegativeBinomial(rate=3.0).words()
    'negative binomial counts, mean 3 times exp(f), dispersion ~ gamma of mean 5, shape 1'
    """

    mean: float = 5.0
    alpha: float = 2.0

    name = "negative_binomial"
    variance_is_mean: ClassVar[bool] = False
    hyperparameters: ClassVar[tuple[str, ...]] = ("dispersion",)

    def __post_init__(self) -> None:
        positive("NegativeBinomial", rate=self.rate, mean=self.mean, alpha=self.alpha)

    def information(self, units: int) -> np.ndarray:
        """Fisher information of the logarithmic mean at the typical mean and dispersion."""
        return np.full(units, self.rate / (1 + self.rate / np.float64(self.mean)))

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare ``dispersion`` and ``y_obs``."""
        shape = np.float64(self.alpha) / 2
        dispersion = pm.Gamma("dispersion", shape, shape / np.float64(self.mean))
        mean = np.float64(self.rate) * pm.math.exp(f)
        pm.NegativeBinomial("y_obs", mean, dispersion, observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log probability of each case, summed over outputs."""
        dispersion = draws["dispersion"].reshape(-1, 1, 1)
        log_mean = np.log(self.rate) + f
        log_sum = np.logaddexp(log_mean, np.log(dispersion))
        terms = gammaln(y + dispersion) - gammaln(dispersion) - gammaln(y + 1)
        terms += y * (log_mean - log_sum) + xlogy(dispersion, dispersion) - dispersion * log_sum
        return terms.sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw counts given outputs."""
        dispersion = draws["dispersion"].reshape(-1, 1, 1)
        factor = rng.gamma(np.broadcast_to(dispersion, f.shape), 1 / dispersion)
        mean = np.minimum(self.predicted(f, draws)["rate"], LARGEST_MEAN)
        return rng.poisson(mean * factor).astype(float)

    def words(self) -> str:
        """Say the likelihood in words."""
        return (
            f"negative binomial counts, mean {self.rate:g} times exp(f), dispersion ~ gamma of "
            f"mean {self.mean:g}, shape {self.alpha / 2:g}"
        )

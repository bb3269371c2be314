"""Counts that scatter by more than chance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable
from scipy.special import gammaln

from ..priors.settings import at_most, positive
from .base import Draws
from .poisson import Poisson, poisson_draws

LARGEST_DISPERSION = 1e6  # prior mean; above, the gradient of PyMC's density lacks digits
STIRLING_FROM = 1e4  # from where on two terms of the series have all digits


def log_gamma_ratio(start: np.ndarray, count: np.ndarray) -> np.ndarray:
    r"""Logarithm of :math:`\Gamma(a + k) / \Gamma(a)`.

    From :math:`a = 10^4` on it is the difference of Stirling's series, of which large terms cancel
    on paper; computed apart, both logarithms would leave no digits.

    Parameters
    ----------
    start : ndarray
        The number :math:`a` above zero.
    count : ndarray
        The number :math:`k` from zero on.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.models.likelihoods.negative_binomial import log_gamma_ratio
    >>> log_gamma_ratio(np.array([1.0, 1e16]), np.array([3.0, 2.0])).round(9).tolist()
    [1.791759469, 73.682722976]
    """
    small = gammaln(start + count) - gammaln(start)
    if not np.any(start > STIRLING_FROM):
        return small
    share = count / start
    terms = (start + count - 0.5) * np.log1p(share) - count + count * np.log(start)
    return np.where(start > STIRLING_FROM, terms - share / (12 * (start + count)), small)


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
        Prior mean of the dispersion, at most 1e6; large ones say Poisson.
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
        advice = f"counts are Poisson then, use Poisson(rate={self.rate:g})"
        at_most("NegativeBinomial", LARGEST_DISPERSION, advice, mean=self.mean)

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
        log_share = log_mean - np.log(dispersion)  # of counts to the dispersion
        terms = log_gamma_ratio(dispersion, y) - gammaln(y + 1) - y * np.logaddexp(0, -log_share)
        return (terms - dispersion * np.logaddexp(0, log_share)).sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw counts given outputs."""
        dispersion = draws["dispersion"].reshape(-1, 1, 1)
        factor = rng.gamma(np.broadcast_to(dispersion, f.shape), 1 / dispersion)
        mean = self.predicted(f, draws)["rate"]
        # a factor that is too small for a number leaves no counts, however large the mean
        product = np.multiply(mean, factor, out=np.zeros_like(factor), where=factor > 0)
        return poisson_draws(product, rng)

    def words(self) -> str:
        """Say the likelihood in words."""
        return (
            f"negative binomial counts, mean {self.rate:g} times exp(f), dispersion ~ gamma of "
            f"mean {self.mean:g}, shape {self.alpha / 2:g}"
        )

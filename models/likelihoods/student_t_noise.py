"""Noise with heavy tails, of an unknown precision."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable
from scipy.special import gammaln

from ..data.targets import Targets, numeric_targets
from ..priors.base import gamma_precision
from ..priors.settings import positive
from .base import Draws, Likelihood


@dataclass(frozen=True)
class StudentTNoise(Likelihood):
    r"""Noise of a t distribution, so that outliers count for less (Neal 1995, ch. 4).

    .. math:: y = f + \tau^{-1/2} e, \qquad e \sim t_\nu, \qquad
              \tau \sim \mathrm{Gamma}(\text{mean}=\mathrm{sd}^{-2}, \text{shape}=\alpha/2)

    The prior of the precision is that of :class:`.GaussianNoise`. It is conjugate given a weight
    of each case, since :math:`t_\nu` is a normal distribution whose precision is drawn from
    :math:`\mathrm{Gamma}(\nu/2, \nu/2)`; :class:`.GibbsPrecision` draws these weights anew each
    time and forgets them.

    Parameters
    ----------
    sd : float
        Typical scale of the noise, in the unit of the targets; its standard deviation is
        :math:`\sqrt{\nu / (\nu - 2)}` times that.
    alpha : float
        Shape of the precision's prior, as degrees of freedom; small is vague.
    degrees : float
        Degrees of freedom :math:`\nu` of the noise; few give heavy tails.
    per_output : bool
        One precision per output instead of one for all.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.StudentTNoise(sd=0.1).words()
    't noise of 4 degrees of freedom, precision ~ gamma of mean 100, shape 0.25'
    """

    sd: float = 0.1
    alpha: float = 0.5
    degrees: float = 4.0
    per_output: bool = False

    classifies = False
    hyperparameters: ClassVar[tuple[str, ...]] = ("noise_precision",)
    noisy: ClassVar[bool] = True
    unit_scale: ClassVar[bool] = True

    def __post_init__(self) -> None:
        positive("StudentTNoise", sd=self.sd, alpha=self.alpha, degrees=self.degrees)

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        """Check that targets are finite numbers, shape (cases,) or (cases, outputs)."""
        return numeric_targets(y)

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare ``noise_precision`` and ``y_obs``."""
        dims = ("output",) if self.per_output else None
        precision = gamma_precision("noise_precision", self.sd, self.alpha, dims)
        sigma = precision ** np.float64(-0.5)
        degrees = np.float64(self.degrees)
        pm.StudentT("y_obs", degrees, f, sigma=sigma, observed=y, dims=("obs", "output"))

    def _precision(self, draws: Draws) -> np.ndarray:
        precision = draws["noise_precision"]
        return precision.reshape(len(precision), 1, -1)

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log density of each case, summed over outputs."""
        precision, after = self._precision(draws), (self.degrees + 1) / 2
        constant = gammaln(after) - gammaln(self.degrees / 2)
        scale = 0.5 * np.log(precision / (np.pi * self.degrees))
        terms = constant + scale - after * np.log1p(precision * (y - f) ** 2 / self.degrees)
        return terms.sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw targets given outputs."""
        return f + rng.standard_t(self.degrees, f.shape) / np.sqrt(self._precision(draws))

    def words(self) -> str:
        """Say the likelihood in words."""
        each = "one precision per output" if self.per_output else "precision"
        return (
            f"t noise of {self.degrees:g} degrees of freedom, {each} ~ gamma of mean "
            f"{self.sd**-2:.4g}, shape {self.alpha / 2:g}"
        )

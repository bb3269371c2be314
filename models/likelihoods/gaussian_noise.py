"""Normal noise of an unknown precision."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable

from ..data.targets import Targets, numeric_targets
from ..priors.base import gamma_precision, positive
from .base import Draws, Likelihood


@dataclass(frozen=True)
class GaussianNoise(Likelihood):
    r"""Normal noise whose precision has a gamma prior (Choo 2000, Eqs. 3.4 and 3.7).

    .. math:: y \sim N(f, \tau^{-1}), \qquad
              \tau \sim \mathrm{Gamma}(\text{mean}=\mathrm{sd}^{-2}, \text{shape}=\alpha/2)

    The defaults are those of Choo's Table 5.2.

    Parameters
    ----------
    sd : float
        Typical standard deviation of the noise, in the unit of the targets.
    alpha : float
        Shape of the precision's prior, as degrees of freedom; small is vague.
    per_output : bool
        One precision per output (Neal 1995, 3.2.1) instead of one for all.
    integrate : bool
        Whether the precision is integrated out (Neal 1992, Eqs. 32-35); this makes an
        :class:`.integrated_noise.IntegratedNoise`, which has no ``noise_precision``.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.GaussianNoise(sd=0.1).words()
    'normal noise, precision ~ gamma of mean 100, shape 0.25'
    >>> models.GaussianNoise(sd=1.0, alpha=0.1, integrate=True)  # that of Neal (1992)
    GaussianNoise(sd=1.0, alpha=0.1, integrate=True)
    """

    sd: float = 0.1
    alpha: float = 0.5
    per_output: bool = False
    integrate: bool = field(default=False, repr=False)

    classifies = False
    hyperparameters = ("noise_precision",)

    def __new__(
        cls, sd: float = 0.1, alpha: float = 0.5, per_output: bool = False, integrate: bool = False
    ) -> "GaussianNoise":
        """Make noise whose precision is integrated out where that is asked for."""
        from .integrated_noise import IntegratedNoise  # a class of its own, which derives from this

        return object.__new__(IntegratedNoise if integrate and cls is GaussianNoise else cls)

    def __post_init__(self) -> None:
        positive("GaussianNoise", sd=self.sd, alpha=self.alpha)
        if self.integrate and "noise_precision" in self.hyperparameters:
            raise ValueError(
                f"{type(self).__name__}(integrate=True): only GaussianNoise itself integrates its "
                "precision out; leave integrate out."
            )

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        """Check that targets are finite numbers, shape (cases,) or (cases, outputs)."""
        return numeric_targets(y)

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare ``noise_precision`` and ``y_obs``."""
        dims = ("output",) if self.per_output else None
        precision = gamma_precision("noise_precision", self.sd, self.alpha, dims)
        sigma = precision ** np.float64(-0.5)
        pm.Normal("y_obs", f, sigma, observed=y, dims=("obs", "output"))

    def _precision(self, draws: Draws) -> np.ndarray:
        precision = draws["noise_precision"]
        return precision.reshape(len(precision), 1, -1)

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log density of each case, summed over outputs."""
        precision = self._precision(draws)
        terms = 0.5 * (np.log(precision / (2 * np.pi)) - precision * (y - f) ** 2)
        return terms.sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw targets given outputs."""
        return f + rng.standard_normal(f.shape) / np.sqrt(self._precision(draws))

    def to_dict(self) -> dict[str, Any]:
        """Describe the likelihood in JSON-able values; what is not integrated needs no saying."""
        described = super().to_dict()
        return (
            described
            if self.integrate
            else {k: described[k] for k in described if k != "integrate"}
        )

    def words(self) -> str:
        """Say the likelihood in words."""
        each = "one precision per output" if self.per_output else "precision"
        return f"normal noise, {each} ~ gamma of mean {self.sd**-2:.4g}, shape {self.alpha / 2:g}"

"""Noise with heavy tails, of an unknown precision."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable
from scipy.special import gammaln

from ..data.targets import Targets, numeric_targets
from ..priors.base import gamma_precision
from ..priors.settings import at_most, positive
from ..simd.elementary import log
from ..simd.kernels import jit
from ..simd.lane_memory import load, number, put, store, total, width
from ..simd.lanes import first_lanes
from .base import Draws, Likelihood
from .gaussian_noise import MOST_DEGREES
from .kernels.kernel import Kernel


@jit
def student_t(plan, k, at, y_at, n):
    r"""Energy of an output's t noise but for its precision's share of the constant.

    .. math:: \sum \tfrac{\nu + 1}{2} \log\Bigl(1 + \frac{\tau e^2}{\nu}\Bigr) + c_\nu

    Returns it with :math:`\sum w e^2`, where :math:`w = (\nu + 1) / (\nu + \tau e^2)` is what a
    case's precision is of that of all; replaces the output by :math:`\tau w e`.
    """
    f, y, block = plan.units, plan.y, plan.block
    tau, degrees = number(plan.precision, k), plan.first_setting
    share, after = tau / degrees, 0.5 * (degrees + 1.0)
    weight, constant = (degrees + 1.0) / degrees, plan.second_setting
    energy = squares = 0.0
    for c in range(0, block, width(f)):
        here = at + k * block + c
        error = first_lanes(load(f, here) - load(y, y_at + k * block + c), n - c, 0.0)
        inside = 1.0 + share * error * error
        energy += total(first_lanes(after * log(inside) + constant, n - c, 0.0))
        weighted = weight * error / inside
        squares += total(weighted * error)
        store(f, here, plan.power * tau * weighted)
    return energy, squares


@jit
def student_t_noise(plan, at, y_at, n):
    """Energy of t noise, see :func:`student_t`."""
    energy = 0.0
    for k in range(plan.outputs):
        energy += student_t(plan, k, at, y_at, n)[0]
    return plan.power * energy


@jit
def student_t_noise_with_squares(plan, at, y_at, n):
    """The same; adds the weighted squares of each output to numbers behind the precisions."""
    energy, outputs = 0.0, plan.outputs
    for k in range(outputs):
        added, squares = student_t(plan, k, at, y_at, n)
        energy += added
        put(plan.precision, outputs + k, number(plan.precision, outputs + k) + squares)
    return plan.power * energy


def _tail_constant(degrees: float) -> float:
    r"""Log density at its centre of a normal distribution over that of a t distribution."""
    gammas = math.lgamma(0.5 * degrees + 0.5) - math.lgamma(0.5 * degrees)
    return 0.5 * math.log(0.5 * degrees) - gammas


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
        Degrees of freedom :math:`\nu` of the noise, at most 1e8; few give heavy tails.
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

    name = "student_t_noise"
    classifies = False
    hyperparameters: ClassVar[tuple[str, ...]] = ("noise_precision",)
    noisy: ClassVar[bool] = True
    unit_scale: ClassVar[bool] = True
    kernel = Kernel(
        student_t_noise,
        student_t_noise_with_squares,
        settings=lambda noise: (noise.degrees, _tail_constant(noise.degrees)),
    )

    def __post_init__(self) -> None:
        positive("StudentTNoise", sd=self.sd, alpha=self.alpha, degrees=self.degrees)
        advice = "the noise is normal then, use GaussianNoise"
        at_most("StudentTNoise", MOST_DEGREES, advice, degrees=self.degrees)

    @classmethod
    def suiting(cls, y: Any) -> Self:
        """Noise of its own for each output, as outputs need not be as noisy as each other."""
        return cls(per_output=np.ndim(y) == 2 and np.shape(y)[1] > 1)

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
            f"{float(self.sd) ** -2:.4g}, shape {self.alpha / 2:g}"
        )

"""Counts that scatter by chance alone."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable
from scipy.special import gammaln

from ..data.targets import Targets, count_targets
from ..priors.settings import positive
from ..simd.elementary import exp
from ..simd.kernels import jit
from ..simd.lane_memory import load, store, total, width
from ..simd.lanes import first_lanes, larger
from .base import Draws, Likelihood
from .kernels.kernel import Kernel, floor

LARGEST_MEAN = 1e15  # of counts that NumPy can draw; around larger ones they are normal


@jit
def poisson(plan, at, y_at, n):
    r"""Energy :math:`\sum \mu - y \log \mu + \log y!`, :math:`\mu = \mathrm{rate} \cdot e^f`.

    Behind the rows of the counts are those of :math:`\log y!`.
    """
    f, y, outputs, block = plan.units, plan.y, plan.outputs, plan.block
    rate = plan.first_setting
    log_rate, energy = np.log(rate), 0.0
    for k in range(outputs):
        for c in range(0, block, width(f)):
            here = at + k * block + c
            count = load(y, y_at + k * block + c)
            log_factorial = load(y, y_at + (outputs + k) * block + c)
            above = load(f, here)
            mean = rate * exp(larger(above, floor(above)))
            terms = mean - count * (above + log_rate) + log_factorial
            energy += total(first_lanes(terms, n - c, 0.0))
            store(f, here, first_lanes(plan.power * (mean - count), n - c, 0.0))
    return plan.power * energy


def poisson_draws(mean: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Counts of these means: normal around large ones, infinite where these are.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.models.likelihoods.poisson import poisson_draws
    >>> poisson_draws(np.array([0.0, np.inf]), np.random.default_rng(0)).tolist()
    [0.0, inf]
    """
    counts = rng.poisson(np.minimum(mean, LARGEST_MEAN)).astype(float)
    large = mean > LARGEST_MEAN
    if large.any():
        around, finite = mean[large], np.isfinite(mean[large])
        noise = rng.standard_normal(around.shape)
        around[finite] += np.rint(np.sqrt(around[finite]) * noise[finite])
        counts[large] = around
    return counts


def _with_factorials(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([counts, gammaln(counts + 1.0)], axis=1)


@dataclass(frozen=True)
class Poisson(Likelihood):
    r"""Counts whose logarithmic mean is an output of the network.

    .. math:: y \sim \mathrm{Poisson}(\mu), \qquad \mu = \mathrm{rate} \cdot e^f

    Predictions have the output ``f`` and the mean ``rate``, :math:`\mu`.

    Parameters
    ----------
    rate : float
        Typical mean: that of a case for which the network's output is zero.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.Poisson(rate=3.0).words()
    'Poisson counts, mean 3 times exp(f)'
    """

    rate: float = 1.0

    name = "poisson"
    classifies = False
    counts: ClassVar[bool] = True
    variance_is_mean: ClassVar[bool] = True
    mean_name: ClassVar[str] = "rate"
    kernel = Kernel(poisson, settings=lambda counts: (counts.rate, 0.0), rows=_with_factorials)

    def __post_init__(self) -> None:
        positive("Poisson", rate=self.rate)

    @classmethod
    def suiting(cls, y: Any) -> Self:
        """Counts around the mean of others."""
        return cls(rate=float(np.mean(y)))

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        """Check that targets are counts, shape (cases,) or (cases, outputs)."""
        return count_targets(y)

    def information(self, units: int) -> np.ndarray:
        """Fisher information of the logarithmic mean at the typical one."""
        return np.full(units, np.float64(self.rate))

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare ``y_obs``."""
        mean = np.float64(self.rate) * pm.math.exp(f)
        pm.Poisson("y_obs", mean, observed=y, dims=("obs", "output"))

    def predicted(self, f: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
        """Outputs, and means of the counts."""
        with np.errstate(over="ignore"):  # far out it may be infinite
            return {"f": f, "rate": self.rate * np.exp(f)}

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log probability of each case, summed over outputs."""
        log_mean = np.log(self.rate) + f
        with np.errstate(over="ignore"):
            terms = y * log_mean - np.exp(log_mean) - gammaln(y + 1)
        return terms.sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw counts given outputs."""
        return poisson_draws(self.predicted(f, draws)["rate"], rng)

    def words(self) -> str:
        """Say the likelihood in words."""
        return f"Poisson counts, mean {self.rate:g} times exp(f)"

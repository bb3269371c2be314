"""Normal noise whose standard deviation the network computes for each case."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable

from ..data.targets import Targets, numeric_targets
from ..priors.settings import positive
from ..simd.elementary import exp
from ..simd.kernels import jit
from ..simd.lane_memory import load, store, total, width
from ..simd.lanes import first_lanes
from .base import Draws, Likelihood
from .kernels.kernel import Kernel


@jit
def heteroscedastic_noise(plan, at, y_at, n):
    r"""Energy :math:`\sum \tfrac12 z^2 + \log (\sqrt{2\pi} \sigma)`, :math:`z = (y - f) / \sigma`.

    By the means it has the derivative :math:`-z / \sigma`, by :math:`\log \sigma` it is
    :math:`1 - z^2`.
    """
    f, y, block, targets = plan.units, plan.y, plan.block, plan.outputs // 2
    sd, spread = plan.first_setting, plan.second_setting
    constant = 0.5 * np.log(2 * np.pi) + np.log(sd)
    energy = 0.0
    for k in range(targets):
        for c in range(0, block, width(f)):
            here, there = at + k * block + c, at + (targets + k) * block + c
            above = spread * load(f, there)
            inverse = (1.0 / sd) * exp(0.0 - above)
            z = inverse * (load(y, y_at + k * block + c) - load(f, here))
            energy += total(first_lanes(0.5 * z * z + (above + constant), n - c, 0.0))
            store(f, here, first_lanes(plan.power * (0.0 - inverse * z), n - c, 0.0))
            slope = (plan.power * spread) * (1.0 - z * z)
            store(f, there, first_lanes(slope, n - c, 0.0))
    return plan.power * energy


@dataclass(frozen=True)
class HeteroscedasticNoise(Likelihood):
    r"""Normal noise whose logarithmic standard deviation is an output of the network.

    .. math:: y_{ik} \sim N(f_{ik}, \sigma_{ik}^2), \qquad
              \sigma_{ik} = \mathrm{sd} \cdot e^{\mathrm{spread} \cdot g_{ik}}

    (Nix & Weigend 1994). The last layer has two units for each output :math:`k`: first those that
    compute the means :math:`f`, then those of :math:`g`, which share the hidden layers and the
    prior of the weights. There is no other parameter of the noise.

    Predictions and scores know it: ``f`` is the mean alone, ``noise_sd`` is :math:`\sigma`.

    Parameters
    ----------
    sd : float
        Typical standard deviation of the noise, in the unit of the targets: that of a case for
        which the network's second unit is zero.
    spread : float
        How much the logarithm of the standard deviation varies where that unit varies by 1. Small
        values say that the noise is much the same for all cases.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> noise = models.HeteroscedasticNoise(sd=0.3)
    >>> model = models.normal_inverse_gamma(X, X[:, 0], hidden=(4,), likelihood=noise)
    >>> model.groups["w1"].shape
    (4, 2)
    """

    sd: float = 0.3
    spread: float = 0.5

    name = "heteroscedastic_noise"
    classifies = False
    unit_scale: ClassVar[bool] = True
    steep: ClassVar[bool] = True
    kernel = Kernel(heteroscedastic_noise, settings=lambda noise: (noise.sd, noise.spread))

    def __post_init__(self) -> None:
        positive("HeteroscedasticNoise", sd=self.sd, spread=self.spread)

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        """Check that targets are finite numbers, shape (cases,) or (cases, outputs)."""
        return numeric_targets(y)

    def units(self, outputs: tuple) -> tuple:
        """Names of the units: the outputs, then their logarithmic standard deviations."""
        return (*map(str, outputs), *(f"log_sd_{name}" for name in outputs))

    def information(self, units: int) -> np.ndarray:
        """Fisher information of means and logarithmic standard deviations at the typical noise."""
        each = np.array([np.float64(self.sd) ** -2, 2 * np.float64(self.spread) ** 2])
        return np.repeat(each, units // 2)

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare ``y_obs``."""
        outputs = f.shape[1] // 2
        sigma = np.float64(self.sd) * pm.math.exp(np.float64(self.spread) * f[:, outputs:])
        pm.Normal("y_obs", f[:, :outputs], sigma, observed=y, dims=("obs", "output"))

    def predicted(self, f: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
        """Means, and standard deviations of the noise."""
        mean, log_sd = np.split(f, 2, axis=-1)
        with np.errstate(over="ignore"):  # far out it may be infinite
            return {"f": mean, "noise_sd": self.sd * np.exp(self.spread * log_sd)}

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log density of each case, summed over outputs."""
        mean, log_sd = np.split(f, 2, axis=-1)
        log_sd = np.log(self.sd) + self.spread * log_sd
        with np.errstate(over="ignore"):
            errors = ((y - mean) * np.exp(-log_sd)) ** 2
        return (-0.5 * errors - log_sd - 0.5 * np.log(2 * np.pi)).sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw targets given the units of the last layer."""
        known = self.predicted(f, draws)
        return known["f"] + known["noise_sd"] * rng.standard_normal(known["f"].shape)

    def words(self) -> str:
        """Say the likelihood in words."""
        return (
            f"normal noise, logarithmic standard deviation by the network: {self.sd:g} times "
            f"exp({self.spread:g} g)"
        )

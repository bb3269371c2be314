"""A likelihood with all that one of the package may have, in one file."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from pymc_bnn import models
from pymc_bnn.models.data.targets import Targets, numeric_targets
from pymc_bnn.models.likelihoods import Draws
from pymc_bnn.models.likelihoods.kernels.kernel import Kernel
from pymc_bnn.models.simd.elementary import logistic, softplus
from pymc_bnn.models.simd.kernels import jit
from pymc_bnn.models.simd.lane_memory import load, store, total, width
from pymc_bnn.models.simd.lanes import first_lanes
from pytensor.tensor.variable import TensorVariable
from scipy import stats


@jit
def logistic_noise(plan, at, y_at, n):
    r"""Energy :math:`\sum z + 2 \log(1 + e^{-z}) + \log s`, :math:`z = (f - y) / s`."""
    f, y, block, scale = plan.units, plan.y, plan.block, plan.first_setting
    energy = 0.0
    for k in range(plan.outputs):
        for c in range(0, block, width(f)):
            here = at + k * block + c
            z = (1.0 / scale) * (load(f, here) - load(y, y_at + k * block + c))
            terms = z + 2.0 * softplus(0.0 - z) + plan.second_setting
            energy += total(first_lanes(terms, n - c, 0.0))
            slope = (plan.power / scale) * (2.0 * logistic(z) - 1.0)
            store(f, here, first_lanes(slope, n - c, 0.0))
    return plan.power * energy


@dataclass(frozen=True)
class LogisticNoise(models.Likelihood):
    """Noise of a logistic distribution of a known scale."""

    scale: float = 0.1

    name = "logistic_noise"
    classifies = False
    kernel = Kernel(logistic_noise, settings=lambda noise: (noise.scale, np.log(noise.scale)))

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        return numeric_targets(y)

    def information(self, units: int) -> np.ndarray:
        return np.full(units, 1 / (3 * self.scale**2))

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        pm.Logistic("y_obs", f, np.float64(self.scale), observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return stats.logistic.logpdf(y, f, self.scale).sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return rng.logistic(f, self.scale)

    def words(self) -> str:
        return f"logistic noise of scale {self.scale:g}"

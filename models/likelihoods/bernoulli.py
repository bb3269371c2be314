"""Two classes."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable
from scipy.special import expit

from ..data.class_targets import class_targets
from ..data.targets import Targets
from ..simd import registers
from ..simd.elementary import logistic, softplus
from ..simd.kernels import jit
from ..simd.lane_memory import load, number, store, total, width
from ..simd.lanes import first_lanes, larger
from ..simd.registers import TILE, repeat
from .base import Draws, Likelihood
from .kernels.kernel import Kernel, OfChains, floor


@jit
def bernoulli(plan, at, y_at, n):
    r"""Energy :math:`\sum \log(1 + e^f) - y f`."""
    f, y, block = plan.units, plan.y, plan.block
    energy = 0.0
    for c in range(0, block, width(f)):
        logit, success = load(f, at + c), load(y, y_at + c)
        against = (1.0 - 2.0 * success) * logit
        energy += total(first_lanes(softplus(larger(against, floor(logit))), n - c, 0.0))
        slope = plan.power * (logistic(larger(logit, floor(logit))) - success)
        store(f, at + c, first_lanes(slope, n - c, 0.0))
    return plan.power * energy


@jit
def energy_of_chains(f, at, y, y_at, noise, outputs, cases):
    """The same energy, of each of eight chains."""
    energy = repeat(0.0)
    for c in range(cases):
        energy += softplus((1.0 - 2.0 * number(y, y_at + c)) * registers.load(f, at + c))
    return registers.load(noise, outputs) * energy


@jit
def derivative_of_chains(f, at, y, y_at, noise, outputs, cases):
    """Replace the outputs of eight chains by the derivative."""
    for c in range(TILE):
        error = logistic(registers.load(f, at + c)) - number(y, y_at + c)
        registers.store(
            f, at + c, registers.load(noise, outputs) * error if c < cases else repeat(0.0)
        )


@dataclass(frozen=True)
class Bernoulli(Likelihood):
    """Two classes; the output is the log odds of the second one (Neal 1992).

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.Bernoulli().words()
    'two classes, logistic'
    """

    name = "bernoulli"
    classifies = True
    kernel = Kernel(bernoulli, of_chains=OfChains(energy_of_chains, derivative_of_chains))

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        """Check that targets have two classes and code them 0 and 1."""
        return class_targets(y, classes, exactly=2)

    def information(self, units: int) -> np.ndarray:
        """Curvature at equal probabilities."""
        return np.full(units, 0.25)

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare ``y_obs``."""
        pm.Bernoulli("y_obs", logit_p=f[:, 0], observed=y, dims=("obs",))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log probability of each case."""
        return -np.logaddexp(0.0, np.where(y == 1, -f[..., 0], f[..., 0]))

    def probability(self, f: np.ndarray, draws: Draws) -> np.ndarray:
        """Probability of the second class."""
        return expit(f)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw classes given outputs."""
        return (rng.random(f.shape[:-1]) < expit(f[..., 0])).astype(np.int64)

    def words(self) -> str:
        """Say the likelihood in words."""
        return "two classes, logistic"

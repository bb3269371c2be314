"""The outputs of M(3*): a softmax of logistic functions (3.1)."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable
from scipy.special import expit, log_softmax, softmax

from ....models import Likelihood
from ....models.data.class_targets import class_targets
from ....models.data.targets import Targets
from ....models.likelihoods.kernels.kernel import Kernel, floor
from ....models.simd.elementary import exp, log, logistic
from ....models.simd.kernels import jit
from ....models.simd.lane_memory import load, store, total, width, zeros
from ....models.simd.lanes import first_lanes, larger, where_equal, where_greater


@jit
def logistic_outputs(plan, at, y_at, n):
    r"""Energy :math:`\sum \log \sum_k e^{s_k} - s_y` with :math:`s_k = 1 / (1 + e^{-f_k})`."""
    f, y, outputs, block = plan.units, plan.y, plan.outputs, plan.block
    energy = 0.0
    for c in range(0, block, width(f)):
        label = load(y, y_at + c)
        chosen, summed = zeros(f), zeros(f)
        for k in range(outputs):
            output = load(f, at + k * block + c)
            level = logistic(larger(output, floor(output)))
            level = where_greater(floor(output), output, 0.0, level)
            chosen = where_equal(label, k, level, chosen)
            summed += exp(level)
            store(f, at + k * block + c, level)
        energy += total(first_lanes(log(summed) - chosen, n - c, 0.0))
        for k in range(outputs):
            level = load(f, at + k * block + c)
            error = exp(level) / summed - where_equal(label, k, 1.0, 0.0)
            slope = plan.power * error * (level * (1.0 - level))
            store(f, at + k * block + c, first_lanes(slope, n - c, 0.0))
    return plan.power * energy


@dataclass(frozen=True)
class LogisticOutputs(Likelihood):
    """Several classes; the softmax is of logistic functions of the outputs (3.1).

    No class can be more probable than ``e / (e + 9)`` where there are ten.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.design.logistic_outputs import LogisticOutputs
    >>> bool(LogisticOutputs().probability(np.array([[[50.0] + [-50.0] * 9]]), {}).max() < 0.24)
    True
    """

    classifies = True
    kernel = Kernel(logistic_outputs)

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        """Check that targets have two classes or more and code them 0, 1, ..."""
        return class_targets(y, classes)

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare ``y_obs``."""
        pm.Categorical("y_obs", logit_p=pm.math.sigmoid(f), observed=y, dims=("obs",))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Mapping) -> np.ndarray:
        """Log probability of each case."""
        return log_softmax(expit(f), axis=-1)[:, np.arange(len(y)), y]

    def probability(self, f: np.ndarray, draws: Mapping) -> np.ndarray:
        """Class probabilities."""
        return softmax(expit(f), axis=-1)

    def simulate(self, f: np.ndarray, draws: Mapping, rng: np.random.Generator) -> np.ndarray:
        """Draw classes given outputs, by adding Gumbel noise and taking the largest."""
        return np.argmax(expit(f) + rng.gumbel(size=f.shape), axis=-1)

    def words(self) -> str:
        """Say the likelihood in words."""
        return "several classes, softmax of logistic outputs"

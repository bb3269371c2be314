"""Several classes."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable
from scipy.special import log_softmax, softmax

from ..data.class_targets import class_targets
from ..data.targets import Targets
from ..simd.elementary import exp, log
from ..simd.kernels import jit
from ..simd.lane_memory import load, store, total, width, zeros
from ..simd.lanes import first_lanes, larger, where_equal
from .base import Draws, Likelihood
from .kernel import Kernel, floor


@jit
def categorical(plan, at, y_at, n):
    r"""Energy :math:`\sum \log \sum_k e^{f_k} - f_y`."""
    f, y, outputs, block = plan.units, plan.y, plan.outputs, plan.block
    energy = 0.0
    for c in range(0, block, width(f)):
        label, largest = load(y, y_at + c), load(f, at + c)
        for k in range(1, outputs):
            largest = larger(largest, load(f, at + k * block + c))
        chosen, summed = zeros(f), zeros(f)
        for k in range(outputs):
            here = at + k * block + c
            below = load(f, here) - largest
            chosen = where_equal(label, k, below, chosen)
            weight = exp(larger(below, floor(below)))
            summed += weight
            store(f, here, weight)
        energy += total(first_lanes(log(summed) - chosen, n - c, 0.0))
        for k in range(outputs):
            here = at + k * block + c
            error = load(f, here) / summed - where_equal(label, k, 1.0, 0.0)
            store(f, here, first_lanes(plan.power * error, n - c, 0.0))
    return plan.power * energy


@dataclass(frozen=True)
class Categorical(Likelihood):
    """Several classes; the outputs are log odds up to a constant (Lau 2018, 4.1).

    Classes are those that occur among the targets: categories of a pandas categorical of which
    there is no case are left out, as scikit-learn's classifiers do. :class:`Ordered` keeps them.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.Categorical().words()
    'several classes, softmax'
    """

    name = "categorical"
    classifies = True
    kernel = Kernel(categorical)

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        """Check that targets have two classes or more and code them 0, 1, ..."""
        return class_targets(y, classes)

    def information(self, units: int) -> np.ndarray:
        """Curvature at equal probabilities."""
        share = 1 / units
        return np.full(units, share * (1 - share))

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare ``y_obs``."""
        pm.Categorical("y_obs", logit_p=f, observed=y, dims=("obs",))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log probability of each case."""
        log_probability = log_softmax(f, axis=-1)
        return log_probability[:, np.arange(len(y)), y]

    def probability(self, f: np.ndarray, draws: Draws) -> np.ndarray:
        """Class probabilities."""
        return softmax(f, axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw classes given outputs, by adding Gumbel noise and taking the largest."""
        return np.argmax(f + rng.gumbel(size=f.shape), axis=-1)

    def words(self) -> str:
        """Say the likelihood in words."""
        return "several classes, softmax"

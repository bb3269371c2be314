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
from ..simd import registers
from ..simd.elementary import exp, log
from ..simd.kernels import jit
from ..simd.lane_memory import load, store, total, width, zeros
from ..simd.lanes import first_lanes, larger, where_equal
from ..simd.registers import TILE, repeat
from .base import Draws, Likelihood
from .kernels.kernel import Kernel, OfChains, floor


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


@jit
def exponentials(f, at, outputs):
    """Replace the outputs of a case by exponentials; return their sum and the largest output."""
    largest, total = registers.load(f, at), repeat(0.0)
    for k in range(1, outputs):
        largest = larger(largest, registers.load(f, at + k * TILE))
    for k in range(outputs):
        weight = exp(registers.load(f, at + k * TILE) - largest)
        total += weight
        registers.store(f, at + k * TILE, weight)
    return total, largest


@jit
def energy_of_chains(f, at, y, y_at, noise, outputs, cases):
    """The same energy, of each of eight chains."""
    energy = repeat(0.0)
    for c in range(cases):
        chosen = registers.load(f, at + int(y[y_at + c]) * TILE + c)
        total, largest = exponentials(f, at + c, outputs)
        energy += log(total) + (largest - chosen)
    return registers.load(noise, outputs) * energy


@jit
def derivative_of_chains(f, at, y, y_at, noise, outputs, cases):
    """Replace the outputs of eight chains by the derivative."""
    for c in range(TILE):
        total, _ = exponentials(f, at + c, outputs)
        power = registers.load(noise, outputs)
        for k in range(outputs):
            i = at + k * TILE + c
            registers.store(
                f, i, power * (registers.load(f, i) / total) if c < cases else repeat(0.0)
            )
        if c < cases:
            i = at + int(y[y_at + c]) * TILE + c
            registers.store(f, i, registers.load(f, i) - power)


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
    kernel = Kernel(categorical, of_chains=OfChains(energy_of_chains, derivative_of_chains))

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

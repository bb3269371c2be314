"""Several classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable
from scipy.special import log_softmax, softmax

from ..data.class_targets import class_targets
from ..data.targets import Targets
from .base import Draws, Likelihood


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

    classifies = True

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

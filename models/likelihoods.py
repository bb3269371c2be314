"""How targets are distributed around the network's outputs.

A likelihood declares the observed variable of the model and knows the same density on NumPy
arrays of posterior draws, for predictions and scores. :data:`LIKELIHOODS` registers them.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable
from scipy.special import expit, log_softmax, softmax

from .data.choices import choose
from .data.targets import Targets, class_targets, numeric_targets
from .priors.base import gamma_precision, positive, settings

Draws = Mapping[str, np.ndarray]
"""Posterior draws of hyperparameters by name, each of shape (samples, ...)."""


class Likelihood(ABC):
    """Distribution of the targets given the network's outputs."""

    classifies: bool
    hyperparameters: tuple[str, ...] = ()

    @abstractmethod
    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        """Check targets and turn them into numbers; ``classes`` fixes a known coding."""

    @abstractmethod
    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare the hyperparameters and the observed variable ``y_obs`` in the model."""

    @abstractmethod
    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log density of each case, summed over outputs.

        Parameters
        ----------
        f : ndarray, shape (samples, cases, outputs)
            Network outputs.
        y : ndarray, shape (cases, outputs) or (cases,)
            Encoded targets.
        draws : mapping
            The likelihood's hyperparameters.

        Returns
        -------
        ndarray, shape (samples, cases)
        """

    @abstractmethod
    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw targets given outputs of shape (samples, cases, outputs)."""

    def probability(self, f: np.ndarray) -> np.ndarray:
        """Class probabilities given outputs, for likelihoods that classify."""
        raise TypeError(f"{type(self).__name__} has no class probabilities.")

    @abstractmethod
    def words(self) -> str:
        """Say the likelihood in words, for reports."""

    def to_dict(self) -> dict[str, Any]:
        """Describe the likelihood in JSON-able values."""
        kind = type(self)
        ours = kind in LIKELIHOODS.values()
        name = kind.__name__ if ours else f"{kind.__module__}.{kind.__qualname__}"
        return {"name": name, **settings(self)}


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

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.GaussianNoise(sd=0.1).words()
    'normal noise, precision ~ gamma of mean 100, shape 0.25'
    """

    sd: float = 0.1
    alpha: float = 0.5
    per_output: bool = False

    classifies = False
    hyperparameters = ("noise_precision",)

    def __post_init__(self) -> None:
        positive("GaussianNoise", sd=self.sd, alpha=self.alpha)

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

    def words(self) -> str:
        """Say the likelihood in words."""
        each = "one precision per output" if self.per_output else "precision"
        return f"normal noise, {each} ~ gamma of mean {self.sd**-2:.4g}, shape {self.alpha / 2:g}"


@dataclass(frozen=True)
class Bernoulli(Likelihood):
    """Two classes; the output is the log odds of the second one (Neal 1992).

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.Bernoulli().words()
    'two classes, logistic'
    """

    classifies = True

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        """Check that targets have two classes and code them 0 and 1."""
        return class_targets(y, classes, exactly=2)

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare ``y_obs``."""
        pm.Bernoulli("y_obs", logit_p=f[:, 0], observed=y, dims=("obs",))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log probability of each case."""
        return -np.logaddexp(0.0, np.where(y == 1, -f[..., 0], f[..., 0]))

    def probability(self, f: np.ndarray) -> np.ndarray:
        """Probability of the second class."""
        return expit(f)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw classes given outputs."""
        return (rng.random(f.shape[:-1]) < expit(f[..., 0])).astype(np.int64)

    def words(self) -> str:
        """Say the likelihood in words."""
        return "two classes, logistic"


@dataclass(frozen=True)
class Categorical(Likelihood):
    """Several classes; the outputs are log odds up to a constant (Lau 2018, 4.1).

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

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare ``y_obs``."""
        pm.Categorical("y_obs", logit_p=f, observed=y, dims=("obs",))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log probability of each case."""
        log_probability = log_softmax(f, axis=-1)
        return log_probability[:, np.arange(len(y)), y]

    def probability(self, f: np.ndarray) -> np.ndarray:
        """Class probabilities."""
        return softmax(f, axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw classes given outputs, by adding Gumbel noise and taking the largest."""
        return np.argmax(f + rng.gumbel(size=f.shape), axis=-1)

    def words(self) -> str:
        """Say the likelihood in words."""
        return "several classes, softmax"


LIKELIHOODS: dict[str, type[Likelihood]] = {
    "gaussian_noise": GaussianNoise,
    "bernoulli": Bernoulli,
    "categorical": Categorical,
}
_ALIASES = {"gaussian": "gaussian_noise", "gaussiannoise": "gaussian_noise"}


def likelihood(given: str | Likelihood | Mapping[str, Any]) -> Likelihood:
    """Turn a name or a description into a likelihood.

    Parameters
    ----------
    given : Likelihood, str or mapping
        A likelihood; one of ``"gaussian_noise"``, ``"bernoulli"``, ``"categorical"``, for
        its default settings; or what :meth:`Likelihood.to_dict` returned.

    Returns
    -------
    Likelihood

    Raises
    ------
    ValueError
        If there is no such likelihood.

    Examples
    --------
    >>> from pymc_bnn.models.likelihoods import likelihood
    >>> likelihood("bernoulli")
    Bernoulli()
    """
    if isinstance(given, Likelihood):
        return given
    arguments = dict(given) if isinstance(given, Mapping) else {"name": given}
    if "name" not in arguments:
        raise ValueError(f"likelihood={given!r}: give its name too, {', '.join(LIKELIHOODS)}.")
    name = str(arguments.pop("name")).lower()
    found = LIKELIHOODS[choose("likelihood", _ALIASES.get(name, name), LIKELIHOODS)]
    for setting in arguments:
        choose(f"setting of {found.__name__}", setting, signature(found).parameters)
    return found(**arguments)

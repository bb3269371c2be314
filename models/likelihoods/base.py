"""What every likelihood declares and knows."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pytensor.tensor.variable import TensorVariable

from ..class_digest import full_name
from ..data.targets import Targets
from ..priors.settings import settings
from .kernels.kernel import Kernel

Draws = Mapping[str, np.ndarray]
"""Posterior draws of hyperparameters by name, each of shape (samples, ...)."""


class Likelihood(ABC):
    """Distribution of the targets given the network's outputs."""

    name: ClassVar[str]  # by which those of the package are registered
    classifies: bool
    hyperparameters: ClassVar[tuple[str, ...]] = ()
    independent: ClassVar[bool] = True  # whether cases are, given the draws
    noisy: ClassVar[bool] = False  # whether a variable is the precision of the targets' noise
    unit_scale: ClassVar[bool] = False  # whether priors expect targets of about unit scale
    counts: ClassVar[bool] = False  # whether targets are whole numbers from 0 on
    variance_is_mean: ClassVar[bool] = False  # whether that of counts is, as in Poisson regression
    noise_by_row: ClassVar[str | None] = None  # name of the likelihood that has such noise by row
    steep: ClassVar[bool] = False  # whether curvature grows without bound along the units
    mean_name: ClassVar[str] = "f"  # what of :meth:`predicted` is the mean of numbers and counts
    kernel: ClassVar[Kernel | None] = None  # of this class alone, see :meth:`own_kernel`

    @classmethod
    def own_kernel(cls) -> Kernel | None:
        """Energy as compiled code, if the class itself has it.

        A class inherits no kernel, as it may observe otherwise than its base.

        Returns
        -------
        Kernel or None

        Raises
        ------
        TypeError
            If it is of noise with a precision and does not add up the squared errors, or of noise
            that is integrated out and cases are said to be independent.
        """
        own = vars(cls).get("kernel")
        if not isinstance(own, Kernel):
            return None
        if cls.noisy and own.with_squares is None:
            raise TypeError(
                f"{cls.__name__}.kernel lacks with_squares, which noise with a precision needs."
            )
        if own.integrated and cls.independent:
            raise TypeError(
                f"{cls.__name__}.kernel integrates the noise out, so that cases depend on each "
                "other; say independent = False."
            )
        return own

    @classmethod
    def suiting(cls, y: Any) -> Self:
        """Likelihood with the default settings, unless it says here which ones suit targets.

        Parameters
        ----------
        y : array, Series or DataFrame
            Targets, numbers in units of their standard deviation.

        Returns
        -------
        Likelihood
        """
        return cls()

    @abstractmethod
    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        """Check targets and turn them into numbers; ``classes`` fixes a known coding."""

    def units(self, outputs: tuple) -> tuple:
        """Names of the units of the network's last layer, for the outputs that targets have.

        Each output has one unit, unless a likelihood says otherwise here.
        """
        return outputs

    def information(self, units: int) -> np.ndarray:
        """Curvature of a case's energy by each unit of the last layer.

        Step sizes follow from it, and from the precision of the noise where there is one. It may be
        a guess: draws are as right with any step sizes.

        Parameters
        ----------
        units : int
            How many there are.

        Returns
        -------
        ndarray, shape (units,)
        """
        return np.ones(units)

    @abstractmethod
    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare the hyperparameters and the observed variable ``y_obs`` in the model.

        Parameters
        ----------
        f : TensorVariable, shape (cases, units)
            Units of the last layer.
        y : TensorVariable
            Encoded targets.
        """

    @abstractmethod
    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log density of each case, summed over outputs.

        Parameters
        ----------
        f : ndarray, shape (samples, cases, units)
            Units of the last layer.
        y : ndarray, shape (cases, outputs) or (cases,)
            Encoded targets.
        draws : mapping
            The likelihood's hyperparameters.

        Returns
        -------
        ndarray, shape (samples, cases)
        """

    def log_density_of_trained(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        r"""Log density of training cases, each given the weights and all other training cases.

        It is :math:`\log p(y_i \mid y_{-i}, \theta)`, of which leave-one-out makes its estimate:
        its importance ratios are

        .. math:: \frac{p(\theta \mid y_{-i})}{p(\theta \mid y)} \propto
                  \frac{p(y_{-i} \mid \theta)}{p(y \mid \theta)}
                  = \frac{1}{p(y_i \mid y_{-i}, \theta)}.

        Where cases are independent given the draws, as they are unless a likelihood says otherwise
        here, it is :meth:`log_density`.

        Parameters
        ----------
        f, y, draws
            As for :meth:`log_density`, of cases that the model was fitted to.

        Returns
        -------
        ndarray, shape (samples, cases)
        """
        return self.log_density(f, y, draws)

    def completed(self, draws: Draws, rng: np.random.Generator) -> Draws:
        """Add to draws what targets of all new cases share, and a draw leaves to chance.

        Parameters
        ----------
        draws : mapping
            The likelihood's hyperparameters.
        rng : Generator
            Where random numbers come from.

        Returns
        -------
        mapping
            What :meth:`simulate` gets, for one batch of cases after the other.
        """
        return draws

    @abstractmethod
    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw targets given units of the last layer, shape (samples, cases, units)."""

    def predicted(self, f: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
        """What draws say of targets: ``f``, and probabilities of classes.

        Parameters
        ----------
        f : ndarray, shape (samples, cases, units)
            Units of the last layer.
        draws : mapping
            The likelihood's hyperparameters.

        Returns
        -------
        dict of str to ndarray, shape (samples, cases, outputs)
            The same names for any draws, none of them ``y``; ``probability`` for classes, and
            ``mean`` where the mean of targets is not the output ``f``.
        """
        if self.classifies:
            return {"f": f, "probability": self.probability(f, draws)}
        return {"f": f}

    def probability(self, f: np.ndarray, draws: Draws) -> np.ndarray:
        """Class probabilities, for likelihoods that classify; arguments are as above."""
        raise TypeError(f"{type(self).__name__} has no class probabilities.")

    @abstractmethod
    def words(self) -> str:
        """Say the likelihood in words, for reports."""

    def to_dict(self) -> dict[str, Any]:
        """Describe the likelihood in JSON-able values."""
        return {"name": full_name(type(self)), **settings(self)}

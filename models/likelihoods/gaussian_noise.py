"""Normal noise of an unknown precision."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable
from scipy.special import gammaln

from ..data.targets import Targets, numeric_targets
from ..priors.base import gamma_precision
from ..priors.settings import at_most, positive
from .base import Draws, Likelihood
from .joint_noise import JointNoise
from .kernels.kernel import Kernel
from .kernels.normal_noise import NORMAL_KERNEL, gaussian_noise

MOST_DEGREES = 1e8  # of freedom, up to which the gamma functions of a t density keep six digits


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
    integrate : bool
        Whether the precision is integrated out (Neal 1992, Eqs. 32-35), with ``alpha`` up to 1e8;
        this makes an :class:`.gaussian_noise.IntegratedNoise`, which has no ``noise_precision``.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.GaussianNoise(sd=0.1).words()
    'normal noise, precision ~ gamma of mean 100, shape 0.25'
    >>> models.GaussianNoise(sd=1.0, alpha=0.1, integrate=True)  # that of Neal (1992)
    GaussianNoise(sd=1.0, alpha=0.1, integrate=True)
    """

    sd: float = 0.1
    alpha: float = 0.5
    per_output: bool = False
    integrate: bool = field(default=False, repr=False)

    name = "gaussian_noise"
    classifies = False
    hyperparameters: ClassVar[tuple[str, ...]] = ("noise_precision",)
    noisy: ClassVar[bool] = True
    unit_scale: ClassVar[bool] = True
    noise_by_row: ClassVar[str | None] = "heteroscedastic_noise"
    kernel = NORMAL_KERNEL

    def __post_init__(self) -> None:
        positive("GaussianNoise", sd=self.sd, alpha=self.alpha)
        if not self.integrate:
            return
        if self.per_output:
            raise ValueError(
                "GaussianNoise(integrate=True, per_output=True): the precision that is integrated "
                "out is one for all outputs; leave per_output out."
            )
        advice = f"alpha={MOST_DEGREES:g} fixes the noise as well, or leave integrate out"
        at_most("GaussianNoise", MOST_DEGREES, advice, alpha=self.alpha)
        if type(self) is GaussianNoise:  # kernels go by the class
            object.__setattr__(self, "__class__", IntegratedNoise)
        elif not isinstance(self, IntegratedNoise):
            raise ValueError(
                f"{type(self).__name__}(integrate=True): only GaussianNoise itself integrates its "
                "precision out; leave integrate out."
            )

    @classmethod
    def suiting(cls, y: Any) -> Self:
        """Noise of its own for each output, as outputs need not be as noisy as each other."""
        return cls(per_output=np.ndim(y) == 2 and np.shape(y)[1] > 1)

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

    def to_dict(self) -> dict[str, Any]:
        """Describe the likelihood in JSON-able values; what is not integrated needs no saying."""
        described = super().to_dict()
        return (
            described
            if self.integrate
            else {k: described[k] for k in described if k != "integrate"}
        )

    def words(self) -> str:
        """Say the likelihood in words."""
        each = "one precision per output" if self.per_output else "precision"
        mean = float(self.sd) ** -2  # integers of NumPy have no negative powers
        return f"normal noise, {each} ~ gamma of mean {mean:.4g}, shape {self.alpha / 2:g}"


PRECISION = "noise_precision"  # of the noise of a draw, where it is simulated


@dataclass(frozen=True, repr=False)
class IntegratedNoise(GaussianNoise):
    r"""What ``GaussianNoise(integrate=True)`` is: noise without its precision (Neal 1992).

    All targets together have the density of the report's Eq. 33, a multivariate t,

    .. math:: p(y \mid w) = \int_0^\infty p(y \mid w, \tau)\, p(\tau)\, d\tau =
              \frac{\Gamma(\frac{m_0 + m}{2})}{\Gamma(\frac{m_0}{2})\, \pi^{m/2}}\,
              s_0^{m_0/2}\, (s_0 + S)^{-(m_0 + m)/2}

    with :math:`m` targets and their squared error :math:`S`. Its prior of the precision (Eq. 32) is
    that of :class:`GaussianNoise` in other words: :math:`m_0 = \alpha` and
    :math:`s_0 = \alpha\, \mathrm{sd}^2`, so that the report's :math:`m_0 = s_0 = 0.1` are
    ``alpha=0.1, sd=1``.

    Cases are not independent given the weights. Draws hold what is needed to predict other ones:
    ``squared_error``, :math:`S`, and ``noise_scale``, :math:`\sqrt{(s_0 + S) / (m_0 + m)}`. Given
    both, a target of a new case has a t distribution of this scale and :math:`m_0 + m` degrees of
    freedom (Eq. 35), and the precision a gamma distribution of shape :math:`(m_0 + m)/2` and rate
    :math:`(s_0 + S)/2`. ``pm.sample_posterior_predictive`` knows nothing
    of that, and is refused; :meth:`.BNN.predict` does. ``pm.compute_log_likelihood`` gives the
    joint density of all cases as one number, of which ``az.loo`` makes no leave-one-out;
    that of :func:`pymc_bnn.studies.compare` is of the cases. Steps that draw or assume a precision
    of the noise refuse such a network, and :func:`pymc_bnn.samplers.sample` takes others.
    """

    integrate: bool = field(default=True, repr=False)

    hyperparameters: ClassVar[tuple[str, ...]] = ("squared_error", "noise_scale")
    independent = False
    noisy = False
    kernel = Kernel(gaussian_noise, None, lambda n: (n.alpha, n.alpha * n.sd**2), integrated=True)

    def information(self, units: int) -> np.ndarray:
        """Curvature at the typical precision."""
        return np.full(units, np.float64(self.sd) ** -2)

    def __repr__(self) -> str:
        return f"GaussianNoise(sd={self.sd!r}, alpha={self.alpha!r}, integrate=True)"

    @property
    def _s0(self) -> np.float64:
        return np.float64(self.alpha) * np.float64(self.sd) ** 2

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        """Declare ``squared_error``, ``noise_scale`` and ``y_obs``."""
        m0 = np.float64(self.alpha)
        squares = pm.Deterministic("squared_error", ((y - f) ** 2).sum())
        pm.Deterministic("noise_scale", pt.sqrt((self._s0 + squares) / (m0 + y.size)))
        JointNoise("y_obs", f, m0, self._s0, observed=y, dims=("obs", "output"))

    def _given(self, draws: Draws) -> tuple[np.ndarray, np.ndarray]:
        """The sums ``m0 + m`` and ``s0 + S`` of each draw, shape (samples, 1)."""
        squares = self._s0 + draws["squared_error"].reshape(-1, 1)
        return squares / draws["noise_scale"].reshape(-1, 1) ** 2, squares

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        """Log density of each new case given the weights and all training cases (Eq. 35)."""
        degrees, squares = self._given(draws)
        return _log_t(((y - f) ** 2).sum(axis=-1), f.shape[-1], degrees, squares)

    def log_density_of_trained(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        r"""Log density of each training case given the weights and all other training cases.

        It is Eq. 35 with the case taken out of what is given: :math:`m_0 + m - D` for
        :math:`m_0 + m`, and :math:`s_0 + S - e_i` for :math:`s_0 + S`, with :math:`D` outputs and
        the squared error :math:`e_i` of the case. Leave-one-out needs it, see
        :meth:`.Likelihood.log_density_of_trained`.
        """
        degrees, squares = self._given(draws)
        errors, outputs = ((y - f) ** 2).sum(axis=-1), f.shape[-1]
        others = squares - errors
        if np.any(others < self._s0 * (1 - 1e-6) - 1e-9 * squares):
            raise ValueError(
                "A squared error is larger than that of all training cases: y or the draws are not "
                "those of the fit; leave X and y out."
            )
        return _log_t(errors, outputs, degrees - outputs, np.maximum(others, self._s0))

    def completed(self, draws: Draws, rng: np.random.Generator) -> Draws:
        """Add the precision of the noise, of which each draw tells the distribution."""
        degrees, squares = self._given(draws)
        return {**draws, PRECISION: rng.gamma(degrees / 2, 2 / squares)[..., None]}

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw targets given outputs; those of one draw share a precision of the noise."""
        known = draws if PRECISION in draws else self.completed(draws, rng)
        return f + rng.standard_normal(f.shape) / np.sqrt(known[PRECISION])

    def to_dict(self) -> dict[str, Any]:
        """Describe the likelihood in JSON-able values, as the GaussianNoise that it is."""
        return {**super().to_dict(), "name": "GaussianNoise"}

    def words(self) -> str:
        """Say the likelihood in words."""
        return f"{super().words()}, integrated out"


def _log_t(
    errors: np.ndarray, outputs: int, degrees: np.ndarray, squares: np.ndarray
) -> np.ndarray:
    """Log density of cases with these squared errors (Eq. 35)."""
    after = (degrees + outputs) / 2
    constant = gammaln(after) - gammaln(degrees / 2) - outputs / 2 * np.log(np.pi * squares)
    return constant - after * np.log1p(errors / squares)

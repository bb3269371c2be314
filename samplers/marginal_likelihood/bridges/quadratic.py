r"""The bridge from a posterior to a diagonal quadratic, whose integral is known.

With :math:`J(w) = -\log p(y, w)`, a centre :math:`w_0` and :math:`Q(w) = \tfrac12 \sum_i k_i
(w_i - w_{0,i})^2`,

.. math:: J_\lambda(w) = (1 - \lambda) (J(w) - J(w_0)) + \lambda Q(w), \qquad
          \log Z = \log Z_0 - J(w_0)
                   + \int_0^1 \langle Q - (J - J(w_0)) \rangle_\lambda \, d\lambda

(Baldock & Marzari 2019, Eqs. 18-26). Eq. 21 adds :math:`J(w_0)` at each :math:`\lambda`, so that at
1 it is not the bare quadratic that the text says, and Eq. 24 lacks that constant; here it is in
:math:`\log Z`, where it belongs.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import simpson
from scipy.special import erf, ndtr, ndtri

from ..cautions import autocorrelation_time


@dataclass(frozen=True)
class Quadratic:
    r"""The energy :math:`Q` within a box.

    Attributes
    ----------
    centre : ndarray, shape (size,)
        :math:`w_0`, within the box.
    precision : ndarray, shape (size,)
        :math:`k`, all positive.
    lower, upper : ndarray, shape (size,)
        Walls of the box; infinite where there are none.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.bridges.quadratic import Quadratic
    >>> one = np.ones(1)
    >>> bool(np.isclose(Quadratic(0 * one, one, 0 * one, np.inf * one).log_integral(),
    ...                 np.log(np.sqrt(2 * np.pi) / 2)))
    True
    """

    centre: np.ndarray
    precision: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def energy(self, w: np.ndarray) -> float:
        """Energy at a position (Eq. 18)."""
        return float(0.5 * np.sum(self.precision * (w - self.centre) ** 2))

    def log_integral(self) -> float:
        """Logarithm of the integral of the density over the box (Eq. 19)."""
        below, above = self._walls()
        within = 0.5 * (erf(above / np.sqrt(2)) - erf(below / np.sqrt(2)))
        return float(np.sum(0.5 * np.log(2 * np.pi / self.precision) + np.log(within)))

    def draws(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draw independently from the density within the box, shape (count, size)."""
        below, above = self._walls()
        uniforms = rng.random((count, self.centre.size))
        standard = ndtri(ndtr(below) + uniforms * (ndtr(above) - ndtr(below)))
        return np.clip(self.centre + standard * self.precision**-0.5, self.lower, self.upper)

    def _walls(self) -> tuple[np.ndarray, np.ndarray]:
        """Both walls, from the centre in standard deviations."""
        scale = np.sqrt(self.precision)
        return scale * (self.lower - self.centre), scale * (self.upper - self.centre)


def integral(differences: np.ndarray, places: np.ndarray) -> tuple[float, float]:
    r"""Integrate the mean of :math:`Q - (J - J(w_0))` along the bridge by Simpson's rule.

    Parameters
    ----------
    differences : ndarray, shape (places, draws)
        Values at the draws of each bridging distribution.
    places : ndarray, shape (places,)
        Rising :math:`\lambda`, from 0 to 1.

    Returns
    -------
    integral : float
        The integral (Eqs. 24-25).
    error : float
        Its standard error by what the draws of each distribution remember of each other, as if
        those of different distributions were independent.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.bridges.quadratic import integral
    >>> places = np.linspace(0, 1, 5)
    >>> found, error = integral(np.repeat(places[:, None] ** 2, 9, axis=1), places)
    >>> round(found, 12), error
    (0.333333333333, 0.0)
    """
    weights = simpson(np.eye(places.size), x=places)
    memories = np.array([autocorrelation_time(one[None]) for one in differences])
    variances = differences.var(axis=1, ddof=1) * np.maximum(memories, 1) / differences.shape[1]
    return float(weights @ differences.mean(axis=1)), float(np.sqrt(weights**2 @ variances))

r"""Mean products of units whose arguments are jointly normal, in closed form.

A logistic unit is a step, and a softplus a rectified linear unit, of an argument with a logistic
error. That error is a mixture of normal ones (Andrews & Mallows 1974), which add to the variance
of the argument, so that the mean products of both follow from those of sharp units.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from .activations import IDENTITY, LOGISTIC, RELU, SOFTPLUS, STEP, TANH, Activation


def mean_products(
    activation: Activation, covariance: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    r"""Mean of the product of a unit's values at two inputs, :math:`E[\phi(u) \phi(v)]`.

    :math:`u` and :math:`v` have mean 0. With :math:`\theta` the angle whose cosine is their
    correlation, the mean is :math:`(\pi - \theta) / 2\pi` for steps from 0 to 1,
    :math:`1 - 2 \theta / \pi` for those from -1 to 1, and for rectified linear units
    :math:`\sigma_u \sigma_v (\sin\theta + (\pi - \theta) \cos\theta) / 2\pi` (Cho & Saul
    2009). For logistic and softplus units both variances grow by :math:`4 \tau^2`, with
    :math:`\tau` from Kolmogorov's distribution, and :math:`\tanh(u) = 2 / (1 + e^{-2u}) - 1`.
    Eigenvalues of matrices of these are negative by rounding alone, however saturated units are.

    Parameters
    ----------
    activation : Activation
        What the unit computes.
    covariance : ndarray
        Of the arguments at both inputs.
    first, second : ndarray
        Variances of the arguments at each, of shapes that broadcast to that of ``covariance``.

    Returns
    -------
    ndarray
        With an error of at most 2e-8 for units between -1 and 1.

    Raises
    ------
    ValueError
        If there is no closed form for the unit.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.models.activations import ACTIVATIONS
    >>> from pymc_bnn.models.wide_layers import mean_products
    >>> mean_products(ACTIVATIONS["relu"], np.array(1.0), np.array(1.0), np.array(1.0)).item()
    0.5
    """
    if activation not in PRODUCTS:
        known = ", ".join(sorted(activation.name for activation in PRODUCTS))
        raise ValueError(f"activation: {activation.name} units have no closed form; use {known}.")
    return PRODUCTS[activation](covariance, first, second)


def _identities(covariance: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return covariance


def _steps(covariance: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return (np.pi - _angle(covariance, np.sqrt(first * second))) / (2 * np.pi)


def _relus(covariance: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    scale = np.sqrt(first * second)
    angle = _angle(covariance, scale)
    return scale * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi)


def _angle(covariance: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return np.arccos(np.clip(covariance / np.where(scale > 0, scale, 1.0), -1.0, 1.0))


Kernel = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def _smooth(sharp: Kernel) -> Kernel:
    """Give the products of the units that a logistic error in the argument makes of sharp ones."""

    def products(covariance: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        variances, weights = _logistic_mixture()
        found = np.zeros(covariance.shape)
        for more, its in zip(variances, weights, strict=True):
            for other, their in zip(variances, weights, strict=True):
                found += its * their * sharp(covariance, first + more, second + other)
        return found

    return products


@cache
def _logistic_mixture() -> tuple[np.ndarray, np.ndarray]:
    """Variances and weights of normal numbers, whose mixture is a logistic one within 1e-8."""
    from scipy.stats import kstwobign  # which takes as long to import as half of this package

    nodes = np.geomspace(0.275, 2.8, 12)
    weights = kstwobign.pdf(nodes) * nodes
    return 4 * nodes**2, weights / weights.sum()


_logistics = _smooth(_steps)


def _signs(covariance: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    still = (first == 0) & (second == 0)  # both are steps of 0, which are -1
    return np.where(still, 1.0, 4 * _steps(covariance, first, second) - 1)


def _tanhs(covariance: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return 4 * _logistics(4 * covariance, 4 * first, 4 * second) - 1


PRODUCTS: dict[Activation, Kernel] = {
    IDENTITY: _identities,
    STEP: _signs,
    RELU: _relus,
    LOGISTIC: _logistics,
    TANH: _tanhs,
    SOFTPLUS: _smooth(_relus),
}

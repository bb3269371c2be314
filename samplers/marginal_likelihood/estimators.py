r"""The evidence from log likelihoods at many temperatures.

At inverse temperature :math:`\beta` draws are of the density proportional to
:math:`p(w) L(w)^\beta`: the prior at 0, the posterior at 1. Its normalising constant is
:math:`Z_\beta = \mathrm{E}_{prior}[L^\beta]`, and the evidence is :math:`Z = Z_1`. ``METHODS``
names all estimators; a new one is a function and a line there.

References
----------
.. [1] N. Friel, M. Hurn and J. Wyse (2014), "Improving power posterior estimation of statistical
   evidence", Statistics and Computing 24, 709-723.
.. [2] W. Xie, P. O. Lewis, Y. Fan, L. Kuo and M.-H. Chen (2011), "Improving marginal likelihood
   estimation for Bayesian phylogenetic model selection", Systematic Biology 60, 150-160.
.. [3] M. R. Shirts and J. D. Chodera (2008), "Statistically optimal analysis of samples from
   multiple equilibrium states", Journal of Chemical Physics 129, 124105.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

from ..tempering.records import from_prior_to_posterior
from .reweighting import log_normalisers

Estimator = Callable[[np.ndarray, np.ndarray], float]


def thermodynamic_integration(
    log_likelihood: np.ndarray, inverse_temperatures: np.ndarray
) -> float:
    r"""Estimate the log evidence by the integral of the mean log likelihood.

    :math:`\log Z = \int_0^1 m(\beta) d\beta` by trapezia, with the second-order correction by
    variances, for :math:`v = dm/d\beta` [1]_:

    .. math:: \sum_k \frac{\beta_{k+1} - \beta_k}{2} (m_k + m_{k+1})
              - \frac{(\beta_{k+1} - \beta_k)^2}{12} (v_{k+1} - v_k).

    What remains of the error of the trapezia does not fall with more draws, only with more
    temperatures. Temperatures below 1 take no part.

    Parameters
    ----------
    log_likelihood : ndarray
        Log likelihoods of the draws, shape (chains, draws, temperatures); all finite.
    inverse_temperatures : ndarray
        Inverse temperatures, shape (temperatures,), in any order, with 0 and 1 among them.

    Returns
    -------
    float
        Estimated log evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.estimators import thermodynamic_integration
    >>> same = np.full((2, 10, 3), -7.0)
    >>> thermodynamic_integration(same, np.array([1.0, 0.5, 0.0]))
    -7.0
    """
    values, powers = _up_to_one(*from_prior_to_posterior(log_likelihood, inverse_temperatures))
    if np.any(values == -np.inf):
        raise ValueError(
            'method "thermodynamic_integration" has no mean where a log_likelihood is -inf: use '
            '"mbar" or "stepping_stone".'
        )
    steps = np.diff(powers)
    means, variances = values.mean(axis=0), values.var(axis=0, ddof=1)
    trapezia = steps / 2 * (means[:-1] + means[1:])
    return float(np.sum(trapezia - steps**2 / 12 * np.diff(variances)))


def stepping_stone(log_likelihood: np.ndarray, inverse_temperatures: np.ndarray) -> float:
    r"""Estimate the log evidence by importance sampling from each temperature to the next.

    .. math:: \log Z = \sum_k \log \frac{1}{n} \sum_i
              \exp\left((\beta_{k+1} - \beta_k) \ell_{ik}\right),

    with draws :math:`\ell_{ik}` from the hotter of both [2]_. Without the logarithm the estimate
    has no bias. Temperatures below 1 take no part.

    Parameters
    ----------
    log_likelihood : ndarray
        Log likelihoods of the draws, shape (chains, draws, temperatures); -inf in the prior only.
    inverse_temperatures : ndarray
        Inverse temperatures, shape (temperatures,), in any order, with 0 and 1 among them.

    Returns
    -------
    float
        Estimated log evidence; -inf where no draw of the prior has a likelihood above 0.

    Examples
    --------
    A likelihood that is 1 in a tenth of the prior, and 0 elsewhere:

    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.estimators import stepping_stone
    >>> draws = np.zeros((1, 10, 2))
    >>> draws[0, 1:, 0] = -np.inf
    >>> round(float(np.exp(stepping_stone(draws, np.array([0.0, 1.0])))), 12)
    0.1
    """
    values, powers = _up_to_one(*from_prior_to_posterior(log_likelihood, inverse_temperatures))
    stones = logsumexp(np.diff(powers) * values[:, :-1], axis=0) - np.log(len(values))
    return float(np.sum(stones))


def mbar(log_likelihood: np.ndarray, inverse_temperatures: np.ndarray) -> float:
    r"""Estimate the log evidence by reweighting all draws to all temperatures at once.

    The multistate Bennett acceptance ratio (MBAR) [3]_ has the smallest variance that
    independent draws allow, :math:`\log Z = \log Z_1 - \log Z_0`; see
    :func:`.reweighting.log_normalisers`. Temperatures below 1 help too.

    Parameters
    ----------
    log_likelihood : ndarray
        Log likelihoods of the draws, shape (chains, draws, temperatures); -inf in the prior only.
    inverse_temperatures : ndarray
        Inverse temperatures, shape (temperatures,), in any order, with 0 and 1 among them.

    Returns
    -------
    float
        Estimated log evidence; -inf where no draw of the prior has a likelihood above 0.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.estimators import mbar
    >>> draws = np.zeros((1, 10, 2))
    >>> draws[0, 1:, 0] = -np.inf
    >>> round(float(np.exp(mbar(draws, np.array([0.0, 1.0])))), 12)
    0.1
    """
    values, powers = from_prior_to_posterior(log_likelihood, inverse_temperatures)
    if np.all(values[:, 0] == -np.inf):
        return -np.inf
    return float(log_normalisers(values, powers)[np.searchsorted(powers, 1.0)])


def _up_to_one(values: np.ndarray, powers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Leave out temperatures below 1."""
    part = powers <= 1
    return values[:, part], powers[part]


METHODS: dict[str, Estimator] = {
    "mbar": mbar,
    "stepping_stone": stepping_stone,
    "thermodynamic_integration": thermodynamic_integration,
}

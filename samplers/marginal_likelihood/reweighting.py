"""Normalising constants of all temperatures from all draws (Shirts & Chodera 2008)."""

import numpy as np
from scipy.special import logsumexp

MOST_ITERATIONS = 200
CONVERGED = 1e-15  # squared Newton step in units of the curvature; 1e-8 of one draw's error
LONGEST_STEP = 100.0  # of which exponentials neither overflow nor vanish
MOST_HALVINGS = 20
LEAST_LOG_SHARE = -345.0
FLAT = 1e-13  # curvature that rounding leaves undefined: temperatures without overlap


def log_normalisers(log_likelihood: np.ndarray, inverse_temperatures: np.ndarray) -> np.ndarray:
    r"""Log normalising constants of all temperatures, relative to that of the first.

    The multistate Bennett acceptance ratio solves

    .. math:: Z_k = \sum_n \frac{L_n^{\beta_k}}{\sum_j N_j L_n^{\beta_j} / Z_j}

    over all draws :math:`n` of all temperatures [1]_. With :math:`f_k = -\log Z_k` and equally
    many draws :math:`N_k` its solution is the minimum of the convex function

    .. math:: F(f) = \mathrm{mean}_n \log \sum_k e^{f_k} L_n^{\beta_k} - \mathrm{mean}_k f_k,

    found by Newton's method with halved steps. Where temperatures have no overlap the function
    is flat, and constants stay at the start: the mean of both one-sided estimates.

    Parameters
    ----------
    log_likelihood : ndarray
        Log likelihoods, shape (draws, temperatures); -inf only at an inverse temperature of 0.
    inverse_temperatures : ndarray
        Rising inverse temperatures, shape (temperatures,).

    Returns
    -------
    ndarray
        :math:`\log Z_k - \log Z_0`, shape (temperatures,).

    References
    ----------
    .. [1] M. R. Shirts and J. D. Chodera (2008), "Statistically optimal analysis of samples from
       multiple equilibrium states", Journal of Chemical Physics 129, 124105.

    Examples
    --------
    Energies with density :math:`e^{-u}` at :math:`\beta = 0` have :math:`Z_\beta = 1/(1+\beta)`:

    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.reweighting import log_normalisers
    >>> powers = np.array([0.0, 0.5, 1.0])
    >>> draws = -np.random.default_rng(1).exponential(1 / (1 + powers), size=(100_000, 3))
    >>> np.exp(log_normalisers(draws, powers)).round(2)
    array([1.  , 0.67, 0.5 ])
    """
    powers = inverse_temperatures
    best = log_likelihood.max()  # a likelihood of at most 1 loses no digits
    values = log_likelihood - best
    exponents = tempered(values.ravel(), powers)
    free_energies = _one_sided_means(values, powers)
    for _ in range(MOST_ITERATIONS):
        shares = _shares(free_energies, exponents)
        slope, curvature = _derivatives(shares)
        step = np.zeros_like(powers)
        step[1:] = -np.linalg.solve(curvature[1:, 1:] + FLAT * np.eye(powers.size - 1), slope[1:])
        if -step @ slope < CONVERGED:
            break
        free_energies = free_energies + _downhill(step, shares)
    return powers * best - free_energies


def tempered(log_likelihood: np.ndarray, inverse_temperatures: np.ndarray) -> np.ndarray:
    r"""Products :math:`\beta_k \ell_n`, shape (temperatures, draws), with :math:`0(-\infty) = 0`.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.reweighting import tempered
    >>> tempered(np.array([-np.inf, -2.0]), np.array([0.0, 1.0]))
    array([[  0.,   0.],
           [-inf,  -2.]])
    """
    products = np.zeros((inverse_temperatures.size, log_likelihood.size))
    warm = inverse_temperatures > 0
    products[warm] = inverse_temperatures[warm, None] * log_likelihood
    return products


def _one_sided_means(values: np.ndarray, powers: np.ndarray) -> np.ndarray:
    """Free energies by importance sampling, the mean of that from hot to cold and back."""
    steps, count = np.diff(powers), np.log(len(values))
    forth = logsumexp(steps * values[:, :-1], axis=0) - count
    back = count - logsumexp(-steps * values[:, 1:], axis=0)
    return -np.concatenate(([0.0], np.cumsum((forth + back) / 2)))


def _shares(free_energies: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    """Probability that a draw is of each temperature, shape (temperatures, draws)."""
    terms = exponents + free_energies[:, None]
    terms -= terms.max(axis=0)
    # products of smaller shares would be subnormal numbers, a hundred times slower
    np.maximum(terms, LEAST_LOG_SHARE, out=terms)
    np.exp(terms, out=terms)
    terms /= terms.sum(axis=0)
    return terms


def _derivatives(shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and Hessian matrix of the objective."""
    temperatures, draws = shares.shape
    products = shares @ shares.T / draws
    np.fill_diagonal(products, 0.0)
    # shares of a draw add to one, so sums give the diagonal without a difference of near equals
    return shares.mean(axis=1) - 1 / temperatures, np.diag(products.sum(axis=1)) - products


def _downhill(step: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Halve a step until the objective falls along it but for rounding."""
    step = step * min(1.0, LONGEST_STEP / np.abs(step).max())
    for _ in range(MOST_HALVINGS):
        if np.log(np.exp(step) @ shares).mean() - step.mean() < 1e-13:
            break
        step = step / 2
    return step

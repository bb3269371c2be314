"""Standard errors by leaving out one block of draws at a time."""

import numpy as np

from .estimators import Estimator

BLOCKS = 20  # altogether


def consecutive_blocks(chains: int, draws: int) -> np.ndarray:
    """Cut each chain into blocks: about 20 altogether, and at least two in each chain.

    Returns
    -------
    ndarray
        Number of the block that each draw is in, shape (chains, draws).

    Examples
    --------
    >>> from pymc_bnn.samplers.marginal_likelihood.jackknife import consecutive_blocks
    >>> consecutive_blocks(10, 5)[:2]
    array([[0, 0, 0, 1, 1],
           [2, 2, 2, 3, 3]])
    """
    each = min(max(2, round(BLOCKS / chains)), draws)
    return np.arange(chains)[:, None] * each + np.arange(draws) * each // draws


def jackknife(
    estimator: Estimator,
    log_likelihood: np.ndarray,
    inverse_temperatures: np.ndarray,
    blocks: np.ndarray,
) -> tuple[np.ndarray, float]:
    r"""Estimate the standard error of an estimate from estimates without each block.

    A block holds draws at all temperatures, which keeps correlations in time and between
    temperatures. Blocks may differ in length; with :math:`h_j = n / m_j` for a block of
    :math:`m_j` of the :math:`n` draws, and :math:`\hat\theta_{(j)}` without it [1]_,

    .. math:: \tilde\theta_j = h_j \hat\theta - (h_j - 1) \hat\theta_{(j)}, \qquad
              s^2 = \frac{1}{g} \sum_{j=1}^g \frac{(\tilde\theta_j - \bar\theta)^2}{h_j - 1}.

    Parameters
    ----------
    estimator : callable
        Function of ``log_likelihood`` and ``inverse_temperatures``.
    log_likelihood : ndarray
        Log likelihoods of the draws, shape (chains, draws, temperatures).
    inverse_temperatures : ndarray
        Inverse temperatures, shape (temperatures,).
    blocks : ndarray
        Number of the block that each draw is in, shape (chains, draws).

    Returns
    -------
    pseudovalues : ndarray
        :math:`\tilde\theta_j`, shape (blocks,); nan where a part of the draws has no estimate.
    standard_error : float
        :math:`s`; infinite where a part of the draws has no estimate.

    References
    ----------
    .. [1] F. M. T. A. Busing, E. Meijer and R. van der Leeden (1999), "Delete-m jackknife for
       unequal m", Statistics and Computing 9, 3-8.

    Examples
    --------
    The mean's standard error is known:

    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.jackknife import consecutive_blocks, jackknife
    >>> draws = np.arange(20.0).reshape(1, 20, 1)
    >>> _, error = jackknife(lambda l, b: l.mean(), draws, np.ones(1), consecutive_blocks(1, 20))
    >>> bool(np.isclose(error, draws.std(ddof=1) / np.sqrt(20)))
    True
    """
    sizes = np.bincount(blocks.ravel())
    whole = estimator(log_likelihood, inverse_temperatures)
    parts = (log_likelihood[blocks != j][None] for j in range(sizes.size))
    without = np.array([estimator(part, inverse_temperatures) for part in parts])
    if not np.all(np.isfinite(without)):
        return np.full(sizes.size, np.nan), np.inf
    inverse_shares = blocks.size / sizes
    pseudovalues = inverse_shares * whole - (inverse_shares - 1) * without
    deviations = pseudovalues - np.average(pseudovalues, weights=sizes)
    return pseudovalues, float(np.sqrt(np.mean(deviations**2 / (inverse_shares - 1))))

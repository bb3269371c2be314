"""Weights of a mixture of predictive densities that maximise its log score."""

import numpy as np
from scipy.special import logsumexp

ITERATIONS = 1000
PRIOR_CASES = 1.0  # that a Dirichlet prior is worth for each chain


def mixture(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Log densities of weighted chains together.

    Parameters
    ----------
    scores : ndarray, shape (chains, cases)
        Log densities by each chain.
    weights : ndarray, shape (chains,)
        With a sum of 1.

    Returns
    -------
    ndarray, shape (cases,)
    """
    found: np.ndarray = logsumexp(scores, axis=0, b=weights[:, None])
    return found


def optimal_weights(scores: np.ndarray, prior_cases: float = PRIOR_CASES) -> np.ndarray:
    r"""Maximise the mixture's log score by expectation and maximisation, from equal weights.

    .. math:: w_k \leftarrow \frac{1}{n + a K} \Bigl(a + \sum_i \frac{w_k p_{ki}}{\sum_j w_j p_{ji}}
              \Bigr)

    never lowers the score plus :math:`a \sum_k \log w_k`, whose maximum is one.

    Parameters
    ----------
    scores : ndarray, shape (chains, cases)
        Log densities of left-out cases.
    prior_cases : float
        Cases that the prior is worth for each chain, :math:`a`.

    Returns
    -------
    ndarray, shape (chains,)

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.chains.mixture_weights import optimal_weights
    >>> optimal_weights(np.log([[0.5, 0.5], [0.1, 0.1]]), prior_cases=0.0).round(3)
    array([1., 0.])
    """
    density = np.exp(scores - scores.max(axis=0))
    weights = np.full(len(scores), 1 / len(scores))
    for _ in range(ITERATIONS):
        responsible = weights[:, None] * density
        counts = prior_cases + (responsible / responsible.sum(axis=0)).sum(axis=1)
        weights = counts / counts.sum()
    return weights

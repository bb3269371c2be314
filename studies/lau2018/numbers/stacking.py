"""Averages of networks whose weights K-fold predictions of the training cases give."""

import numpy as np

ROUNDS = 2000
LEAST_WEIGHT = 0.01  # of a network that counts as part of an average


def stacking_weights(densities: np.ndarray) -> np.ndarray:
    r"""Weights of a mixture that make held-out cases most likely (stacking; Yao et al. 2018).

    .. math:: \max_w \sum_i \log \sum_k w_k\, p_k(y_i), \qquad w_k \ge 0, \quad \sum_k w_k = 1

    by expectation maximization, which never leaves the simplex.

    Parameters
    ----------
    densities : ndarray, shape (models, cases)
        Predictive density of each case by each model that has not seen it.

    Returns
    -------
    ndarray, shape (models,)

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.numbers.stacking import stacking_weights
    >>> densities = np.array([[0.9, 0.9, 0.1], [0.1, 0.1, 0.9], [0.1, 0.1, 0.1]])
    >>> stacking_weights(densities).round(2)
    array([0.71, 0.29, 0.  ])
    """
    weights = np.full(len(densities), 1 / len(densities))
    for _ in range(ROUNDS):
        weights = weights * (densities / (weights @ densities)).mean(axis=1)
    return weights


def counted(weights: np.ndarray) -> int:
    """Number of networks that matter in an average.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.numbers.stacking import counted
    >>> counted(np.array([0.7, 0.295, 0.005]))
    2
    """
    return int((weights > LEAST_WEIGHT).sum())

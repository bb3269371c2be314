r"""The evidence from works: how log weights grow along annealing runs.

A run from prior to posterior has the work :math:`w = \sum_k (\beta_{k+1} - \beta_k) \ell(x_k)`,
with :math:`x_k` moved at :math:`\beta_k` (Neal 2001), and one in the other direction the same sum
over its own states. Forward :math:`\mathrm{E}[e^{w}] = Z`, and backward
:math:`\mathrm{E}[e^{-w}] = 1 / Z`, so that the log of the first mean is too small on average and
minus the log of the second one too large (Grosse et al. 2015). The densities of both have the ratio
:math:`e^{w} / Z` (Crooks 1999).
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logsumexp


class Estimate(NamedTuple):
    """An estimated log evidence, with its standard error."""

    log_evidence: float
    standard_error: float


def from_prior(works: np.ndarray) -> Estimate:
    """Log mean weight of runs from the prior: below the log evidence on average.

    Parameters
    ----------
    works : ndarray, shape (runs,)
        Of independent runs; minus infinity where the posterior cannot be.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.works import from_prior
    >>> from_prior(np.array([-3.0, -3.0]))
    Estimate(log_evidence=-3.0, standard_error=0.0)
    """
    total = float(logsumexp(works))
    shares = np.exp(works - total) * works.size
    error = float(shares.std(ddof=1) / np.sqrt(works.size))
    return Estimate(float(total - np.log(works.size)), error)


def from_posterior(works: np.ndarray) -> Estimate:
    """Minus the log mean inverse weight of runs from the posterior: above it on average.

    Parameters
    ----------
    works : ndarray, shape (runs,)
        Of independent runs.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.works import from_posterior
    >>> from_posterior(np.array([-3.0, -3.0]))
    Estimate(log_evidence=-3.0, standard_error=0.0)
    """
    found = from_prior(-np.asarray(works))
    return Estimate(-found.log_evidence, found.standard_error)


def from_both(forward: np.ndarray, backward: np.ndarray) -> Estimate:
    r"""Bennett's (1976) estimate, the most probable one given works of both directions.

    It solves :math:`\sum_{backward} P(F \mid w) = \sum_{forward} P(B \mid w)` for :math:`\log Z`,
    where :math:`P(F \mid w) = 1 / (1 + \tfrac{n_B}{n_F} e^{w} / Z)`.

    Parameters
    ----------
    forward, backward : ndarray, shape (runs,)
        Works of independent runs from the prior and from the posterior.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.works import from_both
    >>> round(from_both(np.array([-4.0, -3.0]), np.array([-3.0, -2.0])).log_evidence, 12)
    -3.0
    """
    offset = np.log(forward.size / backward.size)

    def excess(log_evidence: float) -> float:
        begun_ahead = expit(log_evidence - backward + offset)
        begun_behind = expit(forward - log_evidence - offset)
        return float(begun_ahead.sum() - begun_behind.sum())

    both = np.concatenate([forward[np.isfinite(forward)], backward])
    reach = 1.0 + abs(offset) + np.log(both.size)
    log_evidence = brentq(excess, both.min() - 2 * reach, both.max() + 2 * reach, xtol=1e-12)
    shares = expit(log_evidence - np.concatenate([forward, backward]) + offset)
    information = np.sum(shares * (1 - shares))
    variance = 1 / max(information, np.finfo(float).tiny) - 1 / forward.size - 1 / backward.size
    return Estimate(float(log_evidence), float(np.sqrt(max(variance, 0.0))))

r"""The evidence from works: how log weights grow along annealing runs.

A run from prior to posterior has the work :math:`w = \sum_k (\beta_{k+1} - \beta_k) \ell(x_k)`,
with :math:`x_k` moved at :math:`\beta_k` (Neal 2001), and one in the other direction the same sum
over its own states. Forward :math:`\mathrm{E}[e^{w}] = Z`, and backward
:math:`\mathrm{E}[e^{-w}] = 1 / Z`, so that the log of the first mean is too small on average and
minus the log of the second one too large (Grosse et al. 2015). Moves need only leave the
distribution at their temperature as it is. What joins both directions may assume no more: their
densities have the ratio :math:`e^{w} / Z` (Crooks 1999), as Bennett's (1976) estimate asks, only
where backward moves are the time reversals of forward ones. A sweep over blocks, each given all
others, is the reversal of the sweep in the opposite order.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

FEWEST = 2  # runs of the posterior's support, for a standard error


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
    r"""Mean of both estimates, weighted by their inverse variances.

    .. math:: \log \hat Z = \frac{\hat L / s_L^2 + \hat U / s_U^2}{1 / s_L^2 + 1 / s_U^2}

    with :math:`\hat L` of :func:`from_prior` and :math:`\hat U` of :func:`from_posterior`. Their
    biases are :math:`-s_L^2 / 2` and :math:`s_U^2 / 2` to first order, and cancel in this mean. It
    is assumed that runs of the two directions are independent, and enough for the first order.
    Nothing is assumed of the moves. Where :math:`\hat L` and :math:`\hat U` are further apart than
    their errors explain, the standard error is larger by the factor
    :math:`|\hat U - \hat L| / \sqrt{s_L^2 + s_U^2}` (Birge 1932). What the prior holds beyond the
    posterior's support, only forward runs know: its log share is added to both.

    Parameters
    ----------
    forward, backward : ndarray, shape (runs,)
        Works of independent runs from the prior and from the posterior; minus infinity forward
        where the posterior cannot be.

    Returns
    -------
    Estimate
        Undefined, with an infinite error, if fewer than two forward runs have a weight.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.works import from_both
    >>> round(from_both(np.array([-4.0, -3.0]), np.array([-3.0, -2.0])).log_evidence, 12)
    -3.0
    """
    inside = forward[np.isfinite(forward)]
    if inside.size < FEWEST:
        return Estimate(np.nan, np.inf)
    below, above = from_prior(inside), from_posterior(backward)
    gap = above.log_evidence - below.log_evidence
    total = float(np.hypot(below.standard_error, above.standard_error))
    weight = (below.standard_error / total) ** 2 if total else 0.5
    known = below.standard_error * above.standard_error / total if total else 0.0
    error = known * max(1.0, abs(gap) / total) if known else abs(gap) / 2
    share = inside.size / forward.size
    unknown = np.sqrt((1 - share) / inside.size)
    log_evidence = below.log_evidence + weight * gap + np.log(share)
    return Estimate(float(log_evidence), float(np.hypot(error, unknown)))

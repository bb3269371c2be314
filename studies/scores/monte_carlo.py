"""Monte Carlo errors of leave-one-out and of log scores: how much other draws would change them."""

from collections.abc import Iterable

import arviz as az
import numpy as np
import xarray as xr

from ...models.scores import log_means
from .arviz_parts import ELPDData

REFITTED, REFITS_MCSE = "refitted", "refits_mcse"  # what leave-one-out says of cases it refitted


def elpd_mcse(pieces: Iterable[xr.DataArray], loo: ELPDData | None = None) -> float:
    r"""Estimate the Monte Carlo standard error of leave-one-out by importance sampling.

    It estimates the density of each case by a ratio of sums over draws,
    :math:`p_i = \sum_s w_{is} p(y_i \mid \theta_s) / \sum_s w_{is}`. To first order the error of
    :math:`\sum_i \log p_i` is that of the mean over draws of

    .. math:: g_s = \sum_i \frac{w_{is}}{\bar w_i}
              \Bigl( \frac{p(y_i \mid \theta_s)}{p_i} - 1 \Bigr)

    whose Monte Carlo error ArviZ knows, autocorrelation of the chains included. As one series is
    summed over the cases, errors that cases share count as well. Weights are truncated at
    :math:`\sqrt S` times their mean (Ionides 2008), which where Pareto k is good differs little
    from smoothing them; for cases that moment matching repaired it is a guess. The error of cases
    that were refitted is that of the mean density over the draws of their refits.

    Parameters
    ----------
    pieces : iterable of DataArray
        Log likelihoods of every draw, all cases at once or some at a time, with dimensions
        ``chain`` and ``draw``.
    loo : ELPDData, optional
        What was estimated, if cases were refitted.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.studies.scores.monte_carlo import elpd_mcse
    >>> values = np.random.default_rng(1).normal(-1.0, 0.1, size=(4, 500, 20))
    >>> round(elpd_mcse([xr.DataArray(values, dims=("chain", "draw", "obs"))]), 2)
    0.01
    """
    known = {} if loo is None else loo.elpd_i.attrs
    series, first, refitted = np.zeros((1, 1)), 0, np.asarray(known.get(REFITTED, ()), int)
    for piece in pieces:
        values = piece.transpose("chain", "draw", ...).values
        values = values.reshape(*values.shape[:2], -1)
        kept = ~np.isin(first + np.arange(values.shape[-1]), refitted)
        series, first = series + _residuals(values[..., kept]), first + values.shape[-1]
    own = float(az.mcse(series, method="mean")) if first > refitted.size else 0.0
    return float(np.hypot(own, known.get(REFITS_MCSE, 0.0)))


def _residuals(log_likelihood: np.ndarray) -> np.ndarray:
    """The series of some cases, of which the mean is zero, by chain and draw."""
    chains, draws, cases = log_likelihood.shape
    values = log_likelihood.reshape(chains * draws, cases)
    if not cases:
        return np.zeros((chains, draws))
    with np.errstate(under="ignore", invalid="ignore"):
        weights = np.exp(values.min(axis=0) - values)
        weights = np.minimum(weights / weights.mean(axis=0), np.sqrt(len(values)))
        weights /= weights.mean(axis=0)
        density = np.exp(values - values.max(axis=0))
        series = weights * (density / (weights * density).mean(axis=0) - 1.0)
    return series.sum(axis=1).reshape(chains, draws)


def log_scores(pieces: Iterable[xr.DataArray]) -> tuple[np.ndarray, float]:
    r"""Log predictive densities of new cases, and the Monte Carlo standard error of their mean.

    To first order the error of :math:`\sum_i \log p_i`, where
    :math:`p_i = \frac1S \sum_s p(y_i \mid \theta_s)`, is that of the mean over draws of

    .. math:: g_s = \sum_i \Bigl( \frac{p(y_i \mid \theta_s)}{p_i} - 1 \Bigr)

    which is one series for all cases, so that errors that they share count as well, such as that of
    a scale of the noise. A case far outside all predictions has its density from a few draws, which
    do not tell how much others would change it: its error is larger than this, and is seen in the
    spread of the scores over the cases instead.

    Parameters
    ----------
    pieces : iterable of DataArray
        Log densities of every draw, some of the cases at a time, with dimensions ``chain``,
        ``draw`` and ``obs``.

    Returns
    -------
    scores : ndarray, shape (cases,)
        Log predictive densities.
    mcse : float
        In nats per case; NaN where chains are too short for ArviZ to tell, or no draw explains a
        case.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.studies.scores.monte_carlo import log_scores
    >>> values = np.random.default_rng(1).normal(-1.0, 0.1, size=(4, 500, 20))
    >>> scores, mcse = log_scores([xr.DataArray(values, dims=("chain", "draw", "obs"))])
    >>> len(scores), round(mcse, 4)
    (20, 0.0005)
    """
    scores: list[np.ndarray] = []
    series = np.zeros((1, 1))
    for piece in pieces:
        densities = piece.transpose("chain", "draw", "obs").values
        scores.append(log_means(densities))
        with np.errstate(invalid="ignore"):  # where no draw explains a case
            series = series + (np.exp(densities - scores[-1]) - 1.0).sum(axis=-1)
    found = np.concatenate(scores)
    return found, float(az.mcse(series, method="mean")) / len(found)


def bad_cases(loo: ELPDData) -> int:
    """Count cases whose Pareto k does not say that PSIS-LOO is reliable; unknown ones are bad.

    Parameters
    ----------
    loo : ELPDData
        PSIS-LOO with pointwise values.

    Returns
    -------
    int
    """
    return int((~(loo.pareto_k <= loo.good_k)).sum())

"""Monte Carlo error of leave-one-out: how much other draws would change it."""

from collections.abc import Iterable

import arviz as az
import numpy as np
import xarray as xr

from .arviz_parts import ELPDData


def elpd_mcse(pieces: Iterable[xr.DataArray]) -> float:
    r"""Estimate the Monte Carlo standard error of leave-one-out by importance sampling.

    It estimates the density of each case by a ratio of sums over draws,
    :math:`p_i = \sum_s w_{is} p(y_i \mid \theta_s) / \sum_s w_{is}`. To first order the error of
    :math:`\sum_i \log p_i` is that of the mean over draws of

    .. math:: g_s = \sum_i \frac{w_{is}}{\bar w_i}
              \Bigl( \frac{p(y_i \mid \theta_s)}{p_i} - 1 \Bigr)

    whose Monte Carlo error ArviZ knows, autocorrelation of the chains included. As one series is
    summed over the cases, errors that cases share count as well. Weights are truncated at
    :math:`\sqrt S` times their mean (Ionides 2008), which where Pareto k is good differs little
    from smoothing them; for cases that moment matching or a refit repaired it says too much.

    Parameters
    ----------
    pieces : iterable of DataArray
        Log likelihoods of every draw, all cases at once or some at a time, with dimensions
        ``chain`` and ``draw``.

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
    return float(az.mcse(sum(_residuals(piece) for piece in pieces), method="mean"))


def _residuals(log_likelihood: xr.DataArray) -> np.ndarray:
    """The series of some cases, of which the mean is zero, by chain and draw."""
    values = log_likelihood.transpose("chain", "draw", ...).values
    chains, draws = values.shape[:2]
    values = values.reshape(chains * draws, -1)
    with np.errstate(under="ignore", invalid="ignore"):
        weights = np.exp(values.min(axis=0) - values)
        weights = np.minimum(weights / weights.mean(axis=0), np.sqrt(len(values)))
        weights /= weights.mean(axis=0)
        density = np.exp(values - values.max(axis=0))
        series = weights * (density / (weights * density).mean(axis=0) - 1.0)
    return series.sum(axis=1).reshape(chains, draws)


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

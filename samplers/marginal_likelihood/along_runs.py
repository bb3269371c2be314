r"""Thermodynamic integration along annealing runs, whose states lag behind the temperature.

:math:`\log Z = \int_0^1 \mathrm{E}_\beta[\ell] \, d\beta`, and a run that is cooled slowly gives a
log likelihood at each inverse temperature it goes through (Neal 1992, Discussion). Its states are
those of a hotter distribution, so that their likelihoods are too small, and so is the integral on
average; those of a heated run are of a colder one, and it is too large. The lag falls with slower
runs, not with more of them. To first order it is the same both ways and cancels in their mean; half
their difference shows how large it is. The prior may hold points of next to no likelihood, so that
the mean there does not exist; the first step from it is taken by importance weights of its draws,
where :math:`Z_\beta` "can be simply calculated".
"""

from typing import NamedTuple

import numpy as np

from .works import Estimate

FEWEST = 3  # runs, of which one can be left out


class Integrated(NamedTuple):
    """Log evidences from integrals along runs of both directions.

    Attributes
    ----------
    cooling, heating : Estimate
        By runs from the prior, too small by the lag, and by runs from the posterior, too large by
        it; each with the standard error of its mean, which knows nothing of the lag. What is left
        of the error of the trapezia is in both, and falls with more temperatures.
    both : Estimate
        Mean of the two.
    lag : Estimate
        Half their difference. Where it is well above its error, runs were too fast, and ``both`` is
        right to first order only.
    """

    cooling: Estimate
    heating: Estimate
    both: Estimate
    lag: Estimate


def integral(log_likelihood: np.ndarray, inverse_temperatures: np.ndarray) -> float:
    """Integrate the mean log likelihood of runs over inverse temperature.

    By trapezia, with the second-order correction of Friel et al. (2014) by the variance over runs;
    see :func:`.estimators.thermodynamic_integration`.

    Parameters
    ----------
    log_likelihood : ndarray, shape (runs, temperatures)
        Of the states of the runs.
    inverse_temperatures : ndarray, shape (temperatures,)
        At which they were, rising.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.along_runs import integral
    >>> integral(np.array([[-4.0, -2.0, -2.0], [-4.0, -2.0, -2.0]]), np.array([0.0, 0.5, 1.0]))
    -2.5
    """
    steps = np.diff(inverse_temperatures)
    curved = np.sum(steps**2 / 12 * np.diff(log_likelihood.var(axis=0, ddof=1)))
    return float(np.trapezoid(log_likelihood.mean(axis=0), inverse_temperatures) - curved)


def integrated(
    hot: Estimate, cooling: np.ndarray, heating: np.ndarray, inverse_temperatures: np.ndarray
) -> Integrated:
    """Take independent runs of both directions together.

    Parameters
    ----------
    hot : Estimate
        Logarithm of :math:`Z` at the hottest temperature of the runs.
    cooling, heating : ndarray, shape (runs, temperatures)
        Log likelihoods of their states, from the prior to the posterior; undefined for runs whose
        start has no likelihood, which are left out.
    inverse_temperatures : ndarray, shape (temperatures,)
        Rising, to 1.

    Returns
    -------
    Integrated

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.along_runs import integrated
    >>> from pymc_bnn.samplers.marginal_likelihood.works import Estimate
    >>> behind, ahead = np.full((3, 2), -4.0), np.full((3, 2), -2.0)
    >>> found = integrated(Estimate(-0.5, 0.0), behind, ahead, np.array([0.5, 1.0]))
    >>> found.both.log_evidence, found.lag.log_evidence
    (-2.0, 0.5)
    """
    below, above = (_mean(runs, inverse_temperatures) for runs in (cooling, heating))
    spread = float(np.hypot(below.standard_error, above.standard_error)) / 2
    middle = Estimate((below.log_evidence + above.log_evidence) / 2, spread)
    half = Estimate((above.log_evidence - below.log_evidence) / 2, spread)
    return Integrated(_sum(hot, below), _sum(hot, above), _sum(hot, middle), half)


def _mean(log_likelihood: np.ndarray, inverse_temperatures: np.ndarray) -> Estimate:
    """Integral of all runs, with the standard error of a jackknife that leaves out each of them."""
    there = log_likelihood[np.isfinite(log_likelihood).all(axis=1)]
    count = len(there)
    if count < FEWEST:
        return Estimate(np.nan, np.inf)
    without = [integral(np.delete(there, i, 0), inverse_temperatures) for i in range(count)]
    error = float(np.std(without) * np.sqrt(count - 1))
    return Estimate(integral(there, inverse_temperatures), error)


def _sum(one: Estimate, other: Estimate) -> Estimate:
    error = float(np.hypot(one.standard_error, other.standard_error))
    return Estimate(one.log_evidence + other.log_evidence, error)

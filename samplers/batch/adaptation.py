"""Step size factors of eight chains, learnt in warm-up by each on its own.

The dual averaging of :mod:`..step_sizes.adaptation` (Hoffman & Gelman 2014, Eq. 6) with its
constants, and the reduction of :mod:`..step_sizes.given_factor`, in compiled code.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from typing import NamedTuple

import numpy as np

from ...models.simd.kernels import jit
from ..step_sizes import given_factor
from .network.registers import WIDTH

next_reduction = jit(given_factor.next_reduction)

SHRINKAGE, DECAY, DELAY = 0.05, 0.75, 10.0  # gamma, kappa and t_0 of Hoffman & Gelman


class Factors(NamedTuple):
    """What the chains have learnt, arrays with an entry for each, and two numbers.

    Attributes
    ----------
    log_factor, log_mean : ndarray
        Logarithm of the factor to try next, and of its weighted mean.
    error : ndarray
        Mean excess of the target over the acceptance.
    trial : ndarray
        Number of the next iteration, from 1 on.
    reduction, still : ndarray
        Where the factor is given: what warm-up multiplies it by, and iterations in a row that
        accepted next to nothing.
    centre : float
        What the logarithm shrinks towards.
    target : float
        Acceptance at which warm-up aims; NaN where the factor is given.
    """

    log_factor: np.ndarray
    log_mean: np.ndarray
    error: np.ndarray
    trial: np.ndarray
    reduction: np.ndarray
    still: np.ndarray
    centre: float
    target: float


def start_factors(factor: float, target: float | None, count: int = WIDTH) -> Factors:
    """Begin with one factor for all chains.

    Parameters
    ----------
    factor : float
        The factor.
    target : float or None
        Acceptance at which to aim; None leaves the factor.
    count : int
        Number of chains, or of temperatures.

    Returns
    -------
    Factors

    Examples
    --------
    >>> from pymc_bnn.samplers.batch.adaptation import start_factors
    >>> start_factors(1.0, 0.8).log_factor[:2]
    array([0., 0.])
    """
    log_factor, log_mean = np.full((2, count), np.log(factor))
    aim = np.nan if target is None else float(target)
    centre = float(np.log(10 * factor))
    error, (trial, reduction), still = np.zeros(count), np.ones((2, count)), np.zeros(count, int)
    return Factors(log_factor, log_mean, error, trial, reduction, still, centre, aim)


@jit
def current(factors, chain, warm_up):
    """The factor of a chain's next iteration."""
    if warm_up:
        return np.exp(factors.log_factor[chain]) * factors.reduction[chain]
    return np.exp(factors.log_mean[chain])


@jit
def learn(factors, chain, acceptance):
    """Learn from one iteration of warm-up of one chain."""
    if np.isnan(factors.target):
        factors.reduction[chain], factors.still[chain] = next_reduction(
            factors.reduction[chain], factors.still[chain], acceptance
        )
        return
    count = factors.trial[chain]
    weight = 1.0 / (count + DELAY)
    error = (1.0 - weight) * factors.error[chain] + weight * (factors.target - acceptance)
    log_factor = factors.centre - error * np.sqrt(count) / SHRINKAGE
    share = count**-DECAY
    factors.error[chain], factors.log_factor[chain] = error, log_factor
    factors.log_mean[chain] = share * log_factor + (1.0 - share) * factors.log_mean[chain]
    factors.trial[chain] = count + 1.0

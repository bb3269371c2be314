"""Bootstrap intervals over chains (Efron & Tibshirani 1993)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from .strata import Stratum


@dataclass(frozen=True)
class Interval:
    """An estimate with a bootstrap interval.

    Parameters
    ----------
    value : float
        The estimate.
    low, high : float
        Where the interval begins and ends.
    """

    value: float
    low: float
    high: float


def check_bootstrap(samples: int, probability: float) -> None:
    """Refuse numbers of realisations and probabilities that give no interval."""
    if samples < 1:
        raise InputError(f"samples: {samples}; give 1 or more.")
    if not 0 < probability < 1:
        raise InputError(f"probability: {probability}; give a number between 0 and 1.")


def resample_chains(
    strata: Sequence[Stratum], samples: int, rng: int | np.random.Generator
) -> np.ndarray:
    """Draw realisations: as many chains with replacement, within each stratum.

    Stratification keeps each realisation a draw from the same distribution as the chains (Choo
    2000, 5.4.3).

    Parameters
    ----------
    strata : sequence of Stratum
        What :func:`~.strata.strata_of` returned.
    samples : int
        How many realisations.
    rng : int or Generator
        Seed, or source of random numbers.

    Returns
    -------
    ndarray of int, shape (1 + samples, chains)
        How often each chain occurs: once in the first row, the chains as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.chains.bootstrap import resample_chains
    >>> from pymc_bnn.studies.chains.strata import Stratum
    >>> counts = resample_chains([Stratum(np.arange(4), 1.0)], 2, rng=1)
    >>> counts.sum(axis=1).tolist()
    [4, 4, 4]
    """
    rng = np.random.default_rng(rng)
    counts = np.ones((1 + samples, sum(len(stratum.members) for stratum in strata)), int)
    for stratum in strata:
        size = len(stratum.members)
        counts[1:, stratum.members] = rng.multinomial(size, np.full(size, 1 / size), samples)
    return counts


def interval_of(values: np.ndarray, probability: float) -> Interval:
    """Make an interval with the same probability on either side.

    Parameters
    ----------
    values : ndarray, shape (1 + samples,)
        The estimate and its realisations, as from the rows of :func:`resample_chains`.
    probability : float
        Of the interval.

    Returns
    -------
    Interval

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.chains.bootstrap import interval_of
    >>> interval_of(np.array([7.0, 0.0, 2.0, 4.0, 6.0, 8.0]), 0.5)
    Interval(value=7.0, low=2.0, high=6.0)
    """
    tail = (1 - probability) / 2
    low, high = np.quantile(values[1:], [tail, 1 - tail])
    return Interval(float(values[0]), float(low), float(high))

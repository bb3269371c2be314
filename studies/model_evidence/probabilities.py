"""Posterior probabilities of models, with intervals for the error of their evidence."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

BLOCKS = 16  # of the jackknife, at least, but for runs so short that a caution says so
SIMULATED = 20_000
COVERED = 0.95
SEED = 1


class Probability(NamedTuple):
    """Posterior probability of a model, and its 95% interval."""

    value: float
    low: float
    high: float


def model_probabilities(
    log_evidences: Sequence[float], standard_errors: Sequence[float]
) -> list[Probability]:
    r"""Compute posterior probabilities of models that are equally probable before.

    .. math:: p(M_k \mid y) = \frac{Z_k}{\sum_j Z_j}

    (Baldock & Marzari 2019, 4.2, Eqs. 12-14). Intervals are quantiles of what this gives for log
    evidences with simulated errors, independent of each other. A standard error comes from some
    twenty blocks of draws, so that errors have Student's t distribution with 15 degrees of freedom.
    The simulation has a seed of its own, so that the same evidence gives the same intervals.

    Parameters
    ----------
    log_evidences : sequence of float
        Of each model, of the same targets.
    standard_errors : sequence of float
        Their standard errors.

    Returns
    -------
    list of Probability
        In the same order.

    Examples
    --------
    >>> from pymc_bnn.studies.model_evidence.probabilities import model_probabilities
    >>> first, second = model_probabilities([-10.0, -11.0], [0.0, 0.0])
    >>> round(first.value, 3), round(second.value, 3), first.low == first.high == first.value
    (0.731, 0.269, True)
    >>> [round(float(number), 2) for number in model_probabilities([-10.0, -11.0], [0.5, 0.5])[0]]
    [0.73, 0.38, 0.92]
    """
    found, errors = np.asarray(log_evidences, float), np.asarray(standard_errors, float)
    values = softmax(found)
    noise = np.random.default_rng(SEED).standard_t(BLOCKS - 1, size=(SIMULATED, found.size))
    simulated = softmax(found + errors * noise, axis=1)
    tail = (1 - COVERED) / 2
    low, high = np.quantile(simulated, [tail, 1 - tail], axis=0)
    return [Probability(*map(float, one)) for one in zip(values, low, high, strict=True)]

r"""Exchange of replicas between neighbouring temperatures.

Replicas :math:`x_i` and :math:`x_{i+1}` at inverse temperatures :math:`\beta_i` and
:math:`\beta_{i+1}` change places with probability

.. math::
    \min\bigl(1, e^{(\beta_i - \beta_{i+1}) (\ell(x_{i+1}) - \ell(x_i))}\bigr)

where :math:`\ell` is the log likelihood (Baldock & Marzari 2019, Algorithm 2): the priors, which no
temperature changes, cancel. Pairs that begin at an even place and those that begin at an odd one
take turns, which lets a replica go on in the direction in which it goes (Okabe et al. 2001; Syed et
al. 2022).
"""

from typing import NamedTuple

import numpy as np


class Swapped(NamedTuple):
    """What became of the pairs that tried to change places.

    Attributes
    ----------
    order : ndarray of int, shape (temperatures,)
        From which place the replica comes that is now at each temperature.
    probabilities : ndarray, shape (temperatures - 1,)
        Of the pairs that tried; undefined for the others.
    """

    order: np.ndarray
    probabilities: np.ndarray


def swap_probabilities(log_likelihood: np.ndarray, inverse_temperatures: np.ndarray) -> np.ndarray:
    """Probability that the replicas of each pair of neighbouring temperatures change places.

    Parameters
    ----------
    log_likelihood : ndarray, shape (temperatures,)
        Of the replica at each temperature; may be minus infinity.
    inverse_temperatures : ndarray, shape (temperatures,)
        In the order of the ladder.

    Returns
    -------
    ndarray, shape (temperatures - 1,)
        0 where neither replica has a finite log likelihood.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.tempering.swaps import swap_probabilities
    >>> swap_probabilities(np.array([-10.0, -8.0, -9.0]), np.array([1.0, 0.5, 0.0]))
    array([1.        , 0.60653066])
    """
    beta = np.asarray(inverse_temperatures)
    with np.errstate(invalid="ignore"):  # inf - inf where both have no likelihood
        gain = (beta[:-1] - beta[1:]) * np.diff(log_likelihood)
        return np.where(np.isnan(gain), 0.0, np.exp(np.minimum(gain, 0.0)))


def swap(
    log_likelihood: np.ndarray,
    inverse_temperatures: np.ndarray,
    parity: int,
    uniforms: np.ndarray,
) -> Swapped:
    """Let every other pair of neighbours try to change places.

    Parameters
    ----------
    log_likelihood, inverse_temperatures : ndarray, shape (temperatures,)
        As for :func:`swap_probabilities`.
    parity : {0, 1}
        Place of the first pair that tries.
    uniforms : ndarray, shape (temperatures - 1,)
        Random numbers from [0, 1).

    Returns
    -------
    Swapped

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.tempering.swaps import swap
    >>> swap(np.array([-10.0, -8.0, -9.0]), np.array([1.0, 0.5, 0.0]), 0, np.zeros(2)).order
    array([1, 0, 2])
    """
    order = np.arange(log_likelihood.size)
    probabilities = swap_probabilities(log_likelihood, inverse_temperatures)
    probabilities[1 - parity :: 2] = np.nan
    for i in np.flatnonzero(uniforms < probabilities):
        order[[i, i + 1]] = order[[i + 1, i]]
    return Swapped(order, probabilities)


def round_trips(replica: np.ndarray) -> int:
    """Count how often replicas went from one end of the ladder to the other and back.

    Parameters
    ----------
    replica : ndarray of int, shape (draws, temperatures)
        Which replica is at each temperature.

    Returns
    -------
    int
        Round trips of all replicas together.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.tempering.swaps import round_trips
    >>> round_trips(np.array([[0, 1], [1, 0], [0, 1], [1, 0], [0, 1]]))
    4
    """
    ends = replica[:, [0, -1]]
    if replica.shape[1] < 2:
        return 0
    trips = 0
    for label in np.unique(ends):
        visits, places = np.nonzero(ends == label)
        changes = int(np.count_nonzero(np.diff(places[np.argsort(visits, kind="stable")])))
        trips += changes // 2
    return trips

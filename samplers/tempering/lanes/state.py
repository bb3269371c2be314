"""What a ladder holds whose replicas are the lanes of packs."""

from typing import NamedTuple

import numpy as np

from ...batch.network.registers import WIDTH, room_for


class Ladder(NamedTuple):
    """Which replica is at which temperature, and what a block of draws needs of both.

    Swaps change ``replica`` and its inverse ``place`` and leave the weights where they are.

    Attributes
    ----------
    beta : ndarray, shape (temperatures,)
        Inverse temperatures, in the order of the ladder.
    replica : ndarray of int, shape (temperatures,)
        The replica at each temperature; replica ``r`` is lane ``r % 8`` of pack ``r // 8``.
    place : ndarray of int, shape (8 * packs,)
        Where on the ladder each lane is; lanes that fill up the last pack go with the last replica.
    log_likelihood : ndarray, shape (temperatures,)
        Of the replica at each temperature, whatever the temperature.
    uniforms : ndarray, shape (draws, temperatures - 1)
        From [0, 1), one for each pair that may swap.
    gammas : ndarray, shape (temperatures, sweeps, precisions)
        Of the shapes of the precisions' conditional distributions at each temperature, with rate 1.
    plain : ndarray
        Room for the noise precisions of a pack at temperature 1.
    curvature : ndarray, shape (outputs,)
        Curvature at the outputs of a classifier.
    constant : float
        What the log likelihood has that depends on no parameter.
    """

    beta: np.ndarray
    replica: np.ndarray
    place: np.ndarray
    log_likelihood: np.ndarray
    uniforms: np.ndarray
    gammas: np.ndarray
    plain: np.ndarray
    curvature: np.ndarray
    constant: float


class LadderRecords(NamedTuple):
    """Where draws are written.

    Attributes
    ----------
    row : ndarray of int, shape (temperatures,)
        Which row of the next two a temperature has, or -1.
    q, log_precision : ndarray, shapes (rows, draws, weights) and (rows, draws, precisions)
        Weights, and logarithms of the precisions.
    statistics : ndarray, shape (temperatures, draws, len(STATISTICS))
        Statistics of the step at each temperature.
    replica, log_likelihood : ndarray, shape (draws, temperatures)
        The replica at each temperature, and its log likelihood.
    swap_probability : ndarray, shape (draws, temperatures - 1)
        Of each pair that tried; undefined for the others.
    """

    row: np.ndarray
    q: np.ndarray
    log_precision: np.ndarray
    statistics: np.ndarray
    replica: np.ndarray
    log_likelihood: np.ndarray
    swap_probability: np.ndarray


def start_ladder(
    beta: np.ndarray, draws: int, sweeps: int, precisions: int, curvature: np.ndarray, cases: int
) -> Ladder:
    """Put each replica in its own place.

    Parameters
    ----------
    beta : ndarray, shape (temperatures,)
        Inverse temperatures.
    draws, sweeps, precisions : int
        Of a block, and of the model.
    curvature : ndarray, shape (outputs,)
        Curvature at the outputs of a classifier.
    cases : int
        Number of cases with normal noise of learnt precisions; 0 for a classifier.

    Returns
    -------
    Ladder

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.tempering.lanes.state import start_ladder
    >>> start_ladder(np.ones(5), 1, 1, 2, np.ones(1), 3).place
    array([0, 1, 2, 3, 4, 4, 4, 4])
    """
    count = beta.size
    lanes = -(-count // WIDTH) * WIDTH
    return Ladder(
        beta=np.array(beta, float),
        replica=np.arange(count),
        place=np.minimum(np.arange(lanes), count - 1),
        log_likelihood=np.zeros(count),
        uniforms=np.zeros((draws, count - 1)),
        gammas=np.zeros((count, sweeps, precisions)),
        plain=room_for(curvature.size + 1),
        curvature=np.array(curvature, float),
        constant=-0.5 * cases * curvature.size * float(np.log(2 * np.pi)),
    )


def allocate_records(
    posterior: int, record: bool, draws: int, shapes: tuple[int, int, int, int]
) -> LadderRecords:
    """Allocate room for all draws.

    Parameters
    ----------
    posterior : int
        Place of temperature 1.
    record : bool
        Whether draws of the other temperatures are kept too.
    draws : int
        How many, those of warm-up among them.
    shapes : tuple of int
        Temperatures, weights, precisions, statistics.

    Returns
    -------
    LadderRecords
    """
    count, weights, precisions, statistics = shapes
    row = np.arange(count) if record else np.where(np.arange(count) == posterior, 0, -1)
    rows = count if record else 1
    return LadderRecords(
        row,
        np.empty((rows, draws, weights)),
        np.empty((rows, draws, precisions)),
        np.empty((count, draws, statistics)),
        np.empty((draws, count), int),
        np.empty((draws, count)),
        np.empty((draws, count - 1)),
    )

"""Quantiles of draws that lie in pieces, of which many unions are looked at.

Sorting each piece once, and looking at the ends of the pieces alone, spares what takes longest:
finding a quantile among all draws of each union.
"""

from collections.abc import Sequence

import numpy as np

SPARE = 2.0  # times what each piece would hold of a tail, were pieces alike


def quantiles_of_pieces(pieces: Sequence[np.ndarray], probabilities: Sequence[float]) -> np.ndarray:
    """Quantiles of all draws of some pieces, finite ones, as :func:`numpy.quantile` takes them.

    Parameters
    ----------
    pieces : sequence of ndarray, shape (..., draws)
        Sorted along the last axis, which may have any length in each of them.
    probabilities : sequence of float
        Between 0 and 1.

    Returns
    -------
    ndarray, shape (probabilities, ...)

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.chains.quantiles_of_pieces import quantiles_of_pieces
    >>> quantiles_of_pieces([np.array([1.0, 4.0]), np.array([2.0, 3.0, 5.0])], [0.25, 0.9])
    array([2. , 4.6])
    """
    return np.array([_quantile(pieces, probability) for probability in probabilities])


def _quantile(pieces: Sequence[np.ndarray], probability: float) -> np.ndarray:
    """Quantile by the draws of its tail, and by all of them where these do not tell."""
    upper = probability > 0.5
    if upper:  # the lower one of what is turned round
        pieces, probability = [piece[..., ::-1] for piece in pieces], 1.0 - probability
    sign = -1.0 if upper else 1.0
    count = sum(piece.shape[-1] for piece in pieces)
    place = probability * (count - 1)
    low = int(place)
    high = min(low + 1, count - 1)
    share = SPARE * (high + 1) / count
    ends = [sign * piece[..., : int(np.ceil(share * piece.shape[-1]))] for piece in pieces]
    first, second = _smallest(ends, low, high)
    cut = [e[..., -1] for e, p in zip(ends, pieces, strict=True) if e.shape[-1] < p.shape[-1]]
    unsure = ~(second <= np.min(cut, axis=0)) if cut else np.zeros(first.shape, bool)
    if unsure.any():
        whole = [sign * piece[unsure] for piece in pieces]
        first[unsure], second[unsure] = _smallest(whole, low, high)
    return sign * (first + (place - low) * (second - first))


def _smallest(pieces: Sequence[np.ndarray], low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
    """The draws with ``low`` and ``high`` smaller ones."""
    together = np.concatenate(pieces, axis=-1)
    together.partition((low, high), axis=-1)
    return together[..., low].copy(), together[..., high].copy()

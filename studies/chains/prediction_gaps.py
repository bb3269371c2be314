"""How far predictions of parts of the draws lie apart."""

from collections.abc import Sequence

import numpy as np

from ...models.bnn import BNN
from ...models.forward_pass import PosteriorDraws, outputs
from .quantiles_of_pieces import quantiles_of_pieces

INTERVAL = (0.05, 0.95)
TARGETS = 50_000  # simulated by each half, about
BATCH = 100  # cases at a time

Splits = Sequence[tuple[list[int], list[int]]]


def prediction_gaps(
    model: BNN, pieces: Sequence[PosteriorDraws], X: np.ndarray, splits: Splits, seed: int
) -> np.ndarray:
    r"""Differences between halves in predictive standard deviations.

    Of the mean and the ends of the 90% interval, or of the probability of each class in units of
    its :math:`\sqrt{p (1 - p)}`, the largest.

    Parameters
    ----------
    model : BNN
        The model.
    pieces : sequence of PosteriorDraws
        Parts of its draws.
    X : ndarray, shape (cases, inputs)
        Cases to predict.
    splits : sequence of pairs of lists of int
        Pieces of one half and of the other.
    seed : int
        For simulated targets.

    Returns
    -------
    ndarray, shape (splits, cases)
    """
    starts = range(0, len(X), BATCH)
    batches = [_gaps(model, pieces, X[start : start + BATCH], splits, seed) for start in starts]
    return np.concatenate(batches, axis=1)


def _gaps(
    model: BNN,
    pieces: Sequence[PosteriorDraws],
    X: np.ndarray,
    splits: Splits,
    seed: int,
) -> np.ndarray:
    each = max(1, round(2 * TARGETS / sum(piece.size for piece in pieces)))
    drawn = [_predictive(model, one, X, each, seed) for one in pieces]
    classifies = model.likelihood.classifies
    sd = _deviation(np.concatenate(drawn, axis=-1), classifies)
    means = np.array([one.mean(axis=-1) for one in drawn])
    sizes = np.array([one.shape[-1] for one in drawn])
    ordered = [] if classifies else [np.sort(one, axis=-1) for one in drawn]
    found = []
    for split in splits:
        first, second = (_summary(half, means, sizes, ordered) for half in split)
        found.append((np.abs(first - second) / sd).max(axis=(0, 2)))
    return np.array(found)


def _predictive(
    model: BNN, draws: PosteriorDraws, X: np.ndarray, each: int, seed: int
) -> np.ndarray:
    """Probabilities of classes, or targets, of a piece, shape (cases, outputs, samples).

    Each gets the same random numbers, so that pieces do not differ by those of the noise.
    """
    f = outputs(model, draws, X)
    if model.likelihood.classifies:
        return _samples_last([model.likelihood.probability(f, draws.hyperparameters)])
    rng = np.random.default_rng(seed)
    simulated = [model.likelihood.simulate(f, draws.hyperparameters, rng) for _ in range(each)]
    return _samples_last(simulated)


def _samples_last(drawn: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.moveaxis(one, 0, -1) for one in drawn], axis=-1)


def _deviation(predictive: np.ndarray, classifies: bool) -> np.ndarray:
    if classifies:
        mean = predictive.mean(axis=-1)
        return np.sqrt(np.maximum(mean * (1 - mean), np.finfo(float).tiny))
    return np.maximum(predictive.std(axis=-1), np.finfo(float).tiny)


def _summary(
    half: list[int], means: np.ndarray, sizes: np.ndarray, ordered: list[np.ndarray]
) -> np.ndarray:
    """Mean of some pieces, and ends of their interval where draws are given in their order."""
    mean = np.average(means[half], axis=0, weights=sizes[half])[None]
    if not ordered:
        return mean
    return np.concatenate([mean, quantiles_of_pieces([ordered[i] for i in half], INTERVAL)])

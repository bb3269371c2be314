"""Mean of what a model predicts, by posterior draws, averaged over rows."""

import numpy as np

from ...models.bnn import BNN
from ...models.forward_pass import PosteriorDraws, blocks, outputs
from ...models.likelihoods.contract import mean_name
from ..tables.encoding import Encoding
from .grid import Grid


def quantity_of(model: BNN) -> str:
    """Which of the variables that a likelihood predicts is the mean of a target.

    Raises
    ------
    ValueError
        If a likelihood from outside the package does not say it.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.dependence.predictive_mean import quantity_of
    >>> quantity_of(models.gaussian([[0.0], [1.0]], ["yes", "no"], (), likelihood="bernoulli"))
    'probability'
    """
    name = mean_name(model)
    if name == "y":
        raise ValueError(
            f"{type(model.likelihood).__name__} does not say what the mean of targets is; let its "
            "predicted return it, as 'mean'."
        )
    return name


def classes_of(model: BNN) -> tuple:
    """Classes whose probabilities a model predicts: all, or the second of two; none for numbers."""
    return () if model.classes is None else tuple(model.outputs)


def means_of(
    model: BNN, draws: PosteriorDraws, X: np.ndarray, encoding: Encoding | None
) -> np.ndarray:
    """Mean of a target, in the unit of its table, by draw.

    Parameters
    ----------
    model : BNN
        The model.
    draws : PosteriorDraws
        Some of its draws.
    X : ndarray, shape (rows, inputs)
        The rows.
    encoding : Encoding or None
        How the table was encoded.

    Returns
    -------
    ndarray, shape (samples, rows, targets)
        Of all classes, or of the first output.
    """
    f = outputs(model, draws, X)
    found = model.likelihood.predicted(f, draws.hyperparameters)[quantity_of(model)]
    if model.classes is None:
        found = found[..., :1]
    return found if encoding is None else found * encoding.sd + encoding.mean


def averages_along(
    model: BNN, posterior: PosteriorDraws, X: np.ndarray, grid: Grid, encoding: Encoding | None
) -> np.ndarray:
    """Mean of a target over rows that all have one of the grid's values, for each of them.

    Parameters
    ----------
    model : BNN
        The model.
    posterior : PosteriorDraws
        Its draws.
    X : ndarray, shape (rows, inputs)
        The rows.
    grid : Grid
        Values of one column.
    encoding : Encoding or None
        How the table was encoded.

    Returns
    -------
    ndarray, shape (samples, points, targets)
    """
    # sklearn.inspection.partial_dependence returns averages of an estimator's single prediction,
    # not of each draw, so that there would be no bands
    points = []
    for point in range(len(grid.values)):
        moved = grid.put(X, point)
        parts = [
            means_of(model, posterior.part(part), moved, encoding).mean(axis=1)
            for part in blocks(model, posterior, len(moved))
        ]
        points.append(np.concatenate(parts))
    return np.stack(points, axis=1)

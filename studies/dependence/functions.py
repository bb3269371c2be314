"""Functions drawn from prior and posterior, along one column of a table."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy.stats import norm

from ...models.bnn import BNN
from ...models.description import check_same_cases
from ...models.forward_pass import PosteriorDraws
from ...models.prior_functions import limiting_covariance, prior_draws
from ..silence import without_pymcs_words
from ..tables.column import Column
from ..tables.encoding import Encoding
from .grid import Grid, columns_of, decoded, encoded, encoding_of, even_grid, numbers_of
from .predictive_mean import classes_of, means_of, quantity_of

FUNCTIONS, POINTS = 20, 120
BAND = float(norm.isf(0.025))  # standard deviations to either end of 95%
SEED = 0


@dataclass(frozen=True)
class Functions:
    """Means of targets along a column, by some draws from prior and posterior.

    Parameters
    ----------
    grid : Grid
        Values of the column; all other columns are at their medians or most frequent categories.
    prior, posterior : ndarray, shape (functions, points)
        The functions, in the unit of the table.
    x, y : ndarray, shape (rows,)
        Training cases; of classes, ``y`` says whether a case is of the one that is shown.
    label : object
        The class whose probability is shown; None for numbers and counts.
    limit : ndarray, shape (2, points), optional
        Ends of the interval of 95% at each point, of a Gaussian process with the covariance that
        the prior gives the network: what it believes before data. None where scales of weights are
        learnt, or the mean of targets is not the network's output.
    """

    grid: Grid
    prior: np.ndarray
    posterior: np.ndarray
    x: np.ndarray
    y: np.ndarray
    label: object = None
    limit: np.ndarray | None = None


def functions_along(
    model: BNN,
    idata: xr.DataTree,
    name: str,
    label: object = None,
) -> Functions:
    """Draw functions from prior and posterior, along one column.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    name : str
        The column.
    label : object, optional
        The class whose probability to show.

    Returns
    -------
    Functions
        Twenty of each, in the unit of the table that the draws were fitted to.

    Raises
    ------
    ValueError
        If the model holds other cases than those beside the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> from pymc_bnn.studies.dependence.functions import functions_along
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> model = models.gaussian(X, X[:, 0], hidden=())
    >>> idata = samplers.sample(model, draws=50, tune=50, chains=1, cores=1, seed=1,
    ...                         progressbar=False, quiet=True)
    >>> functions_along(model, idata, "0").prior.shape
    (20, 120)
    """
    check_same_cases(idata, model["X"].get_value(), model["y"].get_value())
    encoding = encoding_of(idata)
    X = model["X"].get_value(borrow=True)
    columns = columns_of(model, encoding)
    column, places = next(found for found in columns if found[0].name == name)
    grid = even_grid(X, column, places, POINTS)
    moved = np.repeat(typical_row(X, columns), len(grid.values), axis=0)
    moved[:, places] = grid.encoded
    place = classes_of(model).index(label) if model.classes is not None else 0
    rng = np.random.default_rng(SEED)
    with without_pymcs_words():
        prior = prior_draws(model, FUNCTIONS, rng)
    posterior = PosteriorDraws(model, idata)
    chosen = rng.choice(posterior.size, min(FUNCTIONS, posterior.size), replace=False)

    def means(draws: PosteriorDraws) -> np.ndarray:
        return means_of(model, draws, moved, encoding)[..., place]

    parts = [posterior.part(slice(draw, draw + 1)) for draw in np.sort(chosen)]
    return Functions(
        grid,
        means(prior),
        np.concatenate([means(part) for part in parts]),
        _observed(X, column, places),
        _targets(model, encoding, label),
        label,
        _limit(model, moved, encoding),
    )


def _limit(model: BNN, X: np.ndarray, encoding: Encoding | None) -> np.ndarray | None:
    if quantity_of(model) != "f":
        return None
    try:
        covariance = limiting_covariance(model, X)
    except ValueError:  # learnt scales have no such limit
        return None
    ends = np.array([[-BAND], [BAND]]) * np.sqrt(np.diag(covariance))
    return ends if encoding is None else ends * encoding.sd + encoding.mean


def typical_row(X: np.ndarray, columns: list[tuple[Column, slice]]) -> np.ndarray:
    """Medians of numbers and most frequent categories, shape (1, inputs)."""
    row = np.empty((1, X.shape[1]))
    for column, places in columns:
        if column.categories is not None:
            shares = X[:, places].mean(axis=0)
            row[0, places] = np.arange(len(shares)) == shares.argmax()
        else:
            middle = np.nanmedian(numbers_of(X, column, places), keepdims=True)
            row[0, places] = encoded(middle, column)[0]
    return row


def _observed(X: np.ndarray, column: Column, places: slice) -> np.ndarray:
    """Training rows' values of a column; of categories their places in the grid."""
    if column.categories is None:
        return decoded(numbers_of(X, column, places), column)
    seen = np.flatnonzero(X[:, places].mean(axis=0) > 0)
    return X[:, places][:, seen].argmax(axis=1)


def _targets(model: BNN, encoding: Encoding | None, label: object) -> np.ndarray:
    y = model["y"].get_value(borrow=True)
    if model.classes is not None:
        return (y == model.classes.index(label)).astype(float)
    first = y.reshape(len(y), -1)[:, 0]
    return first if encoding is None else first * encoding.sd + encoding.mean

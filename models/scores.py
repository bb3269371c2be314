"""Log densities of cases under posterior draws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from scipy.special import logsumexp

from .data.pairing import check_paired
from .data.targets import as_inputs, check_outputs
from .description import check_same_cases
from .forward_pass import PosteriorDraws, batches, blocks, outputs
from .likelihoods.comparing import compare_densities
from .likelihoods.contract import of_shape

if TYPE_CHECKING:
    from .bnn import BNN


def log_likelihood(
    model: BNN, idata: xr.DataTree, X: Any = None, y: Any = None, *, trained: bool = False
) -> xr.DataArray:
    r"""Log density of cases under each draw, :math:`\log p(y_i \mid x_i, \theta_s)`.

    Where cases depend on each other given the draws, because their noise is integrated out, it is
    that of a new case given all training cases, or of a training case given all others (see
    :meth:`.Likelihood.log_density_of_trained`). The latter is what leave-one-out needs. WAIC of it
    approximates leave-one-out as it does elsewhere, up to the third cumulant over draws.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    X : array, DataFrame or DataArray, shape (cases, inputs), optional
        Inputs; by default the training cases.
    y : array or Series, shape (cases,) or (cases, outputs), optional
        Targets, as given to the model.
    trained : bool
        Whether X and y are some of the training cases; without them it is so.

    Returns
    -------
    DataArray
        Dimensions chain, draw, obs.

    Raises
    ------
    ValueError
        If X and y do not fit the model or each other, or there are none and the training cases of
        the model are not those beside the draws.
    """
    if X is None and y is None:
        check_same_cases(idata, model["X"].get_value(), model["y"].get_value())
        (X, y), trained = model.training_data(), True
    values, targets = checked_cases(model, X, y)
    posterior = PosteriorDraws(model, idata)
    compare_densities(model, idata)
    result = np.empty((posterior.size, len(values)))
    for rows, densities in _in_pieces(model, posterior, values, targets, trained):
        result[:, rows] = densities
    return xr.DataArray(
        result.reshape(*posterior.shape, -1),
        dims=("chain", "draw", "obs"),
        coords={**posterior.coordinates, "obs": np.arange(len(values))},
        name="y_obs",
    )


def log_predictive_density(model: BNN, idata: xr.DataTree, X: Any, y: Any) -> np.ndarray:
    r"""Log predictive density of each case, :math:`\log \frac1S \sum_s p(y_i \mid x_i, \theta_s)`.

    Memory holds one batch of cases, however many there are.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    X, y
        Cases, as given to the model.

    Returns
    -------
    ndarray, shape (cases,)
        In nats, in the scale of the model's targets.
    """
    return np.concatenate([log_means(piece.values) for piece in log_densities(model, idata, X, y)])


def log_densities(
    model: BNN, idata: xr.DataTree, X: Any, y: Any, *, trained: bool = False
) -> Iterator[xr.DataArray]:
    """Log density of cases under each draw, one batch of cases at a time.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    X, y
        Cases, as given to the model.
    trained : bool
        Whether these are some of the training cases.

    Yields
    ------
    DataArray
        Of some of the cases, in their order; dimensions chain, draw, obs.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.scores import log_densities
    >>> model = models.gaussian([[0.0], [1.0]], [0.0, 1.0], hidden=())
    >>> each = "chain", "draw"
    >>> draws = {"w0": ((*each, "input", "output"), np.ones((2, 5, 1, 1))),
    ...          "b0": ((*each, "output"), np.zeros((2, 5, 1))),
    ...          "noise_precision": (each, np.ones((2, 5)))}
    >>> idata = xr.DataTree.from_dict({"posterior": xr.Dataset(draws)})
    >>> [dict(piece.sizes) for piece in log_densities(model, idata, [[2.0]], [2.0])]
    [{'chain': 2, 'draw': 5, 'obs': 1}]
    """
    values, targets = checked_cases(model, X, y)
    posterior = PosteriorDraws(model, idata)
    compare_densities(model, idata)
    for _, densities in _in_pieces(model, posterior, values, targets, trained):
        by_draw = densities.reshape(*posterior.shape, -1)
        yield xr.DataArray(by_draw, posterior.coordinates, ("chain", "draw", "obs"))


def log_means(densities: np.ndarray) -> np.ndarray:
    """Logarithms of mean densities over draws.

    Parameters
    ----------
    densities : ndarray, shape (chains, draws, cases)
        Their logarithms.

    Returns
    -------
    ndarray, shape (cases,)

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.models.scores import log_means
    >>> np.exp(log_means(np.log([[[1.0], [3.0]]])))
    array([2.])
    """
    chains, draws, _ = densities.shape
    return logsumexp(densities, axis=(0, 1)) - np.log(chains * draws)


def log_score(model: BNN, idata: xr.DataTree, X: Any, y: Any) -> float:
    r"""Mean log predictive density of cases.

    .. math:: \frac{1}{n} \sum_i \log \frac{1}{S} \sum_s p(y_i \mid x_i, \theta_s)

    (Lau 2018, 3.6), in nats per case, in the scale of the model's targets.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    X, y
        Cases, as given to the model.

    Returns
    -------
    float
    """
    return float(np.mean(log_predictive_density(model, idata, X, y)))


def checked_cases(model: BNN, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and encoded targets of cases that fit a model and each other.

    Parameters
    ----------
    model : BNN
        The model.
    X, y
        Cases, as given to the model.

    Returns
    -------
    X : ndarray, shape (cases, inputs)
    y : ndarray, shape (cases,) or (cases, outputs)

    Raises
    ------
    ValueError
        If they do not fit.
    """
    values, _ = as_inputs(X, model.inputs)
    encoded = model.likelihood.encode(y, model.classes)
    check_outputs(encoded, model.outputs)
    check_paired(X, y, len(values), len(encoded.values))
    return values, encoded.values


def _in_pieces(
    model: BNN, posterior: PosteriorDraws, X: np.ndarray, y: np.ndarray, trained: bool = False
) -> Iterator[tuple[slice, np.ndarray]]:
    """Batches of cases with their log densities, shape (samples, batch)."""
    likelihood = model.likelihood
    log_density = likelihood.log_density_of_trained if trained else likelihood.log_density
    for rows in batches(model, posterior, len(X)):
        densities = np.empty((posterior.size, len(X[rows])))
        for samples in blocks(model, posterior, len(X[rows])):
            part = posterior.part(samples)
            f = outputs(model, part, X[rows])
            found = log_density(f, y[rows], part.hyperparameters)
            densities[samples] = of_shape(found, f.shape[:2], likelihood, log_density.__name__)
        yield rows, densities

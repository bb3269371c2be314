"""Log densities of cases under posterior draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from scipy.special import logsumexp

from .forward_pass import PosteriorDraws, batches, outputs
from .pairing import check_paired
from .targets import as_inputs, check_outputs

if TYPE_CHECKING:
    from .network import BNN


def log_likelihood(model: BNN, idata: xr.DataTree, X: Any, y: Any) -> xr.DataArray:
    r"""Log density of cases under each draw, :math:`\log p(y_i \mid x_i, \theta_s)`.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    X : array, DataFrame or DataArray, shape (cases, inputs)
        Inputs.
    y : array or Series, shape (cases,) or (cases, outputs)
        Targets, as given to the model.

    Returns
    -------
    DataArray
        Dimensions chain, draw, obs.

    Raises
    ------
    ValueError
        If X and y do not fit the model or each other.
    """
    values, _ = as_inputs(X, model.inputs)
    encoded = model.likelihood.encode(y, model.classes)
    check_outputs(encoded, model.outputs)
    targets = encoded.values
    check_paired(X, y, len(values), len(targets))
    posterior = PosteriorDraws(model, idata)
    result = np.empty((posterior.size, len(values)))
    for rows in batches(model, posterior, len(values)):
        f = outputs(model, posterior, values[rows])
        result[:, rows] = model.likelihood.log_density(f, targets[rows], posterior.hyperparameters)
    return xr.DataArray(
        result.reshape(*posterior.shape, -1),
        dims=("chain", "draw", "obs"),
        coords={**posterior.coordinates, "obs": np.arange(len(values))},
        name="y_obs",
    )


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
    pointwise = log_likelihood(model, idata, X, y).values
    samples = pointwise.shape[0] * pointwise.shape[1]
    return float(np.mean(logsumexp(pointwise, axis=(0, 1)) - np.log(samples)))

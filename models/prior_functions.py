r"""What a prior of weights says about functions (Neal 1995, chapter 2).

The outputs of a network with one hidden layer are sums of independent terms, one for each unit, so
with many units they are nearly a Gaussian process. Its covariance is that of a network of any
width; with more layers it is that of wide ones, in which each layer's sums are nearly normal too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pymc as pm
import xarray as xr

from .activations import IDENTITY, RELU, Activation
from .data.targets import as_inputs

if TYPE_CHECKING:
    from .bnn import BNN

NODES = 64  # of the quadrature, in each of two dimensions
AT_ONCE = 2**21  # points of it that are held in memory


def draw_functions(
    model: BNN, X: Any, draws: int = 10, seed: int | np.random.Generator | None = None
) -> xr.DataArray:
    """Draw functions from the prior of a network.

    Parameters
    ----------
    model : BNN
        The network; its training data do not count.
    X : array or DataFrame, shape (cases, inputs)
        Where to evaluate the functions, in the scale of the training inputs.
    draws : int
        Number of functions.
    seed : int or Generator, optional
        Of the random numbers.

    Returns
    -------
    DataArray
        Network outputs, dimensions ``draw``, ``obs`` and ``output``.

    Raises
    ------
    ValueError
        If X does not fit the model.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.scaled(X, X[:, 0] ** 2, hidden=(100,))
    >>> models.draw_functions(model, np.linspace(-3, 3, 50)[:, None], draws=4, seed=1).sizes["obs"]
    50
    """
    values, _ = as_inputs(X, model.inputs)
    names = [*model.groups, *model.likelihood.hyperparameters]
    with model:
        drawn = pm.sample_prior_predictive(draws=draws, var_names=names, random_seed=seed)
    drawn["posterior"] = drawn["prior"]
    found = model.predict(drawn, values, draws=["f"], quantiles=(), seed=0)
    return found["predictions"].dataset["f"].isel(chain=0, drop=True)


def limiting_covariance(model: BNN, X: Any) -> np.ndarray:
    r"""Covariance of a network's outputs by its prior, in the limit of wide hidden layers.

    With the covariance :math:`K` of the sums that go into a layer of :math:`H` units, the sums
    that go into the next one have

    .. math:: K'(x, x') = \sigma_b^2 + H \sigma_w^2\, E[\phi(u) \phi(v)], \qquad
              (u, v) \sim N\bigl(0, K_{\{x, x'\}}\bigr)

    (Neal 1995, chapter 2). For rectified linear units the expectation is
    :math:`\sqrt{K_{xx} K_{x'x'}} (\sin\theta + (\pi - \theta) \cos\theta) / 2\pi`, where
    :math:`\theta` is the angle whose cosine is the correlation (Cho & Saul 2009); for others a
    quadrature. With one hidden layer the covariance is that of any width.

    Parameters
    ----------
    model : BNN
        A network whose weights are normal with known scales, such as :func:`models.scaled`.
    X : array or DataFrame, shape (cases, inputs)
        Inputs.

    Returns
    -------
    ndarray, shape (cases, cases)
        Covariance of each output with itself; outputs are independent.

    Raises
    ------
    ValueError
        If X does not fit the model, or its weights have other priors.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.scaled(X, X[:, 0] ** 2, hidden=(100,), activation="relu")
    >>> models.limiting_covariance(model, [[0.0], [1.0]]).round(3)
    array([[0.51 , 0.544],
           [0.544, 1.01 ]])
    """
    values, _ = as_inputs(X, model.inputs)
    variances = _variances(model)
    covariance = _sums(variances, 0, values @ values.T)
    for layer, units in enumerate(model.hidden, start=1):
        products = units * _products(model.activation, covariance)
        covariance = _sums(variances, layer, products)
    return covariance


def _sums(variances: dict[str, float], layer: int, products: np.ndarray) -> np.ndarray:
    """Covariance of the sums of a layer, from the products of what goes into it."""
    return variances[f"w{layer}"] * products + variances.get(f"b{layer}", 0.0)


def _variances(model: BNN) -> dict[str, float]:
    """Prior variance of the weights of each group."""
    for name in model.groups:
        free = model.declaration.weights[name]
        if not isinstance(model.scales.get(name), np.float64) or free.owner.op.name != "normal":
            raise ValueError(
                f"{name} has no normal prior of a known scale; use models.Scaled or "
                "models.Gaussian as its prior."
            )
    return {name: float(model.scales[name]) ** 2 for name in model.groups}


def _products(activation: Activation, covariance: np.ndarray) -> np.ndarray:
    """Expectation of the product of a unit's values at each two inputs."""
    if activation == IDENTITY:
        return covariance
    sd = np.sqrt(np.diag(covariance))
    scale = np.outer(sd, sd)
    correlation = np.clip(covariance / np.where(scale > 0, scale, 1.0), -1.0, 1.0)
    if activation == RELU:
        angle = np.arccos(correlation)
        return scale * (np.sin(angle) + (np.pi - angle) * correlation) / (2 * np.pi)
    return _quadrature(activation.array, sd, correlation)


def _quadrature(
    function: Callable[[np.ndarray], np.ndarray], sd: np.ndarray, correlation: np.ndarray
) -> np.ndarray:
    """Gauss-Hermite quadrature of products of a function of two correlated normal numbers."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    first, second = np.triu_indices(len(sd))
    found = np.empty(first.size)
    step = max(1, AT_ONCE // NODES**2)
    for start in range(0, first.size, step):
        i, j = first[start : start + step], second[start : start + step]
        r = correlation[i, j][:, None, None]
        v = r * nodes[:, None] + np.sqrt(1 - r**2) * nodes
        u = function(sd[i][:, None] * nodes)
        inner = function(sd[j][:, None, None] * v) @ weights
        found[start : start + step] = (u * inner) @ weights
    products = np.empty(correlation.shape)
    products[first, second] = products[second, first] = found
    return products

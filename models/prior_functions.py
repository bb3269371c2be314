r"""What a prior of weights says about functions (Neal 1995, chapter 2).

The outputs of a network with one hidden layer are sums of independent terms, one for each unit, so
with many units they are nearly a Gaussian process. Its covariance is that of a network of any
width; with more layers it is that of wide ones, in which each layer's sums are nearly normal too.
"""

from typing import Any

import numpy as np
import pymc as pm
import xarray as xr

from .architecture import SKIP
from .bnn import BNN
from .data.choices import is_whole
from .data.targets import as_inputs
from .forward_pass import PosteriorDraws, blocks, outputs
from .priors.base import Prior
from .simd.one_thread import alone
from .wide_layers import mean_products


def draw_functions(
    model: BNN, X: Any, draws: int = 10, seed: int | np.random.Generator | None = None
) -> xr.DataArray:
    r"""Draw functions from the prior of a network (Neal 1995, chapter 2).

    Scales :math:`\gamma`, where they have priors, and then weights are drawn anew for a function:

    .. math:: \gamma \sim p(\gamma), \qquad \theta \sim p(\theta \mid \gamma), \qquad
              f(x) = f(x; \theta)

    All values of a function are those of one network, so that their covariances at any width are
    those of the prior; those of wide ones are :func:`limiting_covariance`.

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
        Network outputs, or the units that a likelihood makes its predictions of, dimensions
        ``draw``, ``obs`` and ``output``.

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
    _check_network(model)
    values, _ = as_inputs(X, model.inputs)
    drawn = prior_draws(model, draws, seed)
    parts = blocks(model, drawn, len(values))
    units = np.concatenate([outputs(model, drawn.part(part), values) for part in parts])
    f = model.likelihood.predicted(units, drawn.hyperparameters).get("f", units)
    names = model.outputs if f.shape[2] == len(model.outputs) else model.output_units
    coordinates = {"draw": range(len(f)), "obs": range(len(values)), "output": list(names)}
    return xr.DataArray(f, coordinates, name="f")


@alone
def prior_draws(
    model: BNN, draws: int, seed: int | np.random.Generator | None = None
) -> PosteriorDraws:
    """Draw weights, and hyperparameters of the likelihood, from the prior of a network.

    Parameters
    ----------
    model : BNN
        The network.
    draws : int
        How many.
    seed : int or Generator, optional
        Of the random numbers.

    Returns
    -------
    PosteriorDraws
        What functions of posterior draws take.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.prior_functions import prior_draws
    >>> model = models.scaled(np.eye(3), np.arange(3.0), hidden=(100,))
    >>> prior_draws(model, 4, seed=1).weights["w0"].shape
    (4, 3, 100)
    """
    if not is_whole(draws, 1):
        raise ValueError(f"draws={draws!r}: give a whole number of at least 1.")
    names = [*model.groups, *model.likelihood.hyperparameters]
    with model:
        drawn = pm.sample_prior_predictive(draws=int(draws), var_names=names, random_seed=seed)
    drawn["posterior"] = drawn["prior"]
    return PosteriorDraws(model, drawn)


def limiting_covariance(model: BNN, X: Any) -> np.ndarray:
    r"""Covariance of a network's outputs by its prior, in the limit of wide hidden layers.

    With the covariance :math:`K` of the sums that go into a layer of :math:`H` units, the sums
    that go into the next one have

    .. math:: K'(x, x') = \sigma_b^2 + H \sigma_w^2\, E[\phi(u) \phi(v)], \qquad
              (u, v) \sim N\bigl(0, K_{\{x, x'\}}\bigr)

    (Neal 1995, chapter 2); the expectation has a closed form for each activation
    (:func:`~pymc_bnn.models.wide_layers.mean_products`), so that eigenvalues are negative by
    rounding alone. Direct connections from the inputs add
    :math:`\sigma_\mathrm{skip}^2\, x \cdot x'` to the covariance of the outputs.
    With one hidden layer the covariance is that of any width.

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
        If X does not fit the model, its weights have other priors, or its units no closed form.

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
    _check_network(model)
    values, _ = as_inputs(X, model.inputs)
    variances = _variances(model)
    with np.errstate(over="ignore"):
        covariance = _sums(variances, 0, values @ values.T)
    if not np.isfinite(covariance).all():
        raise ValueError("The covariance at X is infinite; scale X, or give smaller priors.")
    for layer, units in enumerate(model.hidden, start=1):
        variance = np.diag(covariance)
        products = units * mean_products(model.activation, covariance, variance[:, None], variance)
        covariance = _sums(variances, layer, products)
    return covariance + variances.get(SKIP, 0.0) * (values @ values.T)


def _check_network(model: Any) -> None:
    if not all(hasattr(model, name) for name in ("inputs", "groups", "declaration")):
        raise ValueError(
            f"model={type(model).__name__}: functions are drawn of networks, models.BNN, as they "
            "were declared."
        )


def _sums(variances: dict[str, float], layer: int, products: np.ndarray) -> np.ndarray:
    """Covariance of the sums of a layer, from the products of what goes into it."""
    return variances[f"w{layer}"] * products + variances.get(f"b{layer}", 0.0)


def _variances(model: BNN) -> dict[str, float]:
    """Prior variance of the weights of each group."""
    for name in model.groups:
        known = isinstance(model.scales.get(name), np.float64)
        if not known or type(model.priors[name]).declare is not Prior.declare:
            raise ValueError(
                f"{name} has no normal prior of a known scale; use models.Scaled or "
                "models.Gaussian as its prior."
            )
    return {name: float(model.scales[name]) ** 2 for name in model.groups}

"""Energy and gradient of a network's likelihood from NumPy alone, straight from the equations.

In extended precision where the machine has it, so that a comparison judges the kernels only.
"""

from collections.abc import Callable, Mapping

import numpy as np
from pymc_bnn import models

Array = np.ndarray

# value, and derivative by the pre-activation
ACTIVATIONS: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "tanh": (np.tanh, lambda g: 1 / np.cosh(np.minimum(abs(g), 5000)) ** 2),
    "relu": (lambda g: np.where(g > 0, g, 0), lambda g: np.where(g > 0, 1, 0)),
    "logistic": (lambda g: logistic(g), lambda g: logistic(g) * logistic(-g)),
    "softplus": (lambda g: softplus(g), lambda g: logistic(g)),
    "identity": (lambda g: g, np.ones_like),
    "step": (lambda g: np.where(g > 0, 1, -1), np.zeros_like),
}


def logistic(g: Array) -> Array:
    """``1 / (1 + exp(-g))``."""
    small = np.exp(-abs(g))
    return np.where(g >= 0, 1, small) / (1 + small)


def softplus(g: Array) -> Array:
    """``log(1 + exp(g))``."""
    return np.maximum(g, 0) + np.log1p(np.exp(-abs(g)))


def target_energy(
    likelihood: models.Likelihood, f: Array, y: Array, precision: Array
) -> tuple[Array, Array]:
    """Energy of all cases, and its derivative by the outputs ``f``, (cases, outputs)."""
    match likelihood:
        case models.GaussianNoise():
            residual = f - y
            return 0.5 * (precision * residual**2).sum(), precision * residual
        case models.Bernoulli():
            sign = 1 - 2 * y[:, None]
            return softplus(sign * f).sum(), sign * logistic(sign * f)
    shifted = f - f.max(axis=1, keepdims=True)
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    chosen = np.arange(f.shape[1]) == y[:, None]
    energy = (np.log(total[:, 0]) - shifted[chosen]).sum()
    return energy, np.exp(shifted) / total - chosen


def energy_and_gradient(
    model: models.BNN, weights: Mapping[str, Array], precision: Array
) -> tuple[Array, dict[str, Array]]:
    """Energy of the model's targets given all weights, and its gradient by each group."""
    value, slope = ACTIVATIONS[model.activation.name]
    wide = {name: w.astype(np.longdouble) for name, w in weights.items()}
    units = [model["X"].get_value().astype(np.longdouble)]
    slopes: list[Array] = []
    last = len(model.hidden)
    for i in range(last + 1):
        g = units[i] @ wide[f"w{i}"] + wide.get(f"b{i}", 0)
        units.append(g if i == last else value(g))
        slopes.append(slope(g))
    energy, d = target_energy(
        model.likelihood, units[-1], model["y"].get_value(), precision.astype(np.longdouble)
    )
    gradient = {}
    for i in range(last, -1, -1):
        if f"b{i}" in wide:
            gradient[f"b{i}"] = d.sum(axis=0)
        gradient[f"w{i}"] = units[i].T @ d
        if i:
            d = d @ wide[f"w{i}"].T * slopes[i - 1]
    return energy, gradient

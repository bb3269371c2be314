r"""Energy and gradient of a network's likelihood as one fused kernel.

The same numbers as the PyTensor graph of the model, by the forward and backward pass of Choo
(2000), Eqs. 3.1-3.2 and 4.21-4.23, without a memory allocation per gradient. One kernel serves
every network with the same activation and likelihood, whatever its sizes and data. Arrays have
the cases along the last axis.
"""

import numpy as np

from ..models.activations import Activation
from ..models.elementary import exp, logistic, softplus
from ..models.kernels import (
    affine,
    dot,
    input_cotangent,
    jit,
    sum_of,
    weights_cotangent,
)
from . import engine
from .potential import Rest

activate = slope = likelihood = run_forward = run_backward = engine.bound_later


@jit
def gaussian_noise(f, y, precision):  # type: ignore[no-untyped-def]
    r"""Energy :math:`\tfrac12 \sum \tau_k (f_k - y_k)^2`; ``f`` becomes its derivative."""
    energy = 0.0
    for k in range(f.shape[0]):
        row, target, tau = f[k], y[k], precision[k]
        for c in range(row.size):
            row[c] -= target[c]
        energy += 0.5 * tau * dot(row, row)
        for c in range(row.size):
            row[c] *= tau
    return energy


@jit
def bernoulli(f, y, precision):  # type: ignore[no-untyped-def]
    r"""Energy :math:`\sum \log(1 + e^f) - y f`; ``f`` becomes its derivative."""
    row, target = f[0], y[0]
    energy = 0.0
    for c in range(row.size):
        energy += softplus((1.0 - 2.0 * target[c]) * row[c])
    for c in range(row.size):
        row[c] = logistic(row[c]) - target[c]
    return energy


@jit
def categorical(f, y, precision):  # type: ignore[no-untyped-def]
    r"""Energy :math:`\sum \log \sum_k e^{f_k} - f_y`; ``f`` becomes its derivative."""
    classes, cases = f.shape
    energy = 0.0
    largest, total = f[0].copy(), np.zeros(cases)
    for k in range(1, classes):
        row = f[k]
        for c in range(cases):
            largest[c] = max(largest[c], row[c])
    for c in range(cases):
        energy += largest[c] - f[int(y[0, c]), c]
    for k in range(classes):
        row = f[k]
        for c in range(cases):
            row[c] = exp(row[c] - largest[c])
            total[c] += row[c]
    for c in range(cases):
        energy += np.log(total[c])
        total[c] = 1.0 / total[c]
    for k in range(classes):
        row = f[k]
        for c in range(cases):
            row[c] *= total[c]
    for c in range(cases):
        f[int(y[0, c]), c] -= 1.0
    return energy


LIKELIHOODS = {
    "GaussianNoise": gaussian_noise,
    "Bernoulli": bernoulli,
    "Categorical": categorical,
}


@jit
def allocate_workspace(data):  # type: ignore[no-untyped-def]
    """Room for the outputs of every layer and two cotangents."""
    sizes = data[3]
    return np.empty(data[0].shape[1] * (sizes[1:].sum() + 2 * sizes[1:].max()))


@jit
def matrix(vector, start, rows, columns):  # type: ignore[no-untyped-def]
    """View part of a vector as a matrix."""
    return vector[start : start + rows * columns].reshape(rows, columns)


def forward(q, workspace, data):  # type: ignore[no-untyped-def]
    """Compute all layers into the workspace and return where the last one starts."""
    X, _, _, sizes, weights_at, bias_at = data
    cases = X.shape[1]
    last = sizes.size - 2
    units = X
    start = 0
    for layer in range(last + 1):
        sources, targets = sizes[layer], sizes[layer + 1]
        out = matrix(workspace, start, targets, cases)
        affine(units, matrix(q, weights_at[layer], sources, targets), out)
        bias = bias_at[layer]
        for j in range(targets):
            row = out[j]
            shift = q[bias + j] if bias >= 0 else 0.0
            if layer < last:
                for c in range(cases):
                    row[c] = activate(row[c] + shift)
            else:
                for c in range(cases):
                    row[c] += shift
        units = out
        start += cases * targets
    return start - cases * sizes[last + 1]


def backward(q, gradient, workspace, start, data):  # type: ignore[no-untyped-def]
    """Carry the cotangent of the outputs, at ``start``, back to all weights."""
    X, _, _, sizes, weights_at, bias_at = data
    cases = X.shape[1]
    last = sizes.size - 2
    spare = cases * sizes[1:].sum()
    other = spare + cases * sizes[1:].max()
    d_out = matrix(workspace, start, sizes[last + 1], cases)
    for layer in range(last, -1, -1):
        sources, targets = sizes[layer], sizes[layer + 1]
        if bias_at[layer] >= 0:
            for j in range(targets):
                gradient[bias_at[layer] + j] = sum_of(d_out[j])
        d_weights = matrix(gradient, weights_at[layer], sources, targets)
        if layer == 0:
            weights_cotangent(X, d_out, d_weights)
            break
        start -= cases * sources
        units = matrix(workspace, start, sources, cases)
        weights_cotangent(units, d_out, d_weights)
        d_units = matrix(workspace, spare, sources, cases)
        input_cotangent(matrix(q, weights_at[layer], sources, targets), d_out, d_units)
        for j in range(sources):
            row, h = d_units[j], units[j]
            for c in range(cases):
                row[c] *= slope(h[c])
        d_out = d_units
        spare, other = other, spare


def energy_and_gradient(q, gradient, workspace, data):  # type: ignore[no-untyped-def]
    """Energy of the likelihood; fills ``gradient``, shape (weights,)."""
    start = run_forward(q, workspace, data)
    X, y, precision, sizes, _, _ = data
    f = matrix(workspace, start, sizes[-1], X.shape[1])
    energy = likelihood(f, y, precision)
    run_backward(q, gradient, workspace, start, data)
    return energy


def energy_only(q, workspace, data):  # type: ignore[no-untyped-def]
    """Energy of the likelihood."""
    start = run_forward(q, workspace, data)
    X, y, precision, sizes, _, _ = data
    return likelihood(matrix(workspace, start, sizes[-1], X.shape[1]), y, precision)


def network_rest(activation: Activation, likelihood_name: str, gradient: bool) -> Rest:
    """Compile the energy of a network's likelihood.

    Parameters
    ----------
    activation : Activation
        Activation of the hidden units.
    likelihood_name : {"GaussianNoise", "Bernoulli", "Categorical"}
        Class of the likelihood.
    gradient : bool
        Whether the gradient is needed too.

    Returns
    -------
    Rest
        Its ``data`` is ``(X, y, noise precision of each output, units of each layer, start of
        each layer's weights, start of its biases or -1)``, with X of shape (inputs, cases) and y
        of shape (outputs, cases), or (1, cases) for classes.
    """
    bindings = {
        "run_forward": engine.bind(forward, activate=activation.value),
        "likelihood": LIKELIHOODS[likelihood_name],
    }
    if gradient:
        bindings["run_backward"] = engine.bind(backward, slope=activation.slope)
    template = energy_and_gradient if gradient else energy_only
    key = f"network-{activation.name}-{likelihood_name}-{gradient}"
    return Rest(allocate_workspace, engine.bind(template, **bindings), [], key)

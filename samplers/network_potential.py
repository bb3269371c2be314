r"""Energy and gradient of a network's likelihood as one fused kernel.

The same numbers as the PyTensor graph of the model, by the forward and backward pass of Choo
(2000), Eqs. 3.1-3.2 and 4.21-4.23, without a memory allocation per gradient. One kernel serves
every network with the same activation and likelihood, whatever its sizes and data.
"""

import numpy as np
from numba import njit

from ..models.activations import Activation
from ..models.elementary import exp, logistic, softplus
from ..models.kernels import product, product_transposed_left, product_transposed_right
from . import engine
from .potential import Rest

activate = slope = likelihood = run_forward = run_backward = engine.bound_later

_jit = njit(error_model="numpy", fastmath={"contract"})


@_jit
def gaussian_noise(f, y, precision):  # type: ignore[no-untyped-def]
    r"""Energy :math:`\tfrac12 \sum \tau_k (f_k - y_k)^2`; ``f`` becomes its derivative."""
    energy = 0.0
    for k in range(f.shape[1]):
        tau = precision[k]
        squares = 0.0
        for c in range(f.shape[0]):
            residual = f[c, k] - y[c, k]
            squares += residual * residual
            f[c, k] = tau * residual
        energy += 0.5 * tau * squares
    return energy


@_jit
def bernoulli(f, y, precision):  # type: ignore[no-untyped-def]
    r"""Energy :math:`\sum \log(1 + e^f) - y f`; ``f`` becomes its derivative."""
    energy = 0.0
    for c in range(f.shape[0]):
        logit = f[c, 0]
        energy += softplus(-logit if y[c, 0] > 0.5 else logit)
        f[c, 0] = logistic(logit) - y[c, 0]
    return energy


@_jit
def categorical(f, y, precision):  # type: ignore[no-untyped-def]
    r"""Energy :math:`\sum \log \sum_k e^{f_k} - f_y`; ``f`` becomes its derivative."""
    energy = 0.0
    for c in range(f.shape[0]):
        observed = int(y[c, 0])
        largest = f[c, 0]
        for k in range(f.shape[1]):
            largest = max(largest, f[c, k])
        energy += largest - f[c, observed]
        total = 0.0
        for k in range(f.shape[1]):
            f[c, k] = exp(f[c, k] - largest)
            total += f[c, k]
        energy += np.log(total)
        for k in range(f.shape[1]):
            f[c, k] /= total
        f[c, observed] -= 1.0
    return energy


LIKELIHOODS = {
    "GaussianNoise": gaussian_noise,
    "Bernoulli": bernoulli,
    "Categorical": categorical,
}


@_jit
def allocate_workspace(data):  # type: ignore[no-untyped-def]
    """Room for the outputs of every layer and two cotangents."""
    sizes = data[3]
    return np.empty(data[0].shape[0] * (sizes[1:].sum() + 2 * sizes[1:].max()))


@_jit
def matrix(vector, start, rows, columns):  # type: ignore[no-untyped-def]
    """View part of a vector as a matrix."""
    return vector[start : start + rows * columns].reshape(rows, columns)


def forward(q, workspace, data):  # type: ignore[no-untyped-def]
    """Compute all layers into the workspace and return where the last one starts."""
    X, _, _, sizes, weights_at, bias_at = data
    cases = X.shape[0]
    last = sizes.size - 2
    units = X
    start = 0
    for layer in range(last + 1):
        sources, targets = sizes[layer], sizes[layer + 1]
        out = matrix(workspace, start, cases, targets)
        product(units, matrix(q, weights_at[layer], sources, targets), out)
        bias = bias_at[layer]
        for c in range(cases):
            if bias >= 0:
                for j in range(targets):
                    out[c, j] += q[bias + j]
            if layer < last:
                for j in range(targets):
                    out[c, j] = activate(out[c, j])
        units = out
        start += cases * targets
    return start - cases * sizes[last + 1]


def backward(q, gradient, workspace, start, data):  # type: ignore[no-untyped-def]
    """Carry the cotangent of the outputs, at ``start``, back to all weights."""
    X, _, _, sizes, weights_at, bias_at = data
    cases = X.shape[0]
    last = sizes.size - 2
    spare = cases * sizes[1:].sum()
    other = spare + cases * sizes[1:].max()
    d_out = matrix(workspace, start, cases, sizes[last + 1])
    for layer in range(last, -1, -1):
        sources, targets = sizes[layer], sizes[layer + 1]
        if bias_at[layer] >= 0:
            d_bias = gradient[bias_at[layer] : bias_at[layer] + targets]
            d_bias[:] = 0.0
            for c in range(cases):
                for j in range(targets):
                    d_bias[j] += d_out[c, j]
        d_weights = matrix(gradient, weights_at[layer], sources, targets)
        if layer == 0:
            product_transposed_left(X, d_out, d_weights)
            break
        start -= cases * sources
        units = matrix(workspace, start, cases, sources)
        product_transposed_left(units, d_out, d_weights)
        d_units = matrix(workspace, spare, cases, sources)
        weights = matrix(q, weights_at[layer], sources, targets)
        product_transposed_right(d_out, weights, d_units)
        for c in range(cases):
            for j in range(sources):
                d_units[c, j] *= slope(units[c, j])
        d_out = d_units
        spare, other = other, spare


def energy_and_gradient(q, gradient, workspace, data):  # type: ignore[no-untyped-def]
    """Energy of the likelihood; fills ``gradient``, shape (weights,)."""
    start = run_forward(q, workspace, data)
    X, y, precision, sizes, _, _ = data
    f = matrix(workspace, start, X.shape[0], sizes[-1])
    energy = likelihood(f, y, precision)
    run_backward(q, gradient, workspace, start, data)
    return energy


def energy_only(q, workspace, data):  # type: ignore[no-untyped-def]
    """Energy of the likelihood."""
    start = run_forward(q, workspace, data)
    X, y, precision, sizes, _, _ = data
    return likelihood(matrix(workspace, start, X.shape[0], sizes[-1]), y, precision)


def squared_residuals(q, data):  # type: ignore[no-untyped-def]
    """Sum of squared residuals of each output, shape (outputs,)."""
    workspace = allocate_workspace(data)
    start = run_forward(q, workspace, data)
    X, y, _, sizes, _, _ = data
    f = matrix(workspace, start, X.shape[0], sizes[-1])
    squares = np.zeros(f.shape[1])
    for c in range(f.shape[0]):
        for k in range(f.shape[1]):
            squares[k] += (f[c, k] - y[c, k]) ** 2
    return squares


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
        each layer's weights, start of its biases or -1)``.
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

r"""Energy and gradient of a network's likelihood as one fused kernel.

The same numbers as the PyTensor graph of the model, by the forward and backward pass of Choo
(2000), Eqs. 3.1-3.2 and 4.21-4.23, without a memory allocation per gradient. One kernel serves
every network with the same activation and likelihood, whatever its sizes and data. Arrays have
the cases along the last axis.
"""

from collections.abc import Callable

import numpy as np
from numba import uintp

from ..models.activations import Activation
from ..models.elementary import exp, logistic, softplus
from ..models.kernels import (
    add_multiple,
    affine,
    dot_parts,
    input_cotangent,
    jit,
    row,
    sum_part,
    weights_cotangent,
)
from . import engine
from .potential import Rest

activate = slope = likelihood = run_forward = run_backward = engine.bound_later


@jit
def gaussian_noise(f, at, y, precision, cases):
    r"""Energy :math:`\tfrac12 \sum \tau_k (f_k - y_k)^2`; ``f`` becomes its derivative."""
    energy = 0.0
    for k in range(precision.size):
        first, tau = at + k * cases, precision[k]
        add_multiple(f, first, -1.0, y, k * cases, cases)
        energy += 0.5 * tau * dot_parts(f, first, f, first, cases)
        for c in range(uintp(cases)):
            f[uintp(first) + c] *= tau
    return energy


@jit
def bernoulli(f, at, y, precision, cases):
    r"""Energy :math:`\sum \log(1 + e^f) - y f`; ``f`` becomes its derivative."""
    logit = row(f, at, 0, cases)
    energy = 0.0
    for c in range(cases):
        energy += softplus((1.0 - 2.0 * y[c]) * logit[c])
    for c in range(cases):
        logit[c] = logistic(logit[c]) - y[c]
    return energy


@jit
def categorical(f, at, y, precision, cases):
    r"""Energy :math:`\sum \log \sum_k e^{f_k} - f_y`; ``f`` becomes its derivative."""
    energy = 0.0
    largest, total = row(f, at, 0, cases).copy(), np.zeros(cases)
    for k in range(1, precision.size):
        f_k = row(f, at, k, cases)
        for c in range(cases):
            largest[c] = max(largest[c], f_k[c])
    for c in range(cases):
        energy += largest[c] - f[at + int(y[c]) * cases + c]
    for k in range(precision.size):
        f_k = row(f, at, k, cases)
        for c in range(cases):
            f_k[c] = exp(f_k[c] - largest[c])
            total[c] += f_k[c]
    for c in range(cases):
        energy += np.log(total[c])
        total[c] = 1.0 / total[c]
    for k in range(precision.size):
        f_k = row(f, at, k, cases)
        for c in range(cases):
            f_k[c] *= total[c]
    for c in range(cases):
        f[at + int(y[c]) * cases + c] -= 1.0
    return energy


LIKELIHOODS = {
    "GaussianNoise": gaussian_noise,
    "Bernoulli": bernoulli,
    "Categorical": categorical,
}


@jit
def allocate_workspace(data):
    """Room for the outputs of every layer and two cotangents."""
    sizes, cases = data[3], data[6]
    return np.empty(cases * (sizes[1:].sum() + 2 * sizes[1:].max()))


def forward(q, workspace, data):
    """Compute all layers into the workspace and return where the last one starts."""
    X, _, _, sizes, weights_at, bias_at, cases = data
    last = sizes.size - 2
    units, at, out_at = X, 0, 0
    for layer in range(last + 1):
        sources, targets = sizes[layer], sizes[layer + 1]
        affine(
            units,
            at,
            q,
            weights_at[layer],
            bias_at[layer],
            workspace,
            out_at,
            sources,
            targets,
            cases,
        )
        if layer < last:
            hidden = workspace[out_at : out_at + targets * cases]
            for c in range(hidden.size):
                hidden[c] = activate(hidden[c])
        units, at, out_at = workspace, out_at, out_at + targets * cases
    return at


def backward(q, gradient, workspace, at, data):
    """Carry the cotangent of the outputs, which lies at ``at``, back to all weights."""
    X, _, _, sizes, weights_at, bias_at, cases = data
    last = sizes.size - 2
    units_at = at
    spare = at + cases * sizes[last + 1]
    other = spare + cases * sizes[1:].max()
    for layer in range(last, -1, -1):
        sources, targets = sizes[layer], sizes[layer + 1]
        w_at, b_at = weights_at[layer], bias_at[layer]
        if b_at >= 0:
            for j in range(targets):
                gradient[b_at + j] = sum_part(workspace, at + j * cases, cases)
        if layer == 0:
            weights_cotangent(X, 0, workspace, at, gradient, w_at, sources, targets, cases)
            break
        units_at -= cases * sources
        weights_cotangent(
            workspace, units_at, workspace, at, gradient, w_at, sources, targets, cases
        )
        input_cotangent(q, w_at, workspace, at, workspace, spare, sources, targets, cases)
        d_units = workspace[spare : spare + sources * cases]
        units = workspace[units_at : units_at + sources * cases]
        for c in range(d_units.size):
            d_units[c] *= slope(units[c])
        at, spare, other = spare, other, spare


def energy_and_gradient(q, gradient, workspace, data):
    """Energy of the likelihood; fills ``gradient``, shape (weights,)."""
    at = run_forward(q, workspace, data)
    energy = likelihood(workspace, at, data[1], data[2], data[6])
    run_backward(q, gradient, workspace, at, data)
    return energy


def energy_only(q, workspace, data):
    """Energy of the likelihood."""
    at = run_forward(q, workspace, data)
    return likelihood(workspace, at, data[1], data[2], data[6])


def squared_residuals(q, data):
    """Sum of squared residuals of each output, shape (outputs,)."""
    workspace = allocate_workspace(data)
    at = run_forward(q, workspace, data)
    y, outputs, cases = data[1], data[2].size, data[6]
    squares = np.empty(outputs)
    for k in range(outputs):
        first = at + k * cases
        add_multiple(workspace, first, -1.0, y, k * cases, cases)
        squares[k] = dot_parts(workspace, first, workspace, first, cases)
    return squares


def network_squares(activation: Activation) -> Callable:
    """Compile :func:`squared_residuals` for one activation."""
    return engine.bind(
        squared_residuals, run_forward=engine.bind(forward, activate=activation.value)
    )


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
        Its ``data`` is ``(X, y, curvature of each output, units of each layer, start of each
        layer's weights, start of its biases or -1, cases)``, with X (inputs, cases) and y
        (outputs, cases), or the codes of the classes (cases,), flattened. The curvature of
        Gaussian noise is its precision.
    """
    bindings: dict[str, Callable] = {
        "run_forward": engine.bind(forward, activate=activation.value),
        "likelihood": LIKELIHOODS[likelihood_name],
    }
    if gradient:
        bindings["run_backward"] = engine.bind(backward, slope=activation.slope)
    template = energy_and_gradient if gradient else energy_only
    key = f"network-{activation.name}-{likelihood_name}-{gradient}"
    return Rest(allocate_workspace, engine.bind(template, **bindings), [], key)

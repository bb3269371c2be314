r"""Hand-written leapfrog loops: what one chain costs when nothing but arithmetic is left.

Two networks are written out by hand, without regard to any other: a regression with one layer of
tanh units, in plain loops whose sizes are constants to the compiler, and a softmax classifier with
any number of tanh layers, on BLAS. Both compute the energy that the samplers compute,

.. math:: E(q) = \tfrac12 \sum_i \tau_i q_i^2 - \log p(y \mid q),

up to constants, with its gradient. Weights lie in the order w0, b0, w1, b1, ...; arrays of units
have the cases along the last axis.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit

from ....models.simd.elementary import exp, tanh

_jit = njit(error_model="numpy", fastmath={"contract"})
_jit_sum = njit(error_model="numpy", fastmath={"contract", "reassoc", "nsz"})


@_jit_sum
def _dot(a, b):
    total = 0.0
    for c in range(a.size):
        total += a[c] * b[c]
    return total


@_jit_sum
def _sum(a):
    total = 0.0
    for c in range(a.size):
        total += a[c]
    return total


def regression(inputs: int, hidden: int, outputs: int, cases: int) -> Callable:
    """Compile energy and gradient of a tanh regression network with one hidden layer.

    Parameters
    ----------
    inputs, hidden, outputs, cases : int
        Sizes, constants to the compiler.

    Returns
    -------
    callable
        ``(q, gradient, workspace, data) -> energy``, which fills ``gradient``; ``data`` is
        ``(X, y, noise_precision, precision)`` of shapes (inputs, cases), (outputs, cases),
        scalar and (weights,), and ``workspace`` three arrays of shapes (hidden, cases),
        (outputs, cases) and (cases,).

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.benchmark.peers.floor import regression
    >>> energy = regression(1, 1, 1, 2)
    >>> workspace = np.empty((1, 2)), np.empty((1, 2)), np.empty(2)
    >>> data = np.zeros((1, 2)), np.ones((1, 2)), 3.0, np.ones(4)
    >>> energy(np.zeros(4), np.empty(4), workspace, data)
    3.0
    """
    b0_at = inputs * hidden
    w1_at = b0_at + hidden
    b1_at = w1_at + hidden * outputs

    @_jit
    def energy_and_gradient(q, gradient, workspace, data):
        units, errors, d = workspace
        X, y, noise_precision, precision = data
        for j in range(hidden):
            bias = q[b0_at + j]
            for c in range(cases):
                units[j, c] = bias
            for i in range(inputs):
                w = q[i * hidden + j]
                for c in range(cases):
                    units[j, c] += w * X[i, c]
            for c in range(cases):
                units[j, c] = tanh(units[j, c])
        energy = 0.0
        for k in range(outputs):
            bias = q[b1_at + k]
            for c in range(cases):
                errors[k, c] = bias - y[k, c]
            for j in range(hidden):
                w = q[w1_at + j * outputs + k]
                for c in range(cases):
                    errors[k, c] += w * units[j, c]
            energy += 0.5 * noise_precision * _dot(errors[k], errors[k])
            for c in range(cases):
                errors[k, c] *= noise_precision
            gradient[b1_at + k] = _sum(errors[k])
        for j in range(hidden):
            for c in range(cases):
                d[c] = 0.0
            for k in range(outputs):
                w = q[w1_at + j * outputs + k]
                gradient[w1_at + j * outputs + k] = _dot(units[j], errors[k])
                for c in range(cases):
                    d[c] += w * errors[k, c]
            for c in range(cases):
                d[c] *= 1.0 - units[j, c] * units[j, c]
            gradient[b0_at + j] = _sum(d)
            for i in range(inputs):
                gradient[i * hidden + j] = _dot(X[i], d)
        for i in range(q.size):
            energy += 0.5 * precision[i] * q[i] * q[i]
            gradient[i] += precision[i] * q[i]
        return energy

    return energy_and_gradient


@_jit
def _softmax(f, classes):
    """Energy of the classes; the outputs ``f`` become their derivative."""
    outputs, cases = f.shape
    largest, total, energy = f[0].copy(), np.zeros(cases), 0.0
    for k in range(1, outputs):
        for c in range(cases):
            largest[c] = max(largest[c], f[k, c])
    for c in range(cases):
        energy += largest[c] - f[classes[c], c]
    for k in range(outputs):
        for c in range(cases):
            f[k, c] = exp(f[k, c] - largest[c])
            total[c] += f[k, c]
    for c in range(cases):
        energy += np.log(total[c])
        total[c] = 1.0 / total[c]
    for k in range(outputs):
        for c in range(cases):
            f[k, c] *= total[c]
    for c in range(cases):
        f[classes[c], c] -= 1.0
    return energy


@_jit
def classifier(q, gradient, workspace, data):
    """Energy of a softmax network with any number of tanh layers; fills ``gradient``.

    ``data`` is ``(X, classes, sizes, precision)`` of shapes (inputs, cases), (cases,),
    (layers + 1,) and (weights,); ``workspace`` holds the units of all layers and two cotangents,
    of shapes (sum of sizes[1:] * cases,) and (2, largest of sizes[1:] * cases).

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.benchmark.peers.floor import classifier
    >>> sizes, workspace = np.array([1, 2]), (np.empty(6), np.empty((2, 6)))
    >>> data = np.zeros((1, 3)), np.zeros(3, int), sizes, np.ones(4)
    >>> energy = classifier(np.zeros(4), np.empty(4), workspace, data)
    >>> bool(np.isclose(energy, 3 * np.log(2)))
    True
    """
    units, spare = workspace
    X, classes, sizes, precision = data
    cases, layers = X.shape[1], sizes.size - 1
    source, at, end = X, 0, 0
    for layer in range(layers):
        m, n = sizes[layer], sizes[layer + 1]
        target = units[end : end + n * cases].reshape(n, cases)
        np.dot(q[at : at + m * n].reshape(m, n).T, source, target)
        at += m * n
        for j in range(n):
            bias = q[at + j]
            for c in range(cases):
                target[j, c] += bias
            if layer < layers - 1:
                for c in range(cases):
                    target[j, c] = tanh(target[j, c])
        at, end, source = at + n, end + n * cases, target
    d = source
    energy = _softmax(d, classes)
    end -= sizes[layers] * cases
    for layer in range(layers - 1, -1, -1):
        m, n = sizes[layer], sizes[layer + 1]
        at -= n
        for j in range(n):
            gradient[at + j] = _sum(d[j])
        at -= m * n
        end -= m * cases
        source = X if layer == 0 else units[end : end + m * cases].reshape(m, cases)
        np.dot(source, d.T, gradient[at : at + m * n].reshape(m, n))
        if layer > 0:
            below = spare[layer % 2, : m * cases].reshape(m, cases)
            np.dot(q[at : at + m * n].reshape(m, n), d, below)
            for j in range(m):
                for c in range(cases):
                    below[j, c] *= 1.0 - source[j, c] * source[j, c]
            d = below
    for i in range(q.size):
        energy += 0.5 * precision[i] * q[i] * q[i]
        gradient[i] += precision[i] * q[i]
    return energy


def leapfrog(energy_and_gradient: Callable) -> Callable:
    """Compile a trajectory around a hand-written energy.

    Parameters
    ----------
    energy_and_gradient : callable
        From :func:`regression` or :func:`classifier`.

    Returns
    -------
    callable
        ``(q, p, step_sizes, n_leapfrog, gradient, workspace, data) -> energy``, which moves ``q``
        and ``p`` in place.

    Examples
    --------
    >>> import numpy as np
    >>> from numba import njit
    >>> from pymc_bnn.studies.benchmark.peers.floor import leapfrog
    >>> @njit
    ... def free(q, gradient, workspace, data):
    ...     gradient[:] = 0.0
    ...     return 0.0
    >>> q, p = np.zeros(1), np.ones(1)
    >>> leapfrog(free)(q, p, np.ones(1), 5, np.empty(1), (), ())
    0.0
    >>> q
    array([5.])
    """

    @_jit
    def follow(q, p, step_sizes, n_leapfrog, gradient, workspace, data):
        energy = energy_and_gradient(q, gradient, workspace, data)
        for i in range(q.size):
            p[i] -= 0.5 * step_sizes[i] * gradient[i]
        for step in range(n_leapfrog):
            for i in range(q.size):
                q[i] += step_sizes[i] * p[i]
            energy = energy_and_gradient(q, gradient, workspace, data)
            weight = 1.0 if step < n_leapfrog - 1 else 0.5
            for i in range(q.size):
                p[i] -= weight * step_sizes[i] * gradient[i]
        return energy

    return follow

"""Compiled kernels of a layer, on float64 arrays with the cases along the last axis.

With the cases last, every loop runs over contiguous numbers, however few units a layer has, and
the compiler turns it into SIMD code; products from a few hundred multiply-adds on go to BLAS.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from functools import cache

import numpy as np
from numba import uintp

from ..activations import Activation
from .linked import linked

BLAS_FROM = 512  # multiply-adds of a product from which a BLAS call is the faster one

jit = linked()
# Inlined before compilation: no references to arrays are counted then from one function to the
# next, which would take longer than the arithmetic of a small network.
inlined = linked(inline="always")
# Sums may be reordered, which SIMD needs; nothing else may, see the elementary functions.
_jit_sum = linked(fastmath={"contract", "reassoc", "nsz"})


@_jit_sum
def dot(a, b):
    """Sum of products of two vectors."""
    total = 0.0
    for c in range(a.size):
        total += a[c] * b[c]
    return total


@_jit_sum
def quadratic(q, mean, precision):
    r"""Energy of independent normal distributions, :math:`\tfrac12 \sum \tau (q - m)^2`."""
    total = 0.0
    for i in range(q.size):
        total += precision[i] * (q[i] - mean[i]) * (q[i] - mean[i])
    return 0.5 * total


@jit
def copy_into(out, a):
    """Copy a vector into another of its size.

    Numba compiles an assignment to a slice together with the message of its error, for seconds.
    """
    for i in range(a.size):
        out[i] = a[i]


# The functions on parts of vectors take no slices, which cost more than the arithmetic of a few
# cases; unsigned indices spare numba's check for negative ones, which would prevent SIMD.


@_jit_sum
def dot_parts(a, a_at, b, b_at, n):
    """Sum of products of ``n`` numbers of two vectors, from ``a_at`` and ``b_at`` on."""
    total = 0.0
    for c in range(uintp(n)):
        total += a[uintp(a_at) + c] * b[uintp(b_at) + c]
    return total


@_jit_sum
def sum_part(a, at, n):
    """Sum of ``n`` numbers of a vector from ``at`` on."""
    total = 0.0
    for c in range(uintp(n)):
        total += a[uintp(at) + c]
    return total


@jit
def fill_part(out, at, value, n):
    """``out = value`` for ``n`` numbers of a vector."""
    for c in range(uintp(n)):
        out[uintp(at) + c] = value


@jit
def add_multiple(out, out_at, factor, a, a_at, n):
    """``out += factor * a`` for ``n`` numbers of two vectors."""
    for c in range(uintp(n)):
        out[uintp(out_at) + c] += factor * a[uintp(a_at) + c]


@jit
def row(a, start, j, cases):
    """Row ``j`` of a matrix that begins at ``start``, as a view."""
    return a[start + j * cases : start + (j + 1) * cases]


@jit
def matrix(a, start, rows, columns):
    """View part of a vector as a matrix."""
    return a[start : start + rows * columns].reshape(rows, columns)


@jit
def add_constant(out, constant):
    """``out += constant`` for a vector."""
    for c in range(out.size):
        out[c] += constant


@jit
def affine(x, x_at, w, w_at, b_at, out, out_at, sources, targets, cases):
    """``out = weights.T @ x + bias`` for parts of vectors.

    ``x`` holds (sources, cases) from ``x_at``; ``w`` holds the weights (sources, targets) from
    ``w_at`` and the bias from ``b_at``, unless that is negative; ``out`` gets (targets, cases).
    """
    if sources * targets * cases >= BLAS_FROM:
        weights = matrix(w, w_at, sources, targets)
        np.dot(weights.T, matrix(x, x_at, sources, cases), matrix(out, out_at, targets, cases))
        if b_at >= 0:
            for j in range(targets):
                add_constant(row(out, out_at, j, cases), w[b_at + j])
        return
    for j in range(targets):
        at = out_at + j * cases
        fill_part(out, at, w[b_at + j] if b_at >= 0 else 0.0, cases)
        for i in range(sources):
            add_multiple(out, at, w[w_at + i * targets + j], x, x_at + i * cases, cases)


@jit
def weights_cotangent(x, x_at, d, d_at, out, out_at, sources, targets, cases):
    """``out = x @ d.T``: cotangent of the weights from ``d``, (targets, cases)."""
    if sources * targets * cases >= BLAS_FROM:
        cotangent = matrix(d, d_at, targets, cases)
        weights = matrix(out, out_at, sources, targets)
        np.dot(matrix(x, x_at, sources, cases), cotangent.T, weights)
        return
    for i in range(sources):
        for j in range(targets):
            at = out_at + i * targets + j
            out[at] = dot_parts(x, x_at + i * cases, d, d_at + j * cases, cases)


@jit
def input_cotangent(w, w_at, d, d_at, out, out_at, sources, targets, cases):
    """``out = weights @ d``: cotangent of the layer's input from ``d``, (targets, cases)."""
    if sources * targets * cases >= BLAS_FROM:
        cotangent = matrix(d, d_at, targets, cases)
        np.dot(matrix(w, w_at, sources, targets), cotangent, matrix(out, out_at, sources, cases))
        return
    for i in range(sources):
        at = out_at + i * cases
        fill_part(out, at, 0.0, cases)
        for j in range(targets):
            add_multiple(out, at, w[w_at + i * targets + j], d, d_at + j * cases, cases)


@cache
def layer_forward(activation: Activation, biases: bool) -> Callable:
    """Compile ``(x, weights[, bias]) -> output``, cases first, for one activation.

    There is no optional argument, which PyTensor's loops over batches could not leave out.
    """
    value = activation.value

    @jit
    def forward(x, weights, bias):
        cases, targets = x.shape[0], weights.shape[1]
        if x.shape[1] != weights.shape[0]:
            raise ValueError("inputs of a layer have other columns than its weights have rows")
        if bias is not None and bias.size != targets:
            raise ValueError("a layer has other biases than its weights have columns")
        out = np.empty(targets * cases)
        x_rows, w = np.ascontiguousarray(x.T).reshape(-1), np.ascontiguousarray(weights).reshape(-1)
        affine(x_rows, 0, w, 0, -1, out, 0, x.shape[1], targets, cases)
        if bias is not None:
            for j in range(targets):
                add_constant(row(out, 0, j, cases), bias[j])
        for c in range(out.size):
            out[c] = value(out[c])
        return out.reshape(targets, cases).T

    @jit
    def forward_without(x, weights):
        return forward(x, weights, None)

    return forward if biases else forward_without


@cache
def layer_pullback(activation: Activation) -> Callable:
    """Compile ``(x, output, cotangent) -> (d_affine, d_weights, d_bias)``, cases first."""
    slope = activation.slope

    @jit
    def pullback(x, output, cotangent):
        cases, targets = output.shape
        sources = x.shape[1]
        h = np.ascontiguousarray(output.T).reshape(-1)
        d = np.ascontiguousarray(cotangent.T).reshape(-1)
        d_affine = np.empty(targets * cases)
        for c in range(d_affine.size):
            d_affine[c] = d[c] * slope(h[c])
        d_bias = np.empty(targets)
        for j in range(targets):
            d_bias[j] = sum_part(d_affine, j * cases, cases)
        d_weights = np.empty(sources * targets)
        x_rows = np.ascontiguousarray(x.T).reshape(-1)
        weights_cotangent(x_rows, 0, d_affine, 0, d_weights, 0, sources, targets, cases)
        return d_affine.reshape(targets, cases).T, d_weights.reshape(sources, targets), d_bias

    return pullback


@jit
def input_pullback(d_affine, weights):
    """``(d_affine, weights) -> d_x``, cases first."""
    cases, targets = d_affine.shape
    sources = weights.shape[0]
    out = np.empty(sources * cases)
    w = np.ascontiguousarray(weights).reshape(-1)
    d = np.ascontiguousarray(d_affine.T).reshape(-1)
    input_cotangent(w, 0, d, 0, out, 0, sources, targets, cases)
    return out.reshape(sources, cases).T

"""Compiled kernels of a layer, on float64 arrays with the cases along the last axis.

With the cases last, every loop runs over contiguous numbers, however few units a layer has, and
the compiler turns it into SIMD code; products from a few hundred multiply-adds on go to BLAS.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from numba import njit

from .activations import Activation

BLAS_FROM = 512  # multiply-adds of a product from which a BLAS call is the faster one

jit = njit(error_model="numpy", fastmath={"contract"})
# Sums may be reordered, which SIMD needs; nothing else may, see the elementary functions.
_jit_sum = njit(error_model="numpy", fastmath={"contract", "reassoc", "nsz"})


@cache
def cache_key(*names: str) -> str:
    """Key of a compiled kernel on disk: its names and the sources it is compiled from."""
    digest = sha256(repr(names).encode())
    for source in ("kernels.py", "elementary.py", "activations.py"):
        digest.update((Path(__file__).parent / source).read_bytes())
    return digest.hexdigest()


@_jit_sum
def dot(a, b):  # type: ignore[no-untyped-def]
    """Sum of products of two vectors."""
    total = 0.0
    for c in range(a.size):
        total += a[c] * b[c]
    return total


@_jit_sum
def sum_of(a):  # type: ignore[no-untyped-def]
    """Sum of a vector."""
    total = 0.0
    for c in range(a.size):
        total += a[c]
    return total


@jit
def add_multiple(out, factor, a):  # type: ignore[no-untyped-def]
    """``out += factor * a`` for vectors."""
    for c in range(out.size):
        out[c] += factor * a[c]


@jit
def affine(x, weights, out):  # type: ignore[no-untyped-def]
    """``out = weights.T @ x`` for ``x`` (sources, cases) and ``weights`` (sources, targets)."""
    sources, targets = weights.shape
    if sources * targets * x.shape[1] >= BLAS_FROM:
        np.dot(weights.T, x, out)
        return
    for j in range(targets):
        out[j, :] = 0.0
        for i in range(sources):
            add_multiple(out[j], weights[i, j], x[i])


@jit
def weights_cotangent(x, d_affine, out):  # type: ignore[no-untyped-def]
    """``out = x @ d_affine.T``: cotangent of the weights."""
    sources, targets = out.shape
    if sources * targets * x.shape[1] >= BLAS_FROM:
        np.dot(x, d_affine.T, out)
        return
    for i in range(sources):
        for j in range(targets):
            out[i, j] = dot(x[i], d_affine[j])


@jit
def input_cotangent(weights, d_affine, out):  # type: ignore[no-untyped-def]
    """``out = weights @ d_affine``: cotangent of the layer's input."""
    sources, targets = weights.shape
    if sources * targets * d_affine.shape[1] >= BLAS_FROM:
        np.dot(weights, d_affine, out)
        return
    for i in range(sources):
        out[i, :] = 0.0
        for j in range(targets):
            add_multiple(out[i], weights[i, j], d_affine[j])


@cache
def layer_forward(activation: Activation) -> Callable:
    """Compile ``(x, weights[, bias]) -> output``, cases first, for one activation."""
    value = activation.value

    @jit
    def forward(x, weights, bias=None):  # type: ignore[no-untyped-def]
        cases, targets = x.shape[0], weights.shape[1]
        out = np.empty((targets, cases))
        affine(np.ascontiguousarray(x.T), np.ascontiguousarray(weights), out)
        for j in range(targets):
            row = out[j]
            if bias is None:
                for c in range(cases):
                    row[c] = value(row[c])
            else:
                shift = bias[j]
                for c in range(cases):
                    row[c] = value(row[c] + shift)
        return out.T

    return forward


@cache
def layer_pullback(activation: Activation) -> Callable:
    """Compile ``(x, output, cotangent) -> (d_affine, d_weights, d_bias)``, cases first."""
    slope = activation.slope

    @jit
    def pullback(x, output, cotangent):  # type: ignore[no-untyped-def]
        cases, targets = output.shape
        output_rows = np.ascontiguousarray(output.T)
        cotangent_rows = np.ascontiguousarray(cotangent.T)
        d_affine = np.empty((targets, cases))
        d_weights = np.empty((x.shape[1], targets))
        d_bias = np.empty(targets)
        for j in range(targets):
            h, d, row = output_rows[j], cotangent_rows[j], d_affine[j]
            for c in range(cases):
                row[c] = d[c] * slope(h[c])
            d_bias[j] = sum_of(row)
        weights_cotangent(np.ascontiguousarray(x.T), d_affine, d_weights)
        return d_affine.T, d_weights, d_bias

    return pullback


@jit
def input_pullback(d_affine, weights):  # type: ignore[no-untyped-def]
    """``(d_affine, weights) -> d_x``, cases first."""
    out = np.empty((weights.shape[0], d_affine.shape[0]))
    input_cotangent(np.ascontiguousarray(weights), np.ascontiguousarray(d_affine.T), out)
    return out.T

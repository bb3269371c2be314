"""Compiled kernels of a layer: forward pass and pullback, on float64 arrays in C order.

Small products are plain loops, which the compiler vectorises across the units of a layer; large
ones go to BLAS, whose calls cost more than a small product altogether.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from numba import njit

from .activations import Activation

BLAS_FROM = 16_384  # multiply-adds of a product from which a BLAS call pays

_jit = njit(error_model="numpy", fastmath={"contract"})


@cache
def cache_key(*names: str) -> str:
    """Key of a compiled kernel on disk: its names and the sources it is compiled from."""
    sources = ("kernels.py", "elementary.py", "activations.py")
    digest = sha256(repr(names).encode())
    for source in sources:
        digest.update((Path(__file__).parent / source).read_bytes())
    return digest.hexdigest()


@_jit
def product(x, weights, out):  # type: ignore[no-untyped-def]
    """``out = x @ weights``."""
    cases, sources = x.shape
    targets = weights.shape[1]
    if cases * sources * targets >= BLAS_FROM:
        np.dot(x, weights, out)
        return
    for c in range(cases):
        for j in range(targets):
            out[c, j] = 0.0
        for i in range(sources):
            value = x[c, i]
            for j in range(targets):
                out[c, j] += value * weights[i, j]


@_jit
def product_transposed_left(x, d_affine, out):  # type: ignore[no-untyped-def]
    """``out = x.T @ d_affine``."""
    cases, sources = x.shape
    targets = d_affine.shape[1]
    if cases * sources * targets >= BLAS_FROM:
        np.dot(x.T, d_affine, out)
        return
    out[:, :] = 0.0
    for c in range(cases):
        for i in range(sources):
            value = x[c, i]
            for j in range(targets):
                out[i, j] += value * d_affine[c, j]


@_jit
def product_transposed_right(d_affine, weights, out):  # type: ignore[no-untyped-def]
    """``out = d_affine @ weights.T``."""
    cases, targets = d_affine.shape
    sources = weights.shape[0]
    if cases * sources * targets >= BLAS_FROM:
        np.dot(d_affine, weights.T, out)
        return
    for c in range(cases):
        for i in range(sources):
            total = 0.0
            for j in range(targets):
                total += d_affine[c, j] * weights[i, j]
            out[c, i] = total


@cache
def layer_forward(activation: Activation) -> Callable:
    """Compile ``(x, weights[, bias]) -> output`` for one activation."""
    value = activation.value

    @_jit
    def forward(x, weights, bias=None):  # type: ignore[no-untyped-def]
        out = np.empty((x.shape[0], weights.shape[1]))
        product(np.ascontiguousarray(x), np.ascontiguousarray(weights), out)
        for c in range(out.shape[0]):
            if bias is None:
                for j in range(out.shape[1]):
                    out[c, j] = value(out[c, j])
            else:
                for j in range(out.shape[1]):
                    out[c, j] = value(out[c, j] + bias[j])
        return out

    return forward


@cache
def layer_pullback(activation: Activation) -> Callable:
    """Compile ``(x, output, cotangent) -> (d_affine, d_weights, d_bias)`` for one activation."""
    slope = activation.slope

    @_jit
    def pullback(x, output, cotangent):  # type: ignore[no-untyped-def]
        cases, targets = output.shape
        d_affine = np.empty((cases, targets))
        d_weights = np.empty((x.shape[1], targets))
        d_bias = np.zeros(targets)
        for c in range(cases):
            for j in range(targets):
                d = cotangent[c, j] * slope(output[c, j])
                d_affine[c, j] = d
                d_bias[j] += d
        product_transposed_left(np.ascontiguousarray(x), d_affine, d_weights)
        return d_affine, d_weights, d_bias

    return pullback


@_jit
def input_pullback(d_affine, weights):  # type: ignore[no-untyped-def]
    """``(d_affine, weights) -> d_x``."""
    out = np.empty((d_affine.shape[0], weights.shape[0]))
    product_transposed_right(
        np.ascontiguousarray(d_affine), np.ascontiguousarray(weights), out
    )
    return out

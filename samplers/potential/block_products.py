"""Matrix products of a layer over a block of cases, in SIMD registers.

A vector, given by a pointer to its numbers, holds a row of ``block`` cases for each unit, one row
after the other; ``block`` is a multiple of the numbers in a register. Large products go to BLAS,
in single precision those of large layers alone.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numpy as np
from numba import carray

from ...models.simd.kernels import jit
from ...models.simd.lane_memory import (
    add_rounded_totals,
    add_totals,
    load,
    number,
    pointer,
    put,
    splat,
    store,
    total,
    width,
    zeros,
)
from ...models.simd.lanes import WIDTH
from ...models.simd.processor import has_wide_registers
from .blocks import LOOPS_BELOW

# Multiply-adds of a product from which a BLAS call is the faster one, by docs/small_products.csv.
IS_WIDE = has_wide_registers()
BLAS_FROM = 3000 if IS_WIDE else 100_000
SINGLE_LANES, SINGLE_LOOPS_BELOW = WIDTH["float32"], LOOPS_BELOW["float32"]
START = np.int64(0)  # of a vector; a literal 0 would have numba compile all that is called anew
LONG_SUM = 5  # terms of each sum in such a product; with fewer it mostly moves memory


@jit
def matrix(a, start, rows, columns):
    """View numbers from a pointer on as a matrix."""
    return carray(pointer(a, start), (rows, columns))


@jit
def is_for_blas(x, weights, block):
    """Whether a product is one for BLAS, by its sizes and the precision of ``x`` alone."""
    if width(x) == SINGLE_LANES and weights < SINGLE_LOOPS_BELOW:
        return False
    return weights * block >= BLAS_FROM


@jit
def forward_product(x, x_at, w, w_at, b_at, out, out_at, sources, targets, block):
    """``out = weights.T @ x + bias`` for parts of vectors.

    ``x`` holds (sources, block) from ``x_at``; ``w`` holds the weights (sources, targets) from
    ``w_at`` and the bias from ``b_at``, unless that is negative; ``out`` gets (targets, block).
    """
    if sources >= LONG_SUM and is_for_blas(x, sources * targets, block):
        weights = matrix(w, w_at, sources, targets)
        np.dot(weights.T, matrix(x, x_at, sources, block), matrix(out, out_at, targets, block))
        if b_at >= 0:
            for j in range(targets):
                for c in range(out_at + j * block, out_at + (j + 1) * block, width(x)):
                    store(out, c, load(out, c) + number(w, b_at + j))
        return
    product(x, x_at, w, w_at, targets, 1, b_at, out, out_at, sources, targets, block)


@jit
def backward_product(w, w_at, d, out, sources, targets, block):
    """``out = weights @ d``: cotangent of the layer's input from ``d``, (targets, block)."""
    if targets >= LONG_SUM and is_for_blas(d, sources * targets, block):
        weights = matrix(w, w_at, sources, targets)
        np.dot(weights, matrix(d, START, targets, block), matrix(out, START, sources, block))
        return
    product(d, START, w, w_at, 1, targets, -1, out, START, targets, sources, block)


@jit
def product(x, x_at, w, w_at, step, step_out, b_at, out, out_at, rows, rows_out, block):
    """``out[t] = b[t] + sum_i w[i * step + t * step_out] * x[i]``, four rows at a time."""
    fours = rows_out - rows_out % 4
    for t in range(0, fours, 4):
        for c in range(0, block, width(x)):
            if b_at >= 0:
                a0, a1 = splat(number(w, b_at + t)), splat(number(w, b_at + t + 1))
                a2, a3 = splat(number(w, b_at + t + 2)), splat(number(w, b_at + t + 3))
            else:
                a0 = a1 = a2 = a3 = zeros(w)
            at = w_at + t * step_out
            for i in range(rows):
                x_i = load(x, x_at + i * block + c)
                a0 += number(w, at) * x_i
                a1 += number(w, at + step_out) * x_i
                a2 += number(w, at + 2 * step_out) * x_i
                a3 += number(w, at + 3 * step_out) * x_i
                at += step
            to = out_at + t * block + c
            store(out, to, a0)
            store(out, to + block, a1)
            store(out, to + 2 * block, a2)
            store(out, to + 3 * block, a3)
    for t in range(fours, rows_out):
        four = 4 * width(x)
        for c in range(0, block - block % four, four):
            a0 = splat(number(w, b_at + t)) if b_at >= 0 else zeros(w)
            a1 = a2 = a3 = a0
            at, x_i = w_at + t * step_out, x_at + c
            for _ in range(rows):
                weight = number(w, at)
                a0 += weight * load(x, x_i)
                a1 += weight * load(x, x_i + width(x))
                a2 += weight * load(x, x_i + 2 * width(x))
                a3 += weight * load(x, x_i + 3 * width(x))
                at += step
                x_i += block
            to = out_at + t * block + c
            store(out, to, a0)
            store(out, to + width(x), a1)
            store(out, to + 2 * width(x), a2)
            store(out, to + 3 * width(x), a3)
        for c in range(block - block % four, block, width(x)):
            a0 = splat(number(w, b_at + t)) if b_at >= 0 else zeros(w)
            at = w_at + t * step_out
            for i in range(rows):
                a0 += number(w, at) * load(x, x_at + i * block + c)
                at += step
            store(out, out_at + t * block + c, a0)


@jit
def add_weights_cotangent(x, x_at, d, out, out_at, spare, sources, targets, block):
    """``out += x @ d.T``: cotangent of the weights from ``d``, (targets, block)."""
    if is_for_blas(x, sources * targets, block):
        cotangent = matrix(d, START, targets, block)
        found = matrix(spare, START, sources, targets)
        np.dot(matrix(x, x_at, sources, block), cotangent.T, found)
        for k in range(sources * targets):
            put(out, out_at + k, number(out, out_at + k) + number(spare, k))
        return
    if IS_WIDE and width(x) == SINGLE_LANES and targets >= 4:
        in_tiles = sources - sources % 4
        add_tiles(x, x_at, d, out, out_at, in_tiles, targets, block)
        x_at, out_at = x_at + in_tiles * block, out_at + in_tiles * targets
        sources -= in_tiles
    end = targets * block
    whole = sources * targets - sources * targets % 4
    x0, d0 = x_at, START
    for k in range(out_at, out_at + whole, 4):
        if targets % 4 == 0:
            d1, d2, d3 = d0 + block, d0 + 2 * block, d0 + 3 * block
            add_four_products(x, x0, x0, x0, x0, d, d0, d1, d2, d3, out, k, block)
            x0, d0 = following(x0, d3, end, block)
        elif targets == 2:
            x1 = x0 + block
            add_four_products(x, x0, x0, x1, x1, d, START, block, START, block, out, k, block)
            x0 = x1 + block
        elif targets == 1:
            x1, x2, x3 = x0 + block, x0 + 2 * block, x0 + 3 * block
            add_four_products(x, x0, x1, x2, x3, d, START, START, START, START, out, k, block)
            x0 = x3 + block
        else:
            x1, d1 = following(x0, d0, end, block)
            x2, d2 = following(x1, d1, end, block)
            x3, d3 = following(x2, d2, end, block)
            add_four_products(x, x0, x1, x2, x3, d, d0, d1, d2, d3, out, k, block)
            x0, d0 = following(x3, d3, end, block)
    for k in range(out_at + whole, out_at + sources * targets):
        a0 = load(x, x0) * load(d, d0)
        for c in range(width(d), block, width(d)):
            a0 += load(x, x0 + c) * load(d, d0 + c)
        put(out, k, number(out, k) + total(a0))
        x0, d0 = following(x0, d0, end, block)


@jit
def add_tiles(x, x_at, d, out, out_at, sources, targets, block):
    """``out += x @ d.T`` for a multiple of four sources, with four targets at a time."""
    whole = targets - targets % 4
    for i in range(0, sources, 4):
        x_i, k = x_at + i * block, out_at + i * targets
        for j in range(0, whole, 4):
            add_tile(x, x_i, d, j * block, out, k + j, targets, block)
        for j in range(whole, targets):
            add_column(x, x_i, d, j * block, out, k + j, targets, block)


@jit
def add_tile(x, x_at, d, d_at, out, k, targets, block):
    """Add the 16 products of four rows each of ``x`` and ``d``: two of them for one read."""
    a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = zeros(x)
    e0 = e1 = e2 = e3 = f0 = f1 = f2 = f3 = zeros(x)
    x1, x2, x3 = x_at + block, x_at + 2 * block, x_at + 3 * block
    d1, d2, d3 = d_at + block, d_at + 2 * block, d_at + 3 * block
    for c in range(0, block, width(d)):
        d_0, d_1, d_2, d_3 = load(d, d_at + c), load(d, d1 + c), load(d, d2 + c), load(d, d3 + c)
        x_0, x_1, x_2, x_3 = load(x, x_at + c), load(x, x1 + c), load(x, x2 + c), load(x, x3 + c)
        a0, a1, a2, a3 = a0 + x_0 * d_0, a1 + x_0 * d_1, a2 + x_0 * d_2, a3 + x_0 * d_3
        b0, b1, b2, b3 = b0 + x_1 * d_0, b1 + x_1 * d_1, b2 + x_1 * d_2, b3 + x_1 * d_3
        e0, e1, e2, e3 = e0 + x_2 * d_0, e1 + x_2 * d_1, e2 + x_2 * d_2, e3 + x_2 * d_3
        f0, f1, f2, f3 = f0 + x_3 * d_0, f1 + x_3 * d_1, f2 + x_3 * d_2, f3 + x_3 * d_3
    add_rounded_totals(out, k, a0, a1, a2, a3)
    add_rounded_totals(out, k + targets, b0, b1, b2, b3)
    add_rounded_totals(out, k + 2 * targets, e0, e1, e2, e3)
    add_rounded_totals(out, k + 3 * targets, f0, f1, f2, f3)


@jit
def add_column(x, x_at, d, d_at, out, k, targets, block):
    """Add the products of four rows of ``x`` and one of ``d``."""
    a0 = a1 = a2 = a3 = zeros(x)
    x1, x2, x3 = x_at + block, x_at + 2 * block, x_at + 3 * block
    for c in range(0, block, width(d)):
        d_0 = load(d, d_at + c)
        a0, a1 = a0 + load(x, x_at + c) * d_0, a1 + load(x, x1 + c) * d_0
        a2, a3 = a2 + load(x, x2 + c) * d_0, a3 + load(x, x3 + c) * d_0
    put(out, k, number(out, k) + total(a0))
    put(out, k + targets, number(out, k + targets) + total(a1))
    put(out, k + 2 * targets, number(out, k + 2 * targets) + total(a2))
    put(out, k + 3 * targets, number(out, k + 3 * targets) + total(a3))


@jit
def add_four_products(x, x0, x1, x2, x3, d, d0, d1, d2, d3, out, k, block):
    """Add four products of rows of ``x`` and ``d``; rows given twice are read once."""
    a0, a1 = load(x, x0) * load(d, d0), load(x, x1) * load(d, d1)
    a2, a3 = load(x, x2) * load(d, d2), load(x, x3) * load(d, d3)
    for c in range(width(d), block, width(d)):
        a0 += load(x, x0 + c) * load(d, d0 + c)
        a1 += load(x, x1 + c) * load(d, d1 + c)
        a2 += load(x, x2 + c) * load(d, d2 + c)
        a3 += load(x, x3 + c) * load(d, d3 + c)
    add_totals(out, k, a0, a1, a2, a3)


@jit
def following(x_at, d_at, end, block):
    """Rows of source and target of the next weight, after those of one weight."""
    d_at += block
    if d_at == end:
        return x_at + block, 0
    return x_at, d_at


@jit
def add_sums(d, out, out_at, targets, block):
    """Add the sum of each row of ``d``, (targets, block), to ``out``."""
    whole = targets - targets % 4
    for j in range(0, whole, 4):
        at = j * block
        a0, a1 = load(d, at), load(d, at + block)
        a2, a3 = load(d, at + 2 * block), load(d, at + 3 * block)
        for c in range(at + width(d), at + block, width(d)):
            a0 += load(d, c)
            a1 += load(d, c + block)
            a2 += load(d, c + 2 * block)
            a3 += load(d, c + 3 * block)
        add_totals(out, out_at + j, a0, a1, a2, a3)
    for j in range(whole, targets):
        at = j * block
        a0 = load(d, at)
        for c in range(at + width(d), at + block, width(d)):
            a0 += load(d, c)
        put(out, out_at + j, number(out, out_at + j) + total(a0))

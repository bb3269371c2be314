"""Products of a layer's weights with its units, for eight chains at once.

Every chain has its own weights, so no product of matrices serves them all. The loops here keep
four cases of all chains in registers while they run over the units, so that each multiplication
loads one vector and stores none.

Arrays are given as pointers. Units lie as (units, 4 cases), weights as (sources, targets);
arguments that end in ``_at`` say where they start, counted in vectors.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable

from ....models.simd.kernels import jit
from ....models.simd.lane_memory import number
from ....models.simd.registers import TILE, load, repeat, store


@jit
def _itself(x):
    return x


def affine(source: Callable, activate: Callable = _itself) -> Callable:
    """Compile ``out = activate(weights.T @ x + bias)``; a negative ``b_at`` means no bias.

    Parameters
    ----------
    source : callable
        ``number`` for inputs, which are the same for all chains, or ``load`` for hidden units.
    activate : callable
        Compiled function of a register.

    Returns
    -------
    callable
        ``(x, x_at, w, w_at, b_at, out, out_at, sources, targets)``.
    """

    @jit
    def compute(x, x_at, w, w_at, b_at, out, out_at, sources, targets):
        for j in range(targets):
            a = load(w, b_at + j) if b_at >= 0 else repeat(0.0)
            b = c = d = a
            for i in range(sources):
                weight, at = load(w, w_at + i * targets + j), x_at + i * TILE
                a += weight * source(x, at)
                b += weight * source(x, at + 1)
                c += weight * source(x, at + 2)
                d += weight * source(x, at + 3)
            at = out_at + j * TILE
            store(out, at, activate(a))
            store(out, at + 1, activate(b))
            store(out, at + 2, activate(c))
            store(out, at + 3, activate(d))

    return compute


def _add_weights_cotangent(source: Callable) -> Callable:
    @jit
    def compute(x, x_at, d, d_at, out, w_at, b_at, sources, targets):
        for j in range(targets):
            at = d_at + j * TILE
            d0, d1, d2, d3 = load(d, at), load(d, at + 1), load(d, at + 2), load(d, at + 3)
            if b_at >= 0:
                store(out, b_at + j, load(out, b_at + j) + ((d0 + d1) + (d2 + d3)))
            for i in range(sources):
                at, weight = x_at + i * TILE, w_at + i * targets + j
                even = load(out, weight) + d0 * source(x, at) + d2 * source(x, at + 2)
                odd = d1 * source(x, at + 1) + d3 * source(x, at + 3)
                store(out, weight, even + odd)

    return compute


# ``out += x @ d.T`` for weights, and ``out += d`` summed over cases for biases
add_cotangent_of_inputs = _add_weights_cotangent(number)
add_cotangent_of_units = _add_weights_cotangent(load)


def units_cotangent(slope: Callable) -> Callable:
    """Compile ``out = slope(x) * (weights @ d)``, the cotangent of a layer's sources ``x``.

    Parameters
    ----------
    slope : callable
        Compiled function of a register.

    Returns
    -------
    callable
        ``(x, x_at, w, w_at, d, d_at, out, out_at, sources, targets)``.
    """

    @jit
    def compute(x, x_at, w, w_at, d, d_at, out, out_at, sources, targets):
        for i in range(sources):
            a = repeat(0.0)
            b = c = e = a
            for j in range(targets):
                weight, at = load(w, w_at + i * targets + j), d_at + j * TILE
                a += weight * load(d, at)
                b += weight * load(d, at + 1)
                c += weight * load(d, at + 2)
                e += weight * load(d, at + 3)
            at, unit = out_at + i * TILE, x_at + i * TILE
            store(out, at, a * slope(load(x, unit)))
            store(out, at + 1, b * slope(load(x, unit + 1)))
            store(out, at + 2, c * slope(load(x, unit + 2)))
            store(out, at + 3, e * slope(load(x, unit + 3)))

    return compute

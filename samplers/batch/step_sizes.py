"""Curvature-based step sizes of eight chains at once, those of :mod:`..step_sizes.curvature`."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numpy as np

from ...models.simd.kernels import jit
from ...models.simd.lane_memory import number
from ...models.simd.registers import WIDTH, load, repeat, store
from .network.registers import room_for


@jit
def neal_step_sizes(precision, weights, output_curvature, network, room, out):
    """Step sizes for a factor of 1 at the precisions of each chain; arrays are pointers.

    Parameters
    ----------
    precision : ndarray of vectors, shape (weights,)
        Prior precisions of the weights.
    weights : int
        Their number.
    output_curvature : ndarray of vectors, shape (outputs,)
        Second derivative of a case's energy by each output.
    network : Network
        Its sizes, inputs and activation.
    room : ndarray of vectors
        From :func:`workspace`.
    out : ndarray of vectors, shape (weights,)
        The step sizes.
    """
    sizes, weights_at, bias_at = network.sizes, network.weights_at, network.bias_at
    squares, mean_square = network.squares, network.mean_square
    layers, widest = network.layers, network.widest
    cases = number(squares, 0)
    for i in range(sizes[0]):
        store(room, i, repeat(number(squares, 1 + i)))
    for layer in range(layers - 1):
        targets = sizes[layer + 1]
        for j in range(targets):
            total = repeat(0.0)
            if bias_at[layer] >= 0:
                total += cases / load(precision, bias_at[layer] + j)
            for i in range(sizes[layer]):
                at = weights_at[layer] + i * targets + j
                total += load(room, layer * widest + i) / load(precision, at)
            mean = mean_square[0] * total + mean_square[1] * cases
            store(room, (layer + 1) * widest + j, mean)
    curvature, below = layers * widest, (layers + 1) * widest
    for k in range(sizes[layers]):
        store(room, curvature + k, load(output_curvature, k))
    slopes = network.largest_slope**2
    for layer in range(layers - 1, -1, -1):
        targets = sizes[layer + 1]
        for i in range(sizes[layer]):
            mean, total = load(room, layer * widest + i), repeat(0.0)
            for j in range(targets):
                at = weights_at[layer] + i * targets + j
                prior, target = load(precision, at), load(room, curvature + j)
                store(out, at, prior + target * mean)
                total += slopes * target / prior
            store(room, below + i, total)
        if bias_at[layer] >= 0:
            for j in range(targets):
                at = bias_at[layer] + j
                store(out, at, load(precision, at) + load(room, curvature + j) * cases)
        curvature, below = below, curvature
    for i in range(weights * WIDTH):
        out[i] = 1.0 / np.sqrt(out[i])


def workspace(sizes: np.ndarray) -> np.ndarray:
    """Allocate room for the mean squares of all layers and the curvatures of two."""
    return room_for((len(sizes) + 1) * int(max(sizes)))

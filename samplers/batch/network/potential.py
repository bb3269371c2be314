r"""Energy and gradient of a network's likelihood for a pack of eight chains.

The same numbers as in :mod:`...potential.network_potential`, with the chains along the last axis:
what they share, the data, is loaded once for all, and short rows of few cases or units fill SIMD
registers.
The data pass in tiles of four cases, so that the units of a tile stay in the nearest cache.

The compiled functions take pointers, see :func:`.registers.pointers`.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....models.activations import Activation
from ....models.bnn import BNN
from ....models.data.renewed_data import check_data
from ....models.likelihoods import Likelihood
from ....models.simd.lane_memory import number
from ....models.simd.registers import TILE, load, repeat, store
from ...compiled import engine
from ...potential.block_products import START
from .kernels import add_cotangent_of_inputs, add_cotangent_of_units, affine, units_cotangent
from .registers import room_for
from .tiles import tiled

only_layer = first_layer = next_layer = last_layer = run_forward = engine.bound_later
likelihood_energy = differentiate_likelihood = units_backward = engine.bound_later


class Network(NamedTuple):
    """A network's data and sizes.

    Attributes
    ----------
    X, y : ndarray
        Inputs and targets in tiles.
    sizes, weights_at, bias_at : ndarray of int
        Units of each layer, and where its weights and biases start (-1: none).
    layers, widest, outputs : int
        Layers of weights, units of the widest layer, units of the last.
    cases, tiles, rows : int
        Number of cases and of their tiles, and of targets of a case.
    squares : ndarray
        Number of cases, then the sum of squares of each input.
    largest_slope, mean_square : float, tuple of float
        Of the activation.
    """

    X: np.ndarray
    y: np.ndarray
    sizes: np.ndarray
    weights_at: np.ndarray
    bias_at: np.ndarray
    layers: int
    widest: int
    outputs: int
    cases: int
    tiles: int
    rows: int
    squares: np.ndarray
    largest_slope: float
    mean_square: tuple[float, float]


class Potential(NamedTuple):
    """Compiled functions of a pack.

    Attributes
    ----------
    energy : callable
        ``(q, noise, room, network, out)``: energies of the likelihood, one vector.
    add_gradient : callable
        ``(q, noise, room, network, out)``: adds the gradients to ``out``.
    squares : callable
        ``(q, room, network, out)``: sums of squared residuals, a vector for each output.
    forward : callable
        ``(q, room, network, tile)``: all layers for a tile; returns where the last one starts.
    """

    energy: Callable
    add_gradient: Callable
    squares: Callable
    forward: Callable


def forward(q, room, network, tile):
    """Compute all layers for the cases of a tile; return where the last one starts."""
    sizes, weights_at, bias_at = network.sizes, network.weights_at, network.bias_at
    x_at, last = tile * sizes[0] * TILE, network.layers - 1
    at, inputs, units = START, sizes[0], sizes[1]
    if last == 0:
        only_layer(network.X, x_at, q, weights_at[0], bias_at[0], room, START, inputs, units)
    else:
        first_layer(network.X, x_at, q, weights_at[0], bias_at[0], room, START, inputs, units)
    for layer in range(1, network.layers):
        sources, targets = sizes[layer], sizes[layer + 1]
        out_at = at + sources * TILE
        w_at, b_at = weights_at[layer], bias_at[layer]
        if layer < last:
            next_layer(room, at, q, w_at, b_at, room, out_at, sources, targets)
        else:
            last_layer(room, at, q, w_at, b_at, room, out_at, sources, targets)
        at = out_at
    return at


def energy(q, noise, room, network, out):
    """Energies of the likelihood, into the first vector of ``out``."""
    y, cases, outputs = network.y, network.cases, network.outputs
    total = repeat(0.0)
    for tile in range(network.tiles):
        at, y_at = run_forward(q, room, network, tile), tile * network.rows * TILE
        there = min(TILE, cases - tile * TILE)
        total += likelihood_energy(room, at, y, y_at, noise, outputs, there)
    store(out, 0, total)


def add_gradient(q, noise, room, network, out):
    """Add the gradients of the energies to ``out``."""
    sizes, weights_at, bias_at = network.sizes, network.weights_at, network.bias_at
    for tile in range(network.tiles):
        at, y_at = run_forward(q, room, network, tile), tile * network.rows * TILE
        there = min(TILE, network.cases - tile * TILE)
        differentiate_likelihood(room, at, network.y, y_at, noise, network.outputs, there)
        units_at = at
        spare = at + network.outputs * TILE
        other = spare + network.widest * TILE
        for layer in range(network.layers - 1, 0, -1):
            sources, targets, w_at = sizes[layer], sizes[layer + 1], weights_at[layer]
            units_at -= sources * TILE
            add_cotangent_of_units(
                room, units_at, room, at, out, w_at, bias_at[layer], sources, targets
            )
            units_backward(room, units_at, q, w_at, room, at, room, spare, sources, targets)
            at, spare, other = spare, other, spare
        x_at = tile * sizes[0] * TILE
        add_cotangent_of_inputs(
            network.X, x_at, room, at, out, weights_at[0], bias_at[0], sizes[0], sizes[1]
        )


def squares(q, room, network, out):
    """Sums of squared residuals, a vector for each output."""
    for k in range(network.outputs):
        store(out, k, repeat(0.0))
    for tile in range(network.tiles):
        at = run_forward(q, room, network, tile)
        for k in range(network.outputs):
            total, y_at = load(out, k), (tile * network.outputs + k) * TILE
            for c in range(min(TILE, network.cases - tile * TILE)):
                error = load(room, at + k * TILE + c) - number(network.y, y_at + c)
                total += error * error
            store(out, k, total)


def workspace(sizes: np.ndarray) -> np.ndarray:
    """Allocate room for the units of a tile and two cotangents."""
    return room_for(TILE * int(sizes[1:].sum() + 2 * sizes.max()))


def network_of(model: BNN, layout: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Network:
    """Collect a model's data.

    Parameters
    ----------
    model : BNN
        The model.
    layout : tuple of ndarray
        Units of each layer, start of each layer's weights, start of its biases or -1.

    Returns
    -------
    Network
    """
    check_data(model)
    X, y = (model[name].get_value() for name in ("X", "y"))
    sizes, cases = layout[0], len(X)
    shape = len(sizes) - 1, int(sizes.max()), int(sizes[-1])
    tiles, rows = -(-cases // TILE), int(np.prod(y.shape[1:], dtype=int))
    return Network(
        *(tiled(X), tiled(y), *layout, *shape, cases, tiles, rows),
        np.concatenate([[float(cases)], (X**2).sum(axis=0)]),
        model.activation.largest_slope,
        model.activation.mean_square,
    )


def compile_potential(activation: Activation, likelihood: type[Likelihood]) -> Potential:
    """Compile the potential of a pack for networks of one activation and likelihood.

    Parameters
    ----------
    activation : Activation
        Activation of the hidden units.
    likelihood : type of Likelihood
        Class of the likelihood.

    Returns
    -------
    Potential

    Raises
    ------
    ValueError
        If there is no such kernel for the likelihood.
    """
    kernel = likelihood.own_kernel()
    if kernel is None or kernel.of_chains is None:
        raise ValueError(
            f"a batch of chains has no kernel for {likelihood.__name__}; run chains one by one."
        )
    bound = {
        "run_forward": engine.bind(
            forward,
            only_layer=affine(number),
            first_layer=affine(number, activation.value),
            next_layer=affine(load, activation.value),
            last_layer=affine(load),
        )
    }
    return Potential(
        engine.bind(energy, likelihood_energy=kernel.of_chains.energy, **bound),
        engine.bind(
            add_gradient,
            differentiate_likelihood=kernel.of_chains.differentiate,
            units_backward=units_cotangent(activation.slope),
            **bound,
        ),
        engine.bind(squares, **bound),
        bound["run_forward"],
    )

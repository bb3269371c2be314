"""Moves of eight chains' precisions with the weights into the outputs integrated out.

Those of :mod:`..precisions.collapsed_output`, side by side: the collapsed density takes the place
of the likelihood in interweaving, and then the last layer is drawn.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable

import numpy as np

from ...models.simd.elementary import exp, log
from ...models.simd.kernels import jit
from ...models.simd.registers import WIDTH, load, repeat, store
from ..compiled import engine
from .network.cases_matrix import copy_features, draw_by_cases, factorize_cases
from .network.weights_matrix import draw_by_weights, factorize_weights, summarize
from .statistics import EVALUATIONS
from .updates import choose_moves

summarize_units = factorize = draw_weights = engine.bound_later
density_of = interweave_pack = draw_last_layer = energy_of = engine.bound_later

FORMS: dict[str, dict[str, Callable]] = {
    "weights": {
        "summarize": summarize,
        "factorize": factorize_weights,
        "draw_weights": draw_by_weights,
    },
    "cases": {
        "summarize": copy_features,
        "factorize": factorize_cases,
        "draw_weights": draw_by_cases,
    },
}


@jit
def position(output, k, network):
    """Where a weight of an output lies in the block of all weights; the bias is the last one."""
    layer = network.layers - 1
    if k == network.sizes[layer]:
        return network.bias_at[layer] + output
    return network.weights_at[layer] + k * network.outputs + output


@jit
def set_scale(pack, output, logs, hierarchy, network):
    """Set the prior standard deviations of an output's weights; return its noise precision."""
    last, root = -1, repeat(1.0)
    for k in range(pack.regression.weights):
        at = position(output, k, network)
        if hierarchy.unit[at] != last:
            last = hierarchy.unit[at]
            root = exp(-0.5 * load(logs, last)) if last >= 0 else repeat(1.0)
        store(pack.regression.scale, k, root * (1.0 / np.sqrt(hierarchy.weight[at])))
    return exp(load(logs, hierarchy.noise[output]))


def collapsed_energy(pack, q, logs, hierarchy, network, out):
    """Energies of the targets with the last layer's weights integrated out.

    A template for :func:`.engine.bind`, which binds ``summarize_units`` and ``factorize``; the
    equation is that of :func:`..precisions.collapsed_output.collapsed_energy`, with each chain's
    power of the likelihood from the last vector of ``pack.noise``.

    Parameters
    ----------
    pack : Pack
        The chains.
    q, logs : pointer
        Weights and logarithms of precisions, vectors.
    hierarchy : Hierarchy
        Which precision scales what.
    network : Network
        The data.
    out : pointer
        Where to, one vector.
    """
    summarize_units(q, pack.room, network, pack.regression)
    energy, power = repeat(0.0), load(pack.noise, network.outputs)
    for output in range(network.outputs):
        tau = set_scale(pack, output, logs, hierarchy, network)
        tempered = power * tau
        half, squares = factorize(pack.regression, network, output, tempered)
        energy += 0.5 * tempered * squares + half - 0.5 * network.cases * power * log(tau)
    store(out, 0, energy)


def draw_output_weights(pack, random, sweep, hierarchy, network):
    """Draw the last layers' weights given all else.

    A lane whose matrix is not positive definite, for rounding, keeps its weights: no move of its
    precisions was accepted either. A template for :func:`.engine.bind`, which binds
    ``summarize_units``, ``factorize`` and ``draw_weights``.
    """
    summarize_units(pack.q, pack.room, network, pack.regression)
    regression = pack.regression
    stride = random.sweeps * network.outputs * regression.normals
    for output in range(network.outputs):
        tau = set_scale(pack, output, pack.log_precision, hierarchy, network)
        tau *= load(pack.noise, network.outputs)
        _, squares = factorize(regression, network, output, tau)
        store(pack.final, 0, squares)
        first = (sweep * network.outputs + output) * regression.normals
        draw_weights(regression, network, output, tau, random.outputs, first, stride)
        for k in range(regression.weights):
            at = position(output, k, network) * WIDTH
            for chain in range(WIDTH):
                if np.isfinite(pack.final[chain]):
                    pack.q[at + chain] = regression.drawn[k * WIDTH + chain]


def collapse(pack, random, sweep, hierarchy, network, statistics):
    """Make moves on the collapsed density, then draw the last layers' weights.

    A template for :func:`.engine.bind`. Leaves energies of the likelihood in ``pack.energy``.

    Parameters
    ----------
    pack, random, sweep, hierarchy, network, statistics
        As for :func:`.interweaving.interweave`.
    """
    density_of(pack, pack.q, pack.log_precision, hierarchy, network, pack.energy)
    choose_moves(pack, random, sweep)
    interweave_pack(pack, random, sweep, hierarchy, network, statistics)
    power = load(pack.noise, network.outputs)
    for k in range(pack.noises):
        store(pack.noise, k, power * exp(load(pack.log_precision, hierarchy.noise[k])))
    draw_last_layer(pack, random, sweep, hierarchy, network)
    for chain in range(WIDTH):
        statistics[chain, EVALUATIONS] += 1.0
    energy_of(pack, pack.q, pack.log_precision, hierarchy, network, pack.energy)

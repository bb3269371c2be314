"""Parts of a sweep of eight chains, between the passes through the network.

All take a :class:`.Pack` and :class:`.Randomness` of pointers, see :func:`.registers.pointers`.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numpy as np

from ...models.simd.kernels import jit
from ...models.simd.lane_memory import number
from ...models.simd.registers import WIDTH, load, repeat, store
from ..compiled import engine
from ..dynamics.metropolis import accept, diverges
from .statistics import ACCEPTANCE, ACCEPTED, DIVERGING, ERROR, KINETIC, POTENTIAL

squares_of = rates_of = engine.bound_later


def fill_rates(pack, hierarchy, network):
    """Set the rates of all precisions given weights and residuals (Choo 2000, Eqs. 3.11-3.12).

    The residuals count as often as the power of the likelihood says. A template for
    :func:`.engine.bind`, which binds ``squares_of``.
    """
    for j in range(pack.scales):
        store(pack.rate, j, repeat(number(hierarchy.rate, j)))
    for k in range(pack.weights):
        unit = hierarchy.unit[k]
        if unit >= 0:
            distance = load(pack.q, k) - number(hierarchy.mean, k)
            added = 0.5 * number(hierarchy.weight, k) * distance * distance
            store(pack.rate, unit, load(pack.rate, unit) + added)
    if pack.noises > 0:
        squares_of(pack.q, pack.room, network, pack.residuals)
        half = 0.5 * load(pack.noise, network.outputs)
        for k in range(pack.noises):
            unit = hierarchy.noise[k]
            store(pack.rate, unit, load(pack.rate, unit) + half * load(pack.residuals, k))


def draw_precisions(pack, random, sweep, hierarchy, network):
    """Draw all precisions; their shapes are those of the gamma variables drawn before.

    A template for :func:`.engine.bind`, which binds ``rates_of``.
    """
    rates_of(pack, hierarchy, network)
    for chain in range(WIDTH):
        first = (chain * random.sweeps + sweep) * pack.scales
        for j in range(pack.scales):
            at = j * WIDTH + chain
            pack.log_precision[at] = np.log(random.gammas[first + j] / pack.rate[at])
            pack.precisions[at] = np.exp(pack.log_precision[at])
    power = load(pack.noise, network.outputs)
    for k in range(pack.noises):
        store(pack.noise, k, power * load(pack.precisions, hierarchy.noise[k]))


@jit
def choose_moves(pack, random, sweep):
    """Choose moves of interweaving at random, where there are too many for all."""
    if pack.updates == pack.possible:
        return
    for chain in range(WIDTH):
        first, at = chain * pack.possible, (chain * random.sweeps + sweep) * random.uniforms_each
        for i in range(pack.updates):  # the first of a random order
            other = i + int(random.uniforms[at + 1 + i] * (pack.possible - i))
            move = pack.order[first + other]
            pack.order[first + other] = pack.order[first + i]
            pack.order[first + i] = pack.moves[chain * pack.updates + i] = move


@jit
def scale_weights(pack, hierarchy):
    """Compute the prior precisions of the weights."""
    for at in range(pack.scales * WIDTH):
        pack.precisions[at] = np.exp(pack.log_precision[at])
    for k in range(pack.weights):
        unit = hierarchy.unit[k]
        precision = load(pack.precisions, unit) if unit >= 0 else repeat(1.0)
        store(pack.precision, k, number(hierarchy.weight, k) * precision)


@jit
def fill_energies(pack, mean, likelihood, potential, kinetic):
    """Fill the energies where trajectories are, given those of the likelihood there."""
    priors, momenta = load(likelihood, 0), repeat(0.0)
    for k in range(pack.weights):
        distance, momentum = load(pack.end, k) - number(mean, k), load(pack.p, k)
        priors += 0.5 * load(pack.precision, k) * distance * distance
        momenta += 0.5 * momentum * momentum
    store(potential, 0, priors)
    store(kinetic, 0, momenta)


@jit
def start_trajectory(pack, factor, random, sweep, mean):
    """Draw momenta, scale the step sizes, and note the energies."""
    for chain in range(WIDTH):
        first = (chain * random.sweeps + sweep) * pack.weights
        for k in range(pack.weights):
            pack.p[k * WIDTH + chain] = random.normals[first + k]
    factors = load(factor, 0)
    for k in range(pack.weights):
        store(pack.end, k, load(pack.q, k))
        store(pack.step_sizes, k, factors * load(pack.step_sizes, k))
    fill_energies(pack, mean, pack.energy, pack.potential, pack.kinetic)


@jit
def end_trajectory(pack, mean, random, sweep, statistics):
    """Accept or reject the ends of the trajectories, whose likelihood is in ``pack.final``."""
    fill_energies(pack, mean, pack.final, pack.final, pack.energy)
    for chain in range(WIDTH):
        reached = pack.final[chain] + pack.energy[chain]
        error = reached - pack.potential[chain] - pack.kinetic[chain]
        at = (chain * random.sweeps + sweep) * random.uniforms_each
        probability, accepted = accept(error, random.uniforms[at])
        statistics[chain, ACCEPTANCE] += probability
        statistics[chain, DIVERGING] += diverges(error)
        if accepted:
            pack.potential[chain], pack.kinetic[chain] = pack.final[chain], pack.energy[chain]
            for at in range(chain, pack.weights * WIDTH, WIDTH):
                pack.q[at] = pack.end[at]
        statistics[chain, ACCEPTED] = 1.0 if accepted else 0.0
        statistics[chain, ERROR] = error
        statistics[chain, POTENTIAL] = pack.potential[chain]
        statistics[chain, KINETIC] = pack.kinetic[chain]


@jit
def record(pack, records, draw, statistics):
    """Write down where the chains are."""
    for chain in range(records.q.shape[0]):
        for k in range(records.q.shape[2]):
            records.q[chain, draw, k] = pack.q[k * WIDTH + chain]
        for j in range(records.log_precision.shape[2]):
            records.log_precision[chain, draw, j] = pack.log_precision[j * WIDTH + chain]
        for s in range(records.statistics.shape[2]):
            records.statistics[chain, draw, s] = statistics[chain, s]

"""A block of draws of a whole ladder in one call of compiled code.

The sweeps are those of :mod:`...batch.sweep`, at a temperature of each lane's own. What changes
places are temperatures: each lane keeps its weights, and takes power, step size factor and gamma
variables from its place on the ladder.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from functools import cache

import numpy as np

from ....models.activations import Activation
from ....models.likelihoods import Likelihood
from ....models.simd.elementary import exp
from ....models.simd.kernels import jit
from ....models.simd.registers import WIDTH, load, repeat, store
from ...batch.adaptation import current, learn
from ...batch.network.potential import compile_potential
from ...batch.network.registers import pointers, pointers_of_row
from ...batch.statistics import ACCEPTANCE, DIVERGING, EVALUATIONS, FACTOR
from ...batch.sweep import bind_sweep
from ...compiled import engine

make_sweep = make_iteration = engine.bound_later
likelihood_of_pack = measure_pack = engine.bound_later


@jit
def exchange(ladder, records, draw, row):
    """Let every other pair try to change places (see :mod:`..swaps`), and note who is where."""
    beta, replica, energies = ladder.beta, ladder.replica, ladder.log_likelihood
    for i in range(beta.size - 1):
        if i % 2 != draw % 2:
            records.swap_probability[draw, i] = np.nan
            continue
        gain = (beta[i] - beta[i + 1]) * (energies[i + 1] - energies[i])
        probability = 0.0 if np.isnan(gain) else np.exp(min(gain, 0.0))
        records.swap_probability[draw, i] = probability
        if ladder.uniforms[row, i] < probability:
            replica[i], replica[i + 1] = replica[i + 1], replica[i]
            energies[i], energies[i + 1] = energies[i + 1], energies[i]
    for i in range(beta.size):
        ladder.place[replica[i]] = i
        records.replica[draw, i] = replica[i]
    for lane in range(beta.size, ladder.place.size):
        ladder.place[lane] = ladder.place[beta.size - 1]


@jit
def take_places(pack, ladder, first, network):
    """Give the lanes of a pack the powers of their places."""
    outputs = network.outputs
    for chain in range(WIDTH):
        power = ladder.beta[ladder.place[first + chain]]
        pack.noise[outputs * WIDTH + chain] = power
        for k in range(outputs):
            pack.noise[k * WIDTH + chain] = power * ladder.curvature[k]


@jit
def take_gammas(pack, random, ladder, first, sweep):
    """Give the lanes of a pack the gamma variables of their places."""
    for chain in range(WIDTH):
        place, at = ladder.place[first + chain], (chain * random.sweeps + sweep) * pack.scales
        for j in range(pack.scales):
            random.gammas[at + j] = ladder.gammas[place, sweep, j]


def measure(pack, ladder, first, hierarchy, network):
    """Compute the log likelihoods of a pack's replicas, as at temperature 1.

    A template for :func:`.engine.bind`, which binds ``likelihood_of_pack``.
    """
    plain = pointers(ladder.plain)
    for k in range(network.outputs):
        if pack.noises > 0:
            store(plain, k, exp(load(pack.log_precision, hierarchy.noise[k])))
        else:
            store(plain, k, repeat(ladder.curvature[k]))
    store(plain, network.outputs, repeat(1.0))
    likelihood_of_pack(pack.q, plain, pack.room, network, pack.final)
    for chain in range(min(WIDTH, ladder.beta.size - first)):
        found = ladder.constant - pack.final[chain]
        for k in range(pack.noises):
            found += 0.5 * network.cases * pack.log_precision[hierarchy.noise[k] * WIDTH + chain]
        ladder.log_likelihood[ladder.place[first + chain]] = found


@jit
def note(pack, ladder, records, first, draw, statistics):
    """Write down where the replicas of a pack are, by temperature."""
    for chain in range(min(WIDTH, ladder.beta.size - first)):
        place = ladder.place[first + chain]
        for s in range(records.statistics.shape[2]):
            records.statistics[place, draw, s] = statistics[chain, s]
        row = records.row[place]
        if row >= 0:
            for k in range(pack.weights):
                records.q[row, draw, k] = pack.q[k * WIDTH + chain]
            for j in range(pack.scales):
                records.log_precision[row, draw, j] = pack.log_precision[j * WIDTH + chain]


def iterate(
    pack, random, ladder, factors, first, sweep, thin, learns, n_leapfrog, hierarchy, network, room
):
    """Make the sweeps of one iteration of a pack, and learn from them in warm-up.

    A template for :func:`.engine.bind`, which binds ``make_sweep``.
    """
    statistics, factor, accepted, diverging, evaluations = room
    for chain in range(WIDTH):
        place = ladder.place[first + chain]
        for s in range(statistics.shape[1]):
            statistics[chain, s] = 0.0
        statistics[chain, FACTOR] = current(factors, place, learns)
    for one in range(sweep, sweep + thin):
        take_gammas(pack, random, ladder, first, one)
        for chain in range(WIDTH):
            jitter = random.jitter[chain * random.sweeps + one]
            factor[chain] = statistics[chain, FACTOR] * jitter
        make_sweep(pack, random, one, pointers(factor), n_leapfrog, hierarchy, network, statistics)
    for chain in range(WIDTH):
        acceptance = statistics[chain, ACCEPTANCE] / thin
        accepted[chain] += acceptance
        diverging[chain] += statistics[chain, DIVERGING]
        evaluations[chain] += statistics[chain, EVALUATIONS]
        if learns and first + chain < ladder.beta.size:
            learn(factors, ladder.place[first + chain], acceptance)


def ladder_block(
    packs, factors, random, ladder, records, draws, sweeps, tune, n_leapfrog, hierarchy, network
):
    """Make and record some draws of all replicas.

    A template for :func:`.engine.specialize`.

    Parameters
    ----------
    packs : Pack
        The replicas; arrays have an axis more, of the packs.
    factors : Factors
        Step size adjustment factors of the temperatures.
    random : Randomness
        Random numbers for all sweeps, with that axis too.
    ladder : Ladder
        Who is where.
    records : LadderRecords
        Where to write.
    draws : tuple of int
        Number of the first draw, and of the one after the last.
    sweeps : tuple of int
        Iterations of a draw, and sweeps of each, after which warm-up learns.
    tune : int
        Draws of warm-up.
    n_leapfrog : int
        Leapfrog steps of a trajectory.
    hierarchy : Hierarchy
        Which precision scales what.
    network : Network
        The data.
    """
    statistics, factor = np.empty((WIDTH, records.statistics.shape[2])), np.empty(WIDTH)
    sums = np.empty(WIDTH), np.empty(WIDTH), np.empty(WIDTH)  # over a draw's iterations
    accepted, diverging, evaluations = sums
    room = statistics, factor, accepted, diverging, evaluations
    given = n_leapfrog, pointers(hierarchy), pointers(network)
    iterations, thin = sweeps
    if draws[0] == 0:
        for p in range(packs.q.shape[0]):
            measure_pack(pointers_of_row(packs, p), ladder, p * WIDTH, given[1], given[2])
    for draw in range(draws[0], draws[1]):
        exchange(ladder, records, draw, draw - draws[0])
        for p in range(packs.q.shape[0]):
            pack, numbers, first = pointers_of_row(packs, p), pointers_of_row(random, p), p * WIDTH
            take_places(pack, ladder, first, given[2])
            for chain in range(WIDTH):  # assignments to slices take numba seconds to compile
                accepted[chain] = diverging[chain] = evaluations[chain] = 0.0
            for i in range((draw - draws[0]) * iterations, (draw - draws[0] + 1) * iterations):
                where = first, i * thin, thin, draw < tune
                make_iteration(pack, numbers, ladder, factors, *where, *given, room)
            for chain in range(WIDTH):
                statistics[chain, ACCEPTANCE] = accepted[chain] / iterations
                statistics[chain, DIVERGING] = diverging[chain]
                statistics[chain, EVALUATIONS] = evaluations[chain]
            measure_pack(pack, ladder, first, given[1], given[2])
            note(pack, ladder, records, first, draw, statistics)
        for i in range(ladder.beta.size):
            records.log_likelihood[draw, i] = ladder.log_likelihood[i]


@cache
def compile_ladder_block(
    activation: Activation, likelihood: type[Likelihood], form: str | None = None
) -> Callable[..., None]:
    """Compile :func:`ladder_block` for the networks of one activation and likelihood.

    Parameters
    ----------
    activation, likelihood, form
        As for :func:`...batch.sweep.compile_sweep_block`.

    Returns
    -------
    callable
    """
    potential = compile_potential(activation, likelihood)
    return engine.specialize(
        ladder_block,
        make_iteration=engine.bind(iterate, make_sweep=bind_sweep(potential, form)),
        measure_pack=engine.bind(measure, likelihood_of_pack=potential.energy),
    )

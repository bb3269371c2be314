"""Sweeps of eight chains at once: a block of recorded draws in one call of compiled code.

The updates are those of :mod:`..sweeps.gibbs`, in the same order: Gibbs draws of the precisions,
interweaving or collapsed moves, step sizes from the curvature, a trajectory. The chains share the
instructions and nothing else. Their random numbers are drawn before, by each chain's own generator.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from functools import cache

import numpy as np

from ...models.activations import Activation
from ...models.likelihoods import Likelihood
from ..compiled import engine
from .adaptation import current, learn
from .collapse import FORMS, collapse, collapsed_energy, draw_output_weights
from .interweaving import interweave
from .leapfrog import bind_leapfrog
from .network.potential import Potential, compile_potential
from .network.registers import WIDTH, pointers
from .statistics import ACCEPTANCE, FACTOR
from .step_sizes import neal_step_sizes
from .updates import (
    choose_moves,
    draw_precisions,
    end_trajectory,
    fill_rates,
    record,
    scale_weights,
    start_trajectory,
)

renew_precisions = move_precisions = slope = follow = energy_of = make_sweep = engine.bound_later
interweave_pack = likelihood_of_pack = engine.bound_later


def sweep_block(pack, factors, random, records, draws, thin, tune, n_leapfrog, hierarchy, network):
    """Make and record some draws.

    A template for :func:`.engine.specialize`.

    Parameters
    ----------
    pack : Pack
        The chains.
    factors : Factors
        Their step size adjustment factors.
    random : Randomness
        Random numbers for all sweeps.
    records : Records
        Where to write.
    draws : tuple of int
        Number of the first draw, and of the one after the last.
    thin : int
        Sweeps of each draw.
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
    pack, random = pointers(pack), pointers(random)
    hierarchy, network = pointers(hierarchy), pointers(network)
    for draw in range(draws[0], draws[1]):
        warm_up = draw < tune
        statistics[:] = 0.0
        for chain in range(WIDTH):  # an assignment to a slice takes numba seconds to compile
            statistics[chain, FACTOR] = current(factors, chain, warm_up)
        for sweep in range((draw - draws[0]) * thin, (draw - draws[0] + 1) * thin):
            for chain in range(WIDTH):
                jitter = random.jitter[chain * random.sweeps + sweep]
                factor[chain] = statistics[chain, FACTOR] * jitter
            make_sweep(
                pack, random, sweep, pointers(factor), n_leapfrog, hierarchy, network, statistics
            )
        for chain in range(WIDTH):
            statistics[chain, ACCEPTANCE] /= thin
            if warm_up:
                learn(factors, chain, statistics[chain, ACCEPTANCE])
        record(pack, records, draw, statistics)


def energy_of_weights(pack, q, logs, hierarchy, network, out):
    """Energies of the likelihood; a template for :func:`.engine.bind`."""
    likelihood_of_pack(q, pack.noise, pack.room, network, out)


def interweave_if_any(pack, random, sweep, hierarchy, network, statistics):
    """Interweave, if the chains do; a template for :func:`.engine.bind`.

    Leaves energies of the likelihood in ``pack.energy``.
    """
    energy_of(pack, pack.q, pack.log_precision, hierarchy, network, pack.energy)
    if pack.updates > 0:
        choose_moves(pack, random, sweep)
        interweave_pack(pack, random, sweep, hierarchy, network, statistics)


def one_sweep(pack, random, sweep, factor, n_leapfrog, hierarchy, network, statistics):
    """Make one sweep, and update the statistics of the draw.

    A template for :func:`.engine.bind`; arrays are pointers, but for the statistics.
    """
    renew_precisions(pack, random, sweep, hierarchy, network)
    move_precisions(pack, random, sweep, hierarchy, network, statistics)
    scale_weights(pack, hierarchy)
    neal_step_sizes(
        pack.precision, pack.weights, pack.noise, network, pack.step_room, pack.step_sizes
    )
    start_trajectory(pack, factor, random, sweep, hierarchy.mean)
    size, q, gradient = pack.weights, pack.end, pack.gradient
    potential = hierarchy.mean, pack.precision, (pack.noise, pack.room, network)
    slope(q, gradient, size, *potential)
    follow(q, pack.p, gradient, n_leapfrog, size, pack.step_sizes, *potential)
    energy_of(pack, pack.end, pack.log_precision, hierarchy, network, pack.final)
    end_trajectory(pack, hierarchy.mean, random, sweep, statistics)


@cache
def compile_sweep_block(
    activation: Activation, likelihood: type[Likelihood], form: str | None = None
) -> Callable[..., None]:
    """Compile :func:`sweep_block` for the networks of one activation and likelihood.

    Parameters
    ----------
    activation : Activation
        Activation of the hidden units.
    likelihood : type of Likelihood
        Class of the likelihood.
    form : {None, "weights", "cases"}
        How the last layer is integrated out where precisions move, if it is.

    Returns
    -------
    callable
    """
    potential = compile_potential(activation, likelihood)
    return engine.specialize(sweep_block, make_sweep=bind_sweep(potential, form))


def bind_sweep(potential: Potential, form: str | None) -> Callable:
    """Compile :func:`one_sweep` of a pack, for use in other compiled code.

    Parameters
    ----------
    potential : Potential
        Of the pack.
    form : {None, "weights", "cases"}
        How the last layer is integrated out where precisions move, if it is.

    Returns
    -------
    callable
        ``(pack, random, sweep, factor, n_leapfrog, hierarchy, network, statistics)``.
    """
    rates = engine.bind(fill_rates, squares_of=potential.squares)
    energy = engine.bind(energy_of_weights, likelihood_of_pack=potential.energy)
    return engine.bind(
        one_sweep,
        renew_precisions=engine.bind(draw_precisions, rates_of=rates),
        move_precisions=bind_moves(potential, form),
        energy_of=energy,
        **bind_leapfrog(potential.add_gradient),
    )


def bind_moves(potential: Potential, form: str | None) -> Callable:
    """Compile interweaving of a pack, for use in other compiled code; see :func:`bind_sweep`.

    Returns
    -------
    callable
        ``(pack, random, sweep, hierarchy, network, statistics)``.
    """
    energy = engine.bind(energy_of_weights, likelihood_of_pack=potential.energy)
    if form is None:
        move = engine.bind(interweave, energy_of=energy)
        return engine.bind(interweave_if_any, interweave_pack=move, energy_of=energy)
    found = FORMS[form]
    bound = {
        "summarize_units": engine.bind(found["summarize"], run_forward=potential.forward),
        "factorize": found["factorize"],
    }
    density = engine.bind(collapsed_energy, **bound)
    draw = engine.bind(draw_output_weights, draw_weights=found["draw_weights"], **bound)
    return engine.bind(
        collapse,
        density_of=density,
        interweave_pack=engine.bind(interweave, energy_of=density),
        draw_last_layer=draw,
        energy_of=energy,
    )

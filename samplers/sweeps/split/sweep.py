"""Many trajectories in one call of compiled code, each with its accept test."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....models.simd.kernels import copy_into
from ...compiled import engine
from ...dynamics.metropolis import decide as metropolis
from ...dynamics.metropolis import diverges
from ...potential.rest import words_of
from ...precisions.interweaving import CALLED_MOVES, interweave, interweave_some
from .state import new_state, set_noise, tension
from .trajectory import PRECISIONS_FIRST, SYMMETRIC, WEIGHTS_FIRST, dynamics, kinetic_energy

place = energy = moor = decide = engine.bound_later
update_likelihood = trajectory = interweave_precisions = engine.bound_later


class Moved(NamedTuple):
    """What became of some trajectories.

    Attributes
    ----------
    acceptance : float
        Mean acceptance probability.
    accepted : bool
        Whether the last trajectory was accepted.
    diverging, steps, evaluations : int
        Diverging trajectories, leapfrog steps, and passes through the network for interweaving.
    error, potential, kinetic : float
        Energy error of the last trajectory; the energies at the end that was kept.
    offset : float
        Energy at the start minus that of the block of weights given the precisions.
    """

    acceptance: float
    accepted: bool
    diverging: int
    steps: int
    evaluations: int
    error: float
    potential: float
    kinetic: float
    offset: float


def split_sweep(
    rng, log_precision, position, n_leapfrog, sweeps, symmetric, setting, interweaved, data
):
    """Make as many trajectories as wanted; update log precisions and positions in place.

    A template for :func:`.engine.specialize`.

    Parameters
    ----------
    rng : Generator
        Where all random numbers come from.
    log_precision, position : ndarray
        Where to start.
    n_leapfrog : int
        Leapfrog steps of a trajectory.
    sweeps : int
        Number of trajectories.
    symmetric : bool
        Whether trajectories begin and end with half an update of the precisions; otherwise chance
        says which block moves first.
    setting : Setting
        What stays fixed.
    interweaved : ndarray of int
        Moves of interweaving after each trajectory; may be empty.
    data : NetworkData
        What the fused likelihood needs; its noise precisions are renewed in place.
    """
    hierarchy = setting.hierarchy
    workspace = words_of(data)
    state = new_state(position, log_precision, data.curvature.size)
    moves = interweaved.copy()
    acceptance = error = potential = kinetic = offset = 0.0
    diverging = taken = evaluations = 0
    accepted = False
    for sweep in range(sweeps):
        copy_into(state.position, position)
        copy_into(state.log_precision, log_precision)
        copy_into(state.momentum, rng.standard_normal(position.size))
        copy_into(state.hyper_momentum, rng.standard_normal(log_precision.size))
        order = PRECISIONS_FIRST if rng.random() < 0.5 else WEIGHTS_FIRST
        place(state, hierarchy)
        if setting.tether > 0.0:
            for j in range(log_precision.size):
                distance = rng.standard_normal() / np.sqrt(setting.tether)
                setting.anchor[j] = log_precision[j] + distance
            moor(state, setting, data)
        update_likelihood(state, hierarchy, workspace, data)
        initial = energy(state, setting, data)
        start_tension = tension(state, setting)
        if sweep == 0:
            offset = initial - state.likelihood[0]
            for k in range(position.size):
                distance = (state.weights[k] - hierarchy.mean[k]) / state.scale[k]
                offset += np.log(state.scale[k]) - 0.5 * state.precision[k] * distance**2
        start_kinetic = kinetic_energy(state)
        chosen = SYMMETRIC if symmetric else order
        taken += trajectory(state, n_leapfrog, chosen, setting, workspace, data)
        final = energy(state, setting, data)
        kinetic = kinetic_energy(state)
        error = final + kinetic - initial - start_kinetic
        error += tension(state, setting) - start_tension
        diverging += diverges(error)
        probability, accepted = decide(rng, error, ())
        acceptance += probability
        potential = final if accepted else initial
        if accepted:
            copy_into(position, state.position)
            copy_into(log_precision, state.log_precision)
        else:
            kinetic = start_kinetic
        if interweaved.size > 0:
            set_noise(log_precision, hierarchy, data)
            evaluations += interweave_precisions(
                rng, log_precision, position, hierarchy, moves, data
            )
            if sweep == sweeps - 1:
                copy_into(state.position, position)
                copy_into(state.log_precision, log_precision)
                place(state, hierarchy)
                update_likelihood(state, hierarchy, workspace, data)
                potential = energy(state, setting, data)
    return Moved(
        acceptance / sweeps,
        accepted,
        diverging,
        taken,
        evaluations,
        error,
        potential,
        kinetic,
        offset,
    )


def compile_split_sweep(is_centered: bool) -> Callable[..., Moved]:
    """Compile :func:`split_sweep`; see :func:`.trajectory.dynamics` for the argument."""
    move = engine.bind(interweave, **CALLED_MOVES)
    return engine.specialize(
        split_sweep,
        decide=engine.bind(metropolis),
        interweave_precisions=engine.bind(interweave_some, move_precisions=move),
        **dynamics(is_centered),
    )

"""Interweaving of eight chains at once.

The move of :mod:`.interweaving`: one precision after another is updated by slice sampling, its
weights with it. The number of passes through the network differs by chain, so every chain works
through its own precisions at its own pace, while each pass serves all of them; a chain that is
done waits for the slowest.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from .. import engine
from ..interweaving import MOST_EXPANSIONS, MOST_SHRINKS, UNIFORMS
from ..interweaving import WIDTH as BRACKET
from .registers import WIDTH, load, room_for, store
from .statistics import EVALUATIONS

energy_of = engine.bound_later

EXPAND_LEFT, EXPAND_RIGHT, SHRINK = range(3)

# inlined by LLVM: a pack is too much to hand over
inline = njit(error_model="numpy", fastmath={"contract"}, forceinline=True)


class Slices(NamedTuple):
    """Where each chain is in its slice sampling; all but the last are of shape (8,).

    Attributes
    ----------
    turn, stage, allowed_left, allowed_right, shrinks : ndarray of int
        Which of its updates a chain is at, the stage of the update, how many more expansions it
        may make, and how often it has shrunk the bracket.
    height, left, right, at, energy : ndarray
        Height of the slice, the bracket, the log precision to look at, and its energy.
    proposal : ndarray of vectors
        The weights that go with it.
    """

    turn: np.ndarray
    stage: np.ndarray
    allowed_left: np.ndarray
    allowed_right: np.ndarray
    shrinks: np.ndarray
    height: np.ndarray
    left: np.ndarray
    right: np.ndarray
    at: np.ndarray
    energy: np.ndarray
    proposal: np.ndarray


def slices(size: int) -> Slices:
    """Allocate the state of a pack with so many weights."""
    turn, stage, allowed_left, allowed_right, shrinks = np.zeros((5, WIDTH), dtype=np.int64)
    height, left, right, at = np.zeros((4, WIDTH))
    return Slices(
        *(turn, stage, allowed_left, allowed_right, shrinks),
        *(height, left, right, at, room_for(1), room_for(size)),
    )


@inline
def start_update(pack, chain, uniforms, at, hierarchy):
    """Draw the height of the slice and place the first bracket of a chain's next update."""
    state, turn = pack.slices, pack.slices.turn[chain]
    if turn == pack.updates:
        return
    unit, at = pack.units[chain * pack.updates + turn], at + turn * UNIFORMS
    current = pack.log_precision[unit * WIDTH + chain]
    prior = hierarchy.shape[unit] * current - hierarchy.rate[unit] * np.exp(current)
    state.height[chain] = prior - pack.energy[chain] + np.log(uniforms[at])
    state.left[chain] = current - BRACKET * uniforms[at + 1]
    state.right[chain] = state.left[chain] + BRACKET
    state.allowed_left[chain] = int(MOST_EXPANSIONS * uniforms[at + 2])
    state.allowed_right[chain] = MOST_EXPANSIONS - 1 - state.allowed_left[chain]
    state.shrinks[chain] = 0
    state.stage[chain] = EXPAND_LEFT


@inline
def propose(state, chain, uniforms, at):
    """Choose the log precision at which to look next."""
    if state.stage[chain] == EXPAND_LEFT and state.allowed_left[chain] == 0:
        state.stage[chain] = EXPAND_RIGHT
    if state.stage[chain] == EXPAND_RIGHT and state.allowed_right[chain] == 0:
        state.stage[chain] = SHRINK
    left, right = state.left[chain], state.right[chain]
    if state.stage[chain] == EXPAND_LEFT:
        state.at[chain] = left
    elif state.stage[chain] == EXPAND_RIGHT:
        state.at[chain] = right
    else:
        state.at[chain] = left + uniforms[at + 3 + state.shrinks[chain]] * (right - left)
        state.shrinks[chain] += 1


@inline
def judge(state, chain, inside, current):
    """Expand or shrink the bracket; return whether the update is over."""
    if state.stage[chain] == EXPAND_LEFT:
        if inside:
            state.left[chain] -= BRACKET
            state.allowed_left[chain] -= 1
        else:
            state.stage[chain] = EXPAND_RIGHT
        return False
    if state.stage[chain] == EXPAND_RIGHT:
        if inside:
            state.right[chain] += BRACKET
            state.allowed_right[chain] -= 1
        else:
            state.stage[chain] = SHRINK
        return False
    if state.at[chain] < current:
        state.left[chain] = state.at[chain]
    else:
        state.right[chain] = state.at[chain]
    return inside or state.shrinks[chain] == MOST_SHRINKS


@inline
def look(pack, chain, uniforms, at, hierarchy):
    """Propose a log precision for a chain, with the weights that go with it."""
    state, turn = pack.slices, pack.slices.turn[chain]
    unit = pack.units[chain * pack.updates + turn]
    propose(state, chain, uniforms, at + turn * UNIFORMS)
    factor = np.exp(0.5 * (pack.log_precision[unit * WIDTH + chain] - state.at[chain]))
    for i in range(hierarchy.start[unit], hierarchy.start[unit + 1]):
        member = hierarchy.member[i]
        mean, at = hierarchy.mean[member], member * WIDTH + chain
        state.proposal[at] = mean + (pack.q[at] - mean) * factor


@inline
def settle(pack, chain, hierarchy):
    """Use the energy at a chain's proposal; return whether its update is over."""
    state = pack.slices
    unit = pack.units[chain * pack.updates + state.turn[chain]]
    at, here = unit * WIDTH + chain, state.at[chain]
    prior = hierarchy.shape[unit] * here - hierarchy.rate[unit] * np.exp(here)
    inside = state.height[chain] < prior - state.energy[chain]
    if not judge(state, chain, inside, pack.log_precision[at]):
        return False
    if inside:
        pack.log_precision[at], pack.energy[chain] = here, state.energy[chain]
    for i in range(hierarchy.start[unit], hierarchy.start[unit + 1]):
        member = hierarchy.member[i] * WIDTH + chain
        if inside:
            pack.q[member] = state.proposal[member]
        else:
            state.proposal[member] = pack.q[member]
    state.turn[chain] += 1
    return True


def interweave(pack, random, sweep, hierarchy, network, statistics):
    """Update the log precisions of ``pack.units`` in turn, and their weights with them.

    A template for :func:`.engine.bind`, which binds ``energy_of``.

    Parameters
    ----------
    pack : Pack
        The chains, with the energies of the likelihood in ``pack.energy``, which are kept up to
        date.
    random : Randomness
        Random numbers.
    sweep : int
        Which of them to use.
    hierarchy : Hierarchy
        Which precision scales what.
    network : Network
        The data.
    statistics : ndarray, shape (8, statistics)
        Where to count the passes through the network.
    """
    state, uniforms = pack.slices, random.uniforms
    skipped = random.uniforms_each - pack.updates * UNIFORMS
    for k in range(pack.weights):
        store(state.proposal, k, load(pack.q, k))
    for chain in range(WIDTH):
        state.turn[chain] = 0
        statistics[chain, EVALUATIONS] += 1.0  # the energy at the start
        at = (chain * random.sweeps + sweep) * random.uniforms_each + skipped
        start_update(pack, chain, uniforms, at, hierarchy)
    left = WIDTH * pack.updates
    while left > 0:
        for chain in range(WIDTH):
            if state.turn[chain] < pack.updates:
                at = (chain * random.sweeps + sweep) * random.uniforms_each + skipped
                look(pack, chain, uniforms, at, hierarchy)
        energy_of(state.proposal, pack.noise, pack.room, network, state.energy)
        for chain in range(WIDTH):
            if state.turn[chain] < pack.updates:
                statistics[chain, EVALUATIONS] += 1.0
                if settle(pack, chain, hierarchy):
                    left -= 1
                    at = (chain * random.sweeps + sweep) * random.uniforms_each + skipped
                    start_update(pack, chain, uniforms, at, hierarchy)

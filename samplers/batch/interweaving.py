"""Interweaving of eight chains at once.

The moves of :mod:`..precisions.interweaving`: precisions are shifted by slice sampling, in turn,
their weights with them. The number of passes through the network differs by chain, so every chain
works through its own precisions at its own pace, while each pass serves all of them; a chain that
is done waits for the slowest.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from typing import NamedTuple

import numpy as np

from ...models.simd.linked import linked
from ...models.simd.registers import WIDTH, load, store
from ..compiled import engine
from ..precisions.interweaving import MOST_EXPANSIONS, MOST_SHRINKS, UNIFORMS
from ..precisions.interweaving import WIDTH as BRACKET
from .network.registers import room_for
from .statistics import EVALUATIONS

energy_of = engine.bound_later

EXPAND_LEFT, EXPAND_RIGHT, SHRINK = range(3)

# inlined by LLVM: a pack is too much to hand over
inline = linked(forceinline=True)


class Slices(NamedTuple):
    """Where each chain is in its slice sampling; all but the last are of shape (8,).

    Attributes
    ----------
    turn, stage, allowed_left, allowed_right, shrinks : ndarray of int
        Which of its updates a chain is at, the stage of the update, how many more expansions it
        may make, and how often it has shrunk the bracket.
    shape, rate, height, left, right, shift, energy : ndarray
        Sums of shapes and of rates times precisions, height of the slice, the bracket, the shift to
        look at, and its energy.
    proposal, logs : ndarray of vectors
        The weights and the logarithms of precisions that go with it.
    """

    turn: np.ndarray
    stage: np.ndarray
    allowed_left: np.ndarray
    allowed_right: np.ndarray
    shrinks: np.ndarray
    shape: np.ndarray
    rate: np.ndarray
    height: np.ndarray
    left: np.ndarray
    right: np.ndarray
    shift: np.ndarray
    energy: np.ndarray
    proposal: np.ndarray
    logs: np.ndarray


def slices(size: int, scales: int) -> Slices:
    """Allocate the state of a pack with so many weights and precisions."""
    turn, stage, allowed_left, allowed_right, shrinks = np.zeros((5, WIDTH), dtype=np.int64)
    shape, rate, height, left, right, shift = np.zeros((6, WIDTH))
    return Slices(
        *(turn, stage, allowed_left, allowed_right, shrinks, shape, rate),
        *(height, left, right, shift, room_for(1), room_for(size), room_for(scales)),
    )


@inline
def start_update(pack, chain, uniforms, at, hierarchy):
    """Draw the height of the slice and place the first bracket of a chain's next update."""
    state, turn = pack.slices, pack.slices.turn[chain]
    if turn == pack.updates:
        return
    move, at = pack.moves[chain * pack.updates + turn], at + turn * UNIFORMS
    moves = hierarchy.moves
    state.shape[chain] = state.rate[chain] = 0.0
    for i in range(moves.first[move], moves.first[move + 1]):
        j = moves.precision[i]
        state.shape[chain] += hierarchy.shape[j]
        state.rate[chain] += hierarchy.rate[j] * np.exp(pack.log_precision[j * WIDTH + chain])
    state.height[chain] = np.log(uniforms[at]) - state.rate[chain] - pack.energy[chain]
    state.left[chain] = -BRACKET * uniforms[at + 1]
    state.right[chain] = state.left[chain] + BRACKET
    state.allowed_left[chain] = int(MOST_EXPANSIONS * uniforms[at + 2])
    state.allowed_right[chain] = MOST_EXPANSIONS - 1 - state.allowed_left[chain]
    state.shrinks[chain] = 0
    state.stage[chain] = EXPAND_LEFT


@inline
def propose(state, chain, uniforms, at):
    """Choose the shift at which to look next."""
    if state.stage[chain] == EXPAND_LEFT and state.allowed_left[chain] == 0:
        state.stage[chain] = EXPAND_RIGHT
    if state.stage[chain] == EXPAND_RIGHT and state.allowed_right[chain] == 0:
        state.stage[chain] = SHRINK
    left, right = state.left[chain], state.right[chain]
    if state.stage[chain] == EXPAND_LEFT:
        state.shift[chain] = left
    elif state.stage[chain] == EXPAND_RIGHT:
        state.shift[chain] = right
    else:
        state.shift[chain] = left + uniforms[at + 3 + state.shrinks[chain]] * (right - left)
        state.shrinks[chain] += 1


@inline
def judge(state, chain, inside):
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
    if state.shift[chain] < 0.0:
        state.left[chain] = state.shift[chain]
    else:
        state.right[chain] = state.shift[chain]
    return inside or state.shrinks[chain] == MOST_SHRINKS


@inline
def look(pack, chain, uniforms, at, hierarchy):
    """Propose a shift for a chain, with the weights and precisions that go with it."""
    state, turn, moves = pack.slices, pack.slices.turn[chain], hierarchy.moves
    move = pack.moves[chain * pack.updates + turn]
    propose(state, chain, uniforms, at + turn * UNIFORMS)
    for i in range(moves.first[move], moves.first[move + 1]):
        j = moves.precision[i] * WIDTH + chain
        state.logs[j] = pack.log_precision[j] + state.shift[chain]
    factor = np.exp(-0.5 * state.shift[chain])
    for i in range(moves.start[move], moves.start[move + 1]):
        member = moves.member[i]
        mean, at = hierarchy.mean[member], member * WIDTH + chain
        state.proposal[at] = mean + (pack.q[at] - mean) * factor


@inline
def settle(pack, chain, hierarchy):
    """Use the energy at a chain's proposal; return whether its update is over."""
    state, moves, shift = pack.slices, hierarchy.moves, pack.slices.shift[chain]
    move = pack.moves[chain * pack.updates + state.turn[chain]]
    prior = state.shape[chain] * shift - state.rate[chain] * np.exp(shift)
    inside = state.height[chain] < prior - state.energy[chain]
    if not judge(state, chain, inside):
        return False
    if inside:
        pack.energy[chain] = state.energy[chain]
    for i in range(moves.first[move], moves.first[move + 1]):
        j = moves.precision[i] * WIDTH + chain
        if inside:
            pack.log_precision[j] += shift
        else:
            state.logs[j] = pack.log_precision[j]
    for i in range(moves.start[move], moves.start[move + 1]):
        member = moves.member[i] * WIDTH + chain
        if inside:
            pack.q[member] = state.proposal[member]
        else:
            state.proposal[member] = pack.q[member]
    state.turn[chain] += 1
    return True


def interweave(pack, random, sweep, hierarchy, network, statistics):
    """Make the moves of ``pack.moves`` in turn: shift log precisions, and their weights with them.

    A template for :func:`.engine.bind`, which binds
    ``energy_of(pack, q, log_precision, hierarchy, network, out)``.

    Parameters
    ----------
    pack : Pack
        The chains, with their energies in ``pack.energy``, which are kept up to date.
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
    for j in range(pack.scales):
        store(state.logs, j, load(pack.log_precision, j))
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
        energy_of(pack, state.proposal, state.logs, hierarchy, network, state.energy)
        for chain in range(WIDTH):
            if state.turn[chain] < pack.updates:
                statistics[chain, EVALUATIONS] += 1.0
                if settle(pack, chain, hierarchy):
                    left -= 1
                    at = (chain * random.sweeps + sweep) * random.uniforms_each + skipped
                    start_update(pack, chain, uniforms, at, hierarchy)

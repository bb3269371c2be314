"""What a pack of eight chains holds while it is sampled."""

from typing import NamedTuple

import numpy as np

from ..precisions.hierarchy import Hierarchy
from ..precisions.interweaving import MOST_MOVES, UNIFORMS
from .interweaving import Slices, slices
from .network.potential import Network, workspace
from .network.registers import WIDTH, room_for
from .network.regression import Regression, regression_of
from .step_sizes import workspace as step_workspace


class Pack(NamedTuple):
    """State of eight chains, and memory to work in; arrays of vectors.

    Attributes
    ----------
    q, log_precision : ndarray
        Weights, and logarithms of the precisions.
    end, p, gradient, precision, step_sizes : ndarray
        Of the shape of ``q``: end and momenta of a trajectory, gradient, prior precisions, steps.
    precisions, rate : ndarray
        Precisions, and rates of their conditional distributions.
    noise : ndarray
        Noise precision of each output, or curvature at the outputs of a classifier, times the
        inverse temperature; then the inverse temperature, the power of the likelihood.
    residuals : ndarray
        Sum of squared residuals of each output.
    energy : ndarray
        Energies of the likelihood, one vector.
    potential, kinetic, final : ndarray
        Energies at the ends of a trajectory, one vector each.
    room, step_room : ndarray
        Workspaces of potential and step sizes.
    slices : Slices
        State of interweaving.
    regression : Regression
        Room for the last layer integrated out.
    order, moves : ndarray of int, shapes (8, possible) and (8, updates)
        The moves that interweaving may make, and those it makes in this sweep.
    weights, scales, noises, possible, updates : int
        Number of weights, of precisions, of those of noise, and the shapes of the two above.
    """

    q: np.ndarray
    log_precision: np.ndarray
    end: np.ndarray
    p: np.ndarray
    gradient: np.ndarray
    precision: np.ndarray
    step_sizes: np.ndarray
    precisions: np.ndarray
    rate: np.ndarray
    noise: np.ndarray
    residuals: np.ndarray
    energy: np.ndarray
    potential: np.ndarray
    kinetic: np.ndarray
    final: np.ndarray
    room: np.ndarray
    step_room: np.ndarray
    slices: Slices
    regression: Regression
    order: np.ndarray
    moves: np.ndarray
    weights: int
    scales: int
    noises: int
    possible: int
    updates: int


class Randomness(NamedTuple):
    """Random numbers of a block of sweeps; the first axis has the eight chains.

    Attributes
    ----------
    normals : ndarray, shape (8, sweeps, weights)
        Momenta.
    gammas : ndarray, shape (8, sweeps, precisions)
        Of the shapes of the precisions' conditional distributions, with rate 1.
    uniforms : ndarray, shape (8, sweeps, 1 + order + updates * UNIFORMS)
        From (0, 1): for acceptance, the order of interweaving, and its updates.
    jitter : ndarray, shape (8, sweeps)
        Factors of the step size.
    outputs : ndarray, shape (8, sweeps, weights of the last layer)
        Normal, for the last layer where it is integrated out.
    sweeps, uniforms_each : int
        Length of the second axis, and of the last one of the uniforms.
    """

    normals: np.ndarray
    gammas: np.ndarray
    uniforms: np.ndarray
    jitter: np.ndarray
    outputs: np.ndarray
    sweeps: int
    uniforms_each: int


class Records(NamedTuple):
    """Where draws are written; the first axis has the chains that are recorded.

    Attributes
    ----------
    q, log_precision : ndarray, shapes (chains, draws, weights) and (chains, draws, precisions)
        Weights, and logarithms of the precisions.
    statistics : ndarray, shape (chains, draws, len(STATISTICS))
        Statistics of the step.
    """

    q: np.ndarray
    log_precision: np.ndarray
    statistics: np.ndarray


def allocate_pack(
    q: np.ndarray,
    log_precision: np.ndarray,
    output_curvature: np.ndarray,
    hierarchy: Hierarchy,
    network: Network,
    form: str | None = None,
) -> Pack:
    """Allocate a pack and start its chains.

    Parameters
    ----------
    q, log_precision : ndarray, shapes (8, weights) and (8, precisions)
        Where the chains start.
    output_curvature : ndarray, shape (outputs,)
        Curvature at the outputs; noise precisions take its place.
    hierarchy : Hierarchy
        Which precision scales what.
    network : Network
        The data.
    form : {None, "weights", "cases"}
        How the last layer is integrated out for the moves of ``hierarchy``, if it is.

    Returns
    -------
    Pack
    """
    weights, scales, outputs = q.shape[1], log_precision.shape[1], output_curvature.size
    sizes = network.sizes
    order = np.tile(hierarchy.interweaved, (WIDTH, 1)).astype(np.int64)
    possible, updates = order.shape[1], min(MOST_MOVES, order.shape[1])
    pack = Pack(
        q=room_for(weights),
        log_precision=room_for(scales),
        end=room_for(weights),
        p=room_for(weights),
        gradient=room_for(weights),
        precision=room_for(weights),
        step_sizes=room_for(weights),
        precisions=room_for(scales),
        rate=room_for(scales),
        noise=room_for(outputs + 1),
        residuals=room_for(outputs),
        energy=room_for(1),
        potential=room_for(1),
        kinetic=room_for(1),
        final=room_for(1),
        room=workspace(sizes),
        step_room=step_workspace(sizes),
        slices=slices(weights, scales),
        regression=regression_of(network, form),
        order=order,
        moves=order[:, :updates].copy(),
        weights=weights,
        scales=scales,
        noises=hierarchy.noise.size,
        possible=possible,
        updates=updates,
    )
    pack.q[:], pack.log_precision[:] = q.T.ravel(), log_precision.T.ravel()
    pack.noise[:] = np.repeat([*output_curvature, 1.0], WIDTH)
    return pack


def allocate_randomness(pack: Pack, sweeps: int) -> Randomness:
    """Allocate random numbers for so many sweeps of a pack."""
    order = pack.updates if pack.updates < pack.possible else 0
    each = 1 + order + pack.updates * UNIFORMS
    return Randomness(
        np.zeros((WIDTH, sweeps, pack.weights)),
        np.zeros((WIDTH, sweeps, pack.scales)),
        np.zeros((WIDTH, sweeps, each)),
        np.ones((WIDTH, sweeps)),
        np.zeros((WIDTH, sweeps, pack.regression.squares.size * pack.regression.normals)),
        sweeps,
        each,
    )

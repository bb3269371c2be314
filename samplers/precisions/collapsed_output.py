r"""Move precisions with the weights into the outputs integrated out.

Under normal noise the outputs are linear in the weights of the last layer, so those can be
integrated out of the posterior (see :mod:`.output_regression`), and with them goes what pins their
precision to them (a collapsed Gibbs sampler, Liu 1994). Interweaving (see :mod:`.interweaving`)
makes its moves on what is left: those of the noise and of the last layer's precisions take other
numbers only, and those of hidden layers rescale the weights before the last layer. Then the last
layer's weights are drawn from their conditional distribution, which is normal.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable

import numpy as np

from ...models.activations import Activation
from ...models.bnn import BNN
from ...models.simd.kernels import jit
from ...models.simd.lane_memory import number, pointer, put, width
from ..compiled import engine
from ..compiled.entries import Entry, call
from ..potential.block_products import START
from ..potential.layout import Layout
from ..potential.network_plan import PLANS, plan_of, precision_at
from ..potential.network_potential import forward
from ..potential.rest import FEATURES
from .hierarchy import Hierarchy
from .interweaving import interweave, interweave_some
from .moves import find_moves, hidden_layers
from .output_regression import FORMS, Room, choose_form
from .targets_near_zero import are_near_zero

run_forward = plan_at = summarize = factorize = sample_weights = order = engine.bound_later
allocate = move_some = engine.bound_later


@jit
def filled_up(count, like):
    """Count of numbers in as many whole registers."""
    return -(-count // width(like)) * width(like)


def new_room(joint):
    """Room for the network's data, with the targets filled in."""
    here, biases = plan_of(joint[0]), joint[0].bias_at
    outputs, cases = here.outputs, here.cases
    weights = number(here.sizes, here.layers - 1) + (1 if biases[-1] >= 0 else 0)
    squares = np.zeros(outputs)
    columns, count = filled_up(cases, squares), filled_up(weights, squares)
    features, targets = np.zeros((weights, columns)), np.zeros((outputs, columns))
    features[:, :cases] = 1.0
    for c in range(cases):
        at = (c // here.block) * here.y_step + c % here.block
        for output in range(outputs):
            targets[output, c] = number(here.y, at + output * here.block)
            squares[output] += targets[output, c] ** 2
    rows = order(weights, cases)
    stride = filled_up(rows, squares)
    return Room(
        features,
        targets,
        np.zeros((rows, stride)),
        np.zeros((outputs, count)),
        squares,
        np.zeros((rows, stride)),
        np.zeros(count),
        np.zeros(stride),
        np.zeros(stride),
        cases,
    )


def last_hidden_layer(q, gradient, extra, words):
    """Entry that fills ``extra`` with the last hidden layer, (units, cases filled up)."""
    here = plan_at(words, precision_at(words))
    x_at, block, columns = START, here.block, filled_up(here.cases, extra)
    units = number(here.sizes, here.layers - 1)
    for first in range(0, here.cases, block):
        at = run_forward(q, x_at, here) - units * block
        for k in range(units):
            for c in range(first, min(first + block, here.cases)):
                put(extra, k * columns + c, number(here.units, at + k * block + c - first))
        x_at += here.x_step
    return 0.0


def fill_features(q, room, data):
    """Compute the values of the last hidden layer, by the entry for them."""
    words, at = pointer(data.words, 0), pointer(q, 0)
    features = pointer(room.features, 0)
    call(number(words, FEATURES), at, at, features, words)
    summarize(room)


@jit
def position(output, k, data):
    """Where a weight of an output lies in the block of all weights; the bias is the last one."""
    sizes, starts, biases = data.sizes, data.weights_at, data.bias_at
    if k == sizes[-2]:
        return biases[-1] + output
    return starts[-1] + k * data.curvature.size + output


@jit
def set_scale(scale, weights, output, log_precision, joint):
    """Set the prior standard deviations of an output's weights; return its noise precision."""
    data, hierarchy = joint
    unit, weight, noise = hierarchy.unit, hierarchy.weight, hierarchy.noise
    last, root = -1, 1.0
    for k in range(weights):
        at = position(output, k, data)
        if unit[at] != last:
            last = unit[at]
            root = np.exp(-0.5 * log_precision[last]) if last >= 0 else 1.0
        scale[k] = root / np.sqrt(weight[at])
    return np.exp(log_precision[noise[output]]) if noise.size > 0 else data.curvature[output]


def collapsed_energy(q, log_precision, moved, room, joint):
    r"""Energy of the targets with the last layer's weights integrated out.

    .. math:: \sum_k \tfrac12 \beta \tau_k\, y_k^\top K_k^{-1} y_k + \tfrac12 \log |K_k|
              - \tfrac{\beta n}{2} \log \tau_k

    at the inverse temperature :math:`\beta`, where :math:`K_k` is that of the precision
    :math:`\beta \tau_k`.
    """
    beta = joint[0].inverse_temperature
    if moved:
        fill_features(q, room, joint[0])
    energy = 0.0
    for output in range(room.squares.size):
        tau = set_scale(room.scale, room.features.shape[0], output, log_precision, joint)
        half, squares = factorize(room, output, beta * tau)
        energy += 0.5 * beta * tau * squares + half - 0.5 * beta * room.cases * np.log(tau)
    return energy


def draw_output_weights(rng, log_precision, q, room, joint):
    """Draw the last layer's weights given all else, in place.

    Weights of an output whose matrix is not positive definite, for rounding, stay as they are.
    Whether it is depends on what this draw leaves alone, so that the posterior stays invariant.
    """
    fill_features(q, room, joint[0])
    for output in range(room.squares.size):
        tau = set_scale(room.scale, room.features.shape[0], output, log_precision, joint)
        tau *= joint[0].inverse_temperature
        half, squares = factorize(room, output, tau)
        found = sample_weights(rng, room, output, tau)
        if np.isfinite(half) and np.isfinite(squares):
            for k in range(found.size):
                q[position(output, k, joint[0])] = found[k]


def collapse(rng, log_precision, q, hierarchy, moves, data):
    """Make moves on the collapsed density, then draw the last layer's weights.

    Takes the place of :func:`.interweaving.interweave_some`. Returns the number of evaluations of
    the density, each counted as a pass through the network.
    """
    joint = (data, hierarchy)
    evaluations = move_some(rng, log_precision, q, hierarchy, moves, joint)
    draw_output_weights(rng, log_precision, q, allocate(joint), joint)
    for output in range(hierarchy.noise.size):
        data.curvature[output] = np.exp(log_precision[hierarchy.noise[output]])
    return evaluations + 1


def find_form(model: BNN, hierarchy: Hierarchy, layout: Layout) -> str | None:
    """Say how the last layer of a network can be integrated out, if it can.

    Parameters
    ----------
    model : BNN
        The network.
    hierarchy : Hierarchy
        Which precision scales what.
    layout : Layout
        Where the weights lie in the block.

    Returns
    -------
    {"weights", "cases"} or None
        From :func:`.output_regression.choose_form`; None also without normal noise, without hidden
        layers, or where the last layer's weights have a prior mean other than zero, or targets lie
        so far from zero that double precision lacks the digits (:func:`are_near_zero`).
    """
    last = hidden_layers(model, layout) < 0
    if not hierarchy.noise.size or not model.hidden or np.any(hierarchy.mean[last]):
        return None
    if not are_near_zero(model):
        return None
    return choose_form(
        int(last.sum()) // len(model.outputs), len(model["X"].get_value(borrow=True))
    )


def collapsed_moves(model: BNN, hierarchy: Hierarchy, layout: Layout) -> Hierarchy:
    """Replace the moves by those with the last layer integrated out.

    Parameters
    ----------
    model, hierarchy, layout
        As for :func:`find_form`.

    Returns
    -------
    Hierarchy
        Its moves do not rescale the last layer's weights, and precisions of noise move too.
    """
    layers = hidden_layers(model, layout)
    members = np.split(hierarchy.member, hierarchy.start[1:-1])
    movable = np.union1d(np.flatnonzero(np.diff(hierarchy.start)), hierarchy.noise)
    moves = find_moves([m[layers[m] >= 0] for m in members], movable, layers)
    return hierarchy._replace(moves=moves, interweaved=np.arange(moves.first.size - 1))


def features_entry(activation: Activation) -> Entry:
    """Compile :func:`last_hidden_layer` for the networks of one activation."""
    run = engine.bind_optimised(forward, activate=activation.value)
    return engine.entry(last_hidden_layer, run_forward=run, plan_at=PLANS["float64"])


def compile_collapse(form: str) -> Callable:
    """Compile :func:`collapse`.

    Parameters
    ----------
    form : {"weights", "cases"}
        From :func:`choose_form`.

    Returns
    -------
    callable
        For use in other compiled code.
    """
    bound = FORMS[form]
    room = engine.bind(new_room, order=bound["order"])
    regression = {
        "fill_features": engine.bind(fill_features, summarize=bound["summarize"]),
        "factorize": bound["factorize"],
    }
    energy = engine.bind(collapsed_energy, **regression)
    move = engine.bind(interweave, allocate=room, rest=energy)
    return engine.bind(
        collapse,
        allocate=room,
        draw_output_weights=engine.bind(
            draw_output_weights, sample_weights=bound["sample_weights"], **regression
        ),
        move_some=engine.bind(interweave_some, move_precisions=move),
    )

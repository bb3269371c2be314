r"""Energy and gradient of a network's likelihood as one fused kernel.

The same numbers as the PyTensor graph of the model, by the forward and backward pass of Choo
(2000), Eqs. 3.1-3.2 and 4.21-4.23, without a memory allocation per gradient. One kernel serves
every network with the same activation and likelihood, whatever its sizes and data. It goes through
the cases in blocks that stay in the cache, and sums energies and gradients in double precision
also where it computes in single precision.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable

import numpy as np

from ...models.activations import Activation
from ...models.simd.kernels import jit
from ...models.simd.lane_memory import load, number, pointer, put, store, width
from ..compiled import engine
from ..compiled.entries import Entry, call
from .block_products import (
    START,
    add_sums,
    add_weights_cotangent,
    backward_product,
    forward_product,
)
from .likelihood_kernels import squared_errors
from .network_plan import PLANS, precision_at
from .rest import SQUARES

activate = slope = likelihood = run_forward = run_backward = engine.bound_later
weights_of = plan_at = evaluate = engine.bound_later


@jit
def same_weights(q, plan):
    """Weights in double precision."""
    return pointer(q, 0)


@jit
def rounded_weights(q, plan):
    """Weights in single precision."""
    for k in range(plan.weights):
        put(plan.rounded, k, number(q, k))
    return plan.rounded


WEIGHTS = {"float64": same_weights, "float32": rounded_weights}


def forward(w, x_at, plan):
    """Compute all layers of a block and return where the last one's outputs start."""
    units, block = plan.units, plan.block
    source, at, out_at = plan.X, x_at, START
    m = number(plan.sizes, 0)
    for layer in range(plan.layers):
        if layer > 0:
            for c in range(at, out_at, width(units)):
                store(units, c, activate(load(units, c)))
        n = number(plan.sizes, layer + 1)
        w_at, b_at = number(plan.weights_at, layer), number(plan.bias_at, layer)
        forward_product(source, at, w, w_at, b_at, units, out_at, m, n, block)
        source, at, out_at, m = units, out_at, out_at + n * block, n
    return at


def backward(w, gradient, units_at, x_at, plan):
    """Carry the cotangent of a block's outputs, which lie at ``units_at``, back to all weights."""
    units, block, spare = plan.units, plan.block, plan.spare
    d = pointer(units, units_at)
    below, above = plan.below, plan.above
    n = number(plan.sizes, plan.layers)
    for layer in range(plan.layers - 1, -1, -1):
        m = number(plan.sizes, layer)
        w_at, b_at = number(plan.weights_at, layer), number(plan.bias_at, layer)
        if b_at >= 0:
            add_sums(d, gradient, b_at, n, block)
        if layer == 0:
            add_weights_cotangent(plan.X, x_at, d, gradient, w_at, spare, m, n, block)
            break
        units_at -= block * m
        add_weights_cotangent(units, units_at, d, gradient, w_at, spare, m, n, block)
        backward_product(w, w_at, d, below, m, n, block)
        for c in range(0, m * block, width(units)):
            store(below, c, load(below, c) * slope(load(units, units_at + c)))
        d, below, above, n = below, above, below, m


@jit
def cases_in(plan):
    """Cases that the energy is of; none at power 0, as the prior knows nothing of overflows."""
    return plan.cases if plan.power > 0.0 else 0


def energy_and_gradient(q, gradient, plan):
    """Energy of the likelihood; fills ``gradient``, shape (weights,)."""
    w, slopes = weights_of(q, plan), pointer(gradient, 0)
    for k in range(plan.weights):
        put(slopes, k, 0.0)
    energy = 0.0
    x_at = y_at = START
    for first in range(0, cases_in(plan), plan.block):
        at = run_forward(w, x_at, plan)
        energy += likelihood(plan, at, y_at, plan.cases - first)
        run_backward(w, slopes, at, x_at, plan)
        x_at, y_at = x_at + plan.x_step, y_at + plan.y_step
    return energy


def energy_only(q, plan):
    """Energy of the likelihood."""
    w = weights_of(q, plan)
    energy = 0.0
    x_at = y_at = START
    for first in range(0, cases_in(plan), plan.block):
        at = run_forward(w, x_at, plan)
        energy += likelihood(plan, at, y_at, plan.cases - first)
        x_at, y_at = x_at + plan.x_step, y_at + plan.y_step
    return energy


def gradient_entry(q, gradient, extra, words):
    """Entry that fills ``gradient``."""
    return evaluate(q, gradient, plan_at(words, precision_at(words)))


def energy_entry(q, gradient, extra, words):
    """Entry of the energy alone."""
    return evaluate(q, plan_at(words, precision_at(words)))


def gradient_given_noise(q, gradient, extra, words):
    """Entry that fills ``gradient``, with the precisions of the noise from ``extra``."""
    return evaluate(q, gradient, plan_at(words, extra))


def energy_given_noise(q, gradient, extra, words):
    """Entry of the energy alone, with the precisions of the noise from ``extra``."""
    return evaluate(q, plan_at(words, extra))


@jit
def squared_residuals(q, data):
    """Sum of squared residuals of each output, shape (outputs,), by the entry for them."""
    squares = np.zeros(data.curvature.size)
    words, at = pointer(data.words, 0), pointer(squares, 0)
    call(number(words, SQUARES), pointer(q, 0), at, at, words)
    return squares


def network_entry(
    activation: Activation,
    likelihood: Callable,
    gradient: bool,
    precision: str = "float64",
    given_noise: bool = False,
) -> Entry:
    """Compile the pass through a network.

    Parameters
    ----------
    activation : Activation
        Activation of the hidden units.
    likelihood : callable
        Kernel of the likelihood.
    gradient : bool
        Whether the gradient is needed too.
    precision : {"float64", "float32"}
        Of the pass.
    given_noise : bool
        Whether the precisions of the noise come with a call, not with the data.

    Returns
    -------
    Entry
        Its words are those of :func:`.network_plan.network_words`.
    """
    bindings: dict[str, Callable] = {
        "run_forward": engine.bind_optimised(forward, activate=activation.value),
        "likelihood": likelihood,
        "weights_of": WEIGHTS[precision],
    }
    if gradient:
        bindings["run_backward"] = engine.bind_optimised(backward, slope=activation.slope)
        template = gradient_given_noise if given_noise else gradient_entry
    else:
        template = energy_given_noise if given_noise else energy_entry
    evaluate = engine.bind(energy_and_gradient if gradient else energy_only, **bindings)
    return engine.entry(template, evaluate=evaluate, plan_at=PLANS[precision])


def squares_entry(activation: Activation) -> Entry:
    """Compile the sums of squared residuals, which :func:`squared_residuals` calls."""
    return network_entry(activation, squared_errors, gradient=False, given_noise=True)

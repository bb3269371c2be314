"""Energy and gradient of a network, and products of its hidden units summed over the cases."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numpy as np

from ....models.activations import Activation
from ....models.likelihoods import Likelihood
from ....models.simd.kernels import jit
from ....models.simd.lane_memory import load, number, pointer, put, store, width
from ....models.simd.lanes import first_lanes
from ...compiled import engine
from ...compiled.entries import Entry, call
from ...potential.block_products import add_weights_cotangent
from ...potential.likelihood_kernels import kernel_of
from ...potential.network_plan import PLANS, precision_at
from ...potential.network_potential import backward, cases_in, forward
from ...potential.rest import PRODUCTS

likelihood = run_forward = run_backward = plan_at = engine.bound_later


@jit
def add_products(products, plan, first):
    r"""Add :math:`\sum_c h_{ci} h_{ck}` of each hidden layer's units, over the cases of a block."""
    units, block, masked = plan.units, plan.block, plan.below
    left = plan.cases - first
    m = number(plan.sizes, 0)
    units_at, products_at = 0, m * m
    for layer in range(1, plan.layers):
        m = number(plan.sizes, layer)
        for i in range(0, m * block, block):
            for c in range(0, block, width(units)):
                h = first_lanes(load(units, units_at + i + c), left - c, 0.0)
                store(masked, i + c, h)
        add_weights_cotangent(
            units, units_at, masked, products, products_at, plan.spare, m, m, block
        )
        units_at, products_at = units_at + m * block, products_at + m * m


def fill_products(q, gradient, extra, words):
    """Entry that fills ``gradient``, and products ``extra`` beyond those of the inputs.

    Products are a square matrix for each layer but the last, in turn, the inputs' first.
    """
    plan = plan_at(words, precision_at(words))
    for k in range(plan.weights):
        put(gradient, k, 0.0)
    begin, end = number(plan.sizes, 0) ** 2, 0
    for layer in range(plan.layers):
        end += number(plan.sizes, layer) ** 2
    for k in range(begin, end):
        put(extra, k, 0.0)
    energy = 0.0
    x_at = y_at = 0
    for first in range(0, cases_in(plan), plan.block):
        at = run_forward(q, x_at, plan)
        add_products(extra, plan, first)
        energy += likelihood(plan, at, y_at, plan.cases - first)
        run_backward(q, gradient, at, x_at, plan)
        x_at, y_at = x_at + plan.x_step, y_at + plan.y_step
    return energy


@jit
def rest_with_products(q, gradient, products, words):
    """Energy of the likelihood; fills ``gradient`` and ``products``, by the entry for them."""
    address, sums = number(words, PRODUCTS), pointer(products, 0)
    return call(address, pointer(q, 0), pointer(gradient, 0), sums, words)


def products_entry(activation: Activation, likelihood: type[Likelihood]) -> Entry:
    """Compile :func:`fill_products` for one activation and likelihood."""
    return engine.entry(
        fill_products,
        run_forward=engine.bind_optimised(forward, activate=activation.value),
        run_backward=engine.bind_optimised(backward, slope=activation.slope),
        likelihood=kernel_of(likelihood).energy,
        plan_at=PLANS["float64"],
    )


def room_for_products(X: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Room for the products of all layers but the last, with those of the inputs filled in.

    Parameters
    ----------
    X : ndarray, shape (cases, inputs)
        Inputs.
    sizes : ndarray of int
        Units of each layer, inputs first.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.sweeps.split.products import room_for_products
    >>> room_for_products(np.array([[1.0, 2.0]]), np.array([2, 1, 1]))
    array([1., 2., 2., 4., 0.])
    """
    hidden = int((sizes[1:-1] ** 2).sum())
    return np.concatenate([(X.T @ X).ravel(), np.zeros(hidden)])

"""Gibbs draws, interweaving and trajectories of a network, many iterations in compiled code.

Between two recorded draws of a small network, calls from Python cost more than the arithmetic.
Here a whole sweep, the same updates as :class:`.GibbsPrecision` and :class:`.StaticHMC` make in
turn, is one compiled function, and one call makes as many sweeps as wanted.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...models.activations import Activation
from ...models.likelihoods import Likelihood
from ..compiled import engine
from ..compiled.entries import Entry
from ..dynamics.leapfrog import bind_leapfrog, leapfrog
from ..dynamics.metropolis import diverges
from ..dynamics.momentum import FRESH, Momentum
from ..dynamics.transition import bind_transition
from ..potential.likelihood_kernels import kernel_of
from ..potential.network_potential import network_entry, squared_residuals, squares_entry
from ..potential.rest import ALONE, CALLED, FEATURES, SQUARES
from ..precisions.collapsed_output import compile_collapse, features_entry
from ..precisions.interweaving import CALLED_MOVES, interweave, interweave_some
from ..step_sizes.curvature import neal_step_sizes

step_sizes_of = move = parameters_of = interweave_precisions = engine.bound_later


class Swept(NamedTuple):
    """What became of some sweeps.

    Attributes
    ----------
    acceptance : float
        Mean acceptance probability.
    accepted : bool
        Whether the last trajectory was accepted.
    diverging : int
        Number of diverging trajectories.
    error, potential, kinetic : float
        Energy error of the last trajectory; the energies at the end that was kept.
    evaluations, steps : int
        Passes through the network for interweaving, and leapfrog steps, of which trajectories
        that diverge take fewer.
    """

    acceptance: float
    accepted: bool
    diverging: int
    error: float
    potential: float
    kinetic: float
    evaluations: int
    steps: int


def sweep(
    rng,
    log_precision,
    q,
    momentum,
    rule,
    factors,
    n_leapfrog,
    hierarchy,
    network,
    data,
    curvature_of,
):
    """Make as many sweeps as there are factors; update precisions and weights in place.

    A template for :func:`.engine.specialize`.

    Parameters
    ----------
    rng : Generator
        Where all random numbers come from.
    log_precision, q, momentum : ndarray
        Logarithms of the precisions, weights, and their momenta.
    rule : MomentumRule
        Numbers of the rule by which momenta are renewed.
    factors : ndarray, shape (sweeps,)
        Step size adjustment factor of each sweep.
    n_leapfrog : int
        Leapfrog steps of a trajectory.
    hierarchy : Hierarchy
        Which precision scales what.
    network : NetworkData
        What the fused likelihood needs; its noise precisions are renewed in place.
    data : EnergyData
        What trajectories need, which may be in single precision, with the same noise precisions.
    curvature_of : tuple
        Sums of squared inputs, curvature of a case's energy at the outputs of a classifier,
        largest slope and mean square of the activation.
    """
    size = q.size
    precision, variance = np.empty(size), np.empty(size)
    ones = np.ones(size)
    scaling = np.empty(log_precision.size)
    squares, output_curvature, slope, mean_square = curvature_of
    tempered = np.empty(output_curvature.size)
    layout = (network.sizes, network.weights_at, network.bias_at)
    moves = hierarchy.interweaved.copy()
    acceptance = error = potential = kinetic = 0.0
    accepted = False
    diverging = evaluations = steps = 0
    for factor in factors:
        draw_precisions(rng, log_precision, q, hierarchy, network)
        if moves.size > 0:
            evaluations += interweave_precisions(rng, log_precision, q, hierarchy, moves, network)
        for j in range(log_precision.size):  # numba compiles each expression of arrays by itself
            scaling[j] = np.exp(log_precision[j])
        for k in range(size):
            unit = hierarchy.unit[k]
            precision[k] = hierarchy.weight[k] * (scaling[unit] if unit >= 0 else 1.0)
            variance[k] = 1.0 / precision[k]
        outputs = network.curvature if hierarchy.noise.size > 0 else output_curvature
        for k in range(tempered.size):
            tempered[k] = network.inverse_temperature * outputs[k]
        step_sizes = step_sizes_of(
            precision, variance, ones, squares, tempered, layout, slope, mean_square
        )
        for k in range(size):
            step_sizes[k] *= factor
        found = move(
            rng, q, momentum, rule, step_sizes, n_leapfrog, hierarchy.mean, precision, data
        )
        acceptance += found.acceptance
        diverging += diverges(found.error)
        steps += found.steps
        accepted, error = found.accepted, found.error
        potential, kinetic = found.potential, found.kinetic
    acceptance /= factors.size
    return Swept(acceptance, accepted, diverging, error, potential, kinetic, evaluations, steps)


def conditional_parameters(q, hierarchy, data):
    """Shapes and rates of precisions given weights and residuals (Choo 2000, Eqs. 3.11-3.12)."""
    shape, rate = hierarchy.shape.copy(), hierarchy.rate.copy()
    added_shape, added_rate = np.zeros(shape.size), np.zeros(shape.size)
    for k in range(q.size):
        unit = hierarchy.unit[k]
        if unit >= 0:
            added_shape[unit] += 0.5
            added_rate[unit] += 0.5 * hierarchy.weight[k] * (q[k] - hierarchy.mean[k]) ** 2
    if hierarchy.noise.size > 0:
        residuals = squared_residuals(q, data)
        for output in range(hierarchy.noise.size):
            half = 0.5 * data.inverse_temperature
            added_shape[hierarchy.noise[output]] += half * data.cases
            added_rate[hierarchy.noise[output]] += half * residuals[output]
    for j in range(shape.size):
        shape[j] += added_shape[j]
        rate[j] += added_rate[j]
    return shape, rate


def draw_precisions(rng, log_precision, q, hierarchy, data):
    """Draw all precisions from their conditional distributions."""
    shape, rate = parameters_of(q, hierarchy, data)
    for j in range(log_precision.size):
        log_precision[j] = np.log(rng.standard_gamma(shape[j]) / rate[j])
    for output in range(hierarchy.noise.size):
        data.curvature[output] = np.exp(log_precision[hierarchy.noise[output]])


def compile_sweep(collapsed: str | None = None, momentum: Momentum = FRESH) -> Callable[..., Swept]:
    """Compile :func:`sweep`.

    Parameters
    ----------
    collapsed : {None, "weights", "cases"}
        How to integrate the last layer out for interweaving, if it is to be.
    momentum : Momentum
        The rule of momenta and acceptance.

    Returns
    -------
    callable
    """
    trajectory = engine.bind(leapfrog, **bind_leapfrog(CALLED))
    moves = engine.bind(interweave, **CALLED_MOVES)
    return engine.specialize(
        sweep,
        draw_precisions=engine.bind(
            draw_precisions, parameters_of=engine.bind(conditional_parameters)
        ),
        interweave_precisions=engine.bind(interweave_some, move_precisions=moves)
        if collapsed is None
        else compile_collapse(collapsed),
        step_sizes_of=engine.bind(neal_step_sizes),
        move=bind_transition(trajectory, momentum),
    )


def entries_of(
    activation: Activation, likelihood: type[Likelihood], collapsed: str | None
) -> dict[int, Entry]:
    """Compile what a sweep calls of a network besides trajectories.

    Parameters
    ----------
    activation : Activation
        Activation of the hidden units.
    likelihood : type of Likelihood
        Class of the likelihood.
    collapsed : {None, "weights", "cases"}
        As for :func:`compile_sweep`.

    Returns
    -------
    dict of int to Entry
    """
    energy = network_entry(activation, kernel_of(likelihood).energy, gradient=False)
    of_moves = {ALONE: energy} if collapsed is None else {FEATURES: features_entry(activation)}
    return {SQUARES: squares_entry(activation), **of_moves}

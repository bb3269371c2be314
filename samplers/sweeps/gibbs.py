"""Gibbs draws, interweaving and trajectories of a network, many iterations in compiled code.

Between two recorded draws of a small network, calls from Python cost more than the arithmetic.
Here a whole sweep, the same updates as :class:`.GibbsPrecision` and :class:`.StaticHMC` make in
turn, is one compiled function, and one call makes as many sweeps as wanted.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from pymc.blocking import PointType

from ...models.likelihoods import Likelihood
from ..compiled import engine
from ..dynamics.leapfrog import bind_leapfrog, leapfrog
from ..dynamics.metropolis import diverges
from ..dynamics.momentum import FRESH, Momentum
from ..dynamics.transition import bind_transition
from ..potential.agreement import check_conditionals
from ..potential.conditional import Conditional
from ..potential.layout import Layout
from ..potential.network_potential import DOUBLE, network_rest, network_squares
from ..precisions.collapsed_output import compile_collapse
from ..precisions.hierarchy import Hierarchy
from ..precisions.interweaving import compile_moves, interweave, interweave_some
from ..step_sizes.curvature import neal_step_sizes

step_sizes_of = move = squared_residuals = parameters_of = engine.bound_later
in_double = interweave_precisions = engine.bound_later


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
    evaluations : int
        Passes through the network for interweaving.
    """

    acceptance: float
    accepted: bool
    diverging: int
    error: float
    potential: float
    kinetic: float
    evaluations: int


def sweep(
    rng, log_precision, q, momentum, rule, factors, n_leapfrog, hierarchy, data, curvature_of
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
    data : tuple
        What the fused likelihood needs; its noise precisions are renewed in place.
    curvature_of : tuple
        Sums of squared inputs, curvature of a case's energy at the outputs of a classifier,
        largest slope and mean square of the activation.
    """
    size = q.size
    exact_data = in_double(data)
    precision, variance = np.empty(size), np.empty(size)
    ones = np.ones(size)
    scaling = np.empty(log_precision.size)
    squares, output_curvature, slope, mean_square = curvature_of
    tempered = np.empty(output_curvature.size)
    layout = (data.sizes, data.weights_at, data.bias_at)
    moves = hierarchy.interweaved.copy()
    acceptance = error = potential = kinetic = 0.0
    accepted = False
    diverging = evaluations = 0
    for factor in factors:
        draw_precisions(rng, log_precision, q, hierarchy, exact_data)
        if moves.size > 0:
            evaluations += interweave_precisions(
                rng, log_precision, q, hierarchy, moves, exact_data
            )
        for j in range(log_precision.size):  # numba compiles each expression of arrays by itself
            scaling[j] = np.exp(log_precision[j])
        for k in range(size):
            unit = hierarchy.unit[k]
            precision[k] = hierarchy.weight[k] * (scaling[unit] if unit >= 0 else 1.0)
            variance[k] = 1.0 / precision[k]
        outputs = data.curvature if hierarchy.noise.size > 0 else output_curvature
        for k in range(tempered.size):
            tempered[k] = data.inverse_temperature * outputs[k]
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
        accepted, error = found.accepted, found.error
        potential, kinetic = found.potential, found.kinetic
    acceptance /= factors.size
    return Swept(acceptance, accepted, diverging, error, potential, kinetic, evaluations)


def conditional_parameters(q, hierarchy, data):
    """Shapes and rates of all precisions given weights and residuals (Choo 2000, Eqs. 3.11-3.12).

    A template for :func:`.engine.bind`, which binds ``squared_residuals``.
    """
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


def check_hierarchy(
    conditional: Conditional, hierarchy: Hierarchy, precisions: Layout, step: str
) -> None:
    """Compare compiled shapes and rates of a network's precisions with the model's graph.

    Parameters
    ----------
    conditional : Conditional
        The block of all weights, with the fused likelihood.
    hierarchy : Hierarchy
        Which precision scales what.
    precisions : Layout
        Where the log precisions lie in their vector.
    step : str
        Which step asks, for the message.

    Raises
    ------
    DisagreementError
        If they differ; the message names the precision.
    """
    activation = conditional.model.activation
    compiled = engine.specialize(
        conditional_parameters,
        squared_residuals=network_squares(activation),
    )

    def parameters(point: PointType) -> tuple[np.ndarray, np.ndarray]:
        data = conditional.network_data(conditional.parameters(point))
        return compiled(conditional.layout.ravel(point), hierarchy, data)

    check_conditionals(conditional.model, precisions, parameters, step)


def compile_sweep(
    activation: Any,
    likelihood: type[Likelihood],
    precision: str = "float64",
    collapsed: str | None = None,
    momentum: Momentum = FRESH,
) -> Callable[..., Swept]:
    """Compile :func:`sweep` for the networks of one activation and likelihood.

    Parameters
    ----------
    activation : Activation
        Activation of the hidden units.
    likelihood : type of Likelihood
        Class of the likelihood.
    precision : {"float64", "float32"}
        Of trajectories; all else is in double precision.
    collapsed : {None, "weights", "cases"}
        How to integrate the last layer out for interweaving, if it is to be.
    momentum : Momentum
        The rule of momenta and acceptance.

    Returns
    -------
    callable
    """
    slope = network_rest(activation, likelihood, gradient=True, precision=precision)
    squares = network_squares(activation)
    parameters = engine.bind(conditional_parameters, squared_residuals=squares)
    return engine.specialize(
        sweep,
        draw_precisions=engine.bind(draw_precisions, parameters_of=parameters),
        interweave_precisions=_compile_interweaving(activation, likelihood, collapsed),
        step_sizes_of=engine.bind(neal_step_sizes),
        move=bind_transition(engine.bind(leapfrog, **bind_leapfrog(slope)), momentum),
        in_double=DOUBLE[precision],
    )


def _compile_interweaving(
    activation: Any, likelihood: type[Likelihood], collapsed: str | None
) -> Callable:
    if collapsed is not None:
        return compile_collapse(activation, collapsed)
    value = network_rest(activation, likelihood, gradient=False)
    move = engine.bind(interweave, **compile_moves(value))
    return engine.bind(interweave_some, move_precisions=move)

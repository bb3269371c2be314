"""State of a trajectory, and what both parametrizations do with it."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from typing import Any, NamedTuple

import numpy as np

from ....models.simd.kernels import copy_into, inlined, jit
from ...potential.network_potential import squared_residuals
from ...step_sizes.curvature import neal_step_sizes

neal = jit(neal_step_sizes)


class State(NamedTuple):
    r"""Where a trajectory is, as arrays that it changes in place.

    Attributes
    ----------
    position, momentum : ndarray, shape (weights,)
        Of the weights, in the form in which they move.
    log_precision, hyper_momentum : ndarray, shape (precisions,)
        Of the logarithms of the precisions.
    weights, gradient : ndarray, shape (weights,)
        Network weights, and the derivative of the likelihood's energy by them.
    scale, precision, variance : ndarray, shape (weights,)
        Network weight per unit of position, prior precision of each position, and prior variance
        of each weight.
    likelihood : ndarray, shape (1,)
        Energy of the likelihood.
    half_squares : ndarray, shape (outputs,)
        Half the sum of squared residuals, times the inverse temperature; all in the first element
        if outputs share their noise.
    curvature : ndarray, shape (outputs,)
        Second derivative of a case's tempered energy by each output.
    rate : ndarray, shape (precisions,)
        Of the log precisions' energy :math:`b e^\lambda - a \lambda`.
    slopes : ndarray, shape (precisions,)
        Derivatives by the log precisions.
    root : ndarray, shape (precisions + 1,)
        Powers of the precisions, and 1 for weights that hang on none.
    other : ndarray, shape (2, weights)
        Weights and gradient at estimates of the precisions.
    """

    position: np.ndarray
    momentum: np.ndarray
    log_precision: np.ndarray
    hyper_momentum: np.ndarray
    weights: np.ndarray
    gradient: np.ndarray
    scale: np.ndarray
    precision: np.ndarray
    variance: np.ndarray
    likelihood: np.ndarray
    half_squares: np.ndarray
    curvature: np.ndarray
    rate: np.ndarray
    slopes: np.ndarray
    root: np.ndarray
    other: np.ndarray


class Setting(NamedTuple):
    r"""What stays fixed along a trajectory.

    Attributes
    ----------
    factor, hyper_factor : float
        Step size adjustment factors of weights and of log precisions.
    splits, hyper_splits : int
        Parts of each update of weights and of log precisions.
    hierarchy : Hierarchy
        Which precision scales what.
    shape : ndarray, shape (precisions,)
        Of the log precisions' energy :math:`b e^\lambda - a \lambda`.
    origin : ndarray, shape (weights,)
        Prior mean of each position.
    squares : ndarray, shape (1 + inputs,)
        Number of cases, then the sum of squares of each input.
    slope : float
        Largest slope of the activation.
    mean_square : tuple of float
        Mean square of a hidden unit, as (multiple of its variance, constant).
    estimate : ndarray, shape (precisions,)
        Fixed estimates of the log precisions.
    estimated_scale : ndarray, shape (weights,)
        Network weight per unit of raw weight at these estimates.
    products : ndarray
        Products of units, summed over cases; renewed in place.
    tether : float
        Precision of the log precisions around their anchors, or 0.
    anchor : ndarray, shape (precisions,)
        Where the log precisions of a trajectory are tethered; renewed in place.
    moored : ndarray, shape (weights,)
        Step sizes of tethered trajectories, from the anchors alone; renewed in place.
    """

    factor: float
    hyper_factor: float
    splits: int
    hyper_splits: int
    hierarchy: Any
    shape: np.ndarray
    origin: np.ndarray
    squares: np.ndarray
    slope: float
    mean_square: tuple
    estimate: np.ndarray
    estimated_scale: np.ndarray
    products: np.ndarray
    tether: float
    anchor: np.ndarray
    moored: np.ndarray


@jit
def new_state(position, log_precision, outputs):
    """Room for a trajectory that starts at a position."""
    n, m = position.size, log_precision.size
    return State(
        position.copy(),
        np.zeros(n),
        log_precision.copy(),
        np.zeros(m),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(1),
        np.zeros(outputs),
        np.empty(outputs),
        np.empty(m),
        np.empty(m),
        np.ones(m + 1),
        np.empty((2, n)),
    )


@jit
def scale_by(vector, factor):
    """Multiply a vector in place; numba takes longer to compile an expression of arrays."""
    for k in range(vector.size):
        vector[k] *= factor


@inlined
def set_noise(log_precision, hierarchy, data):
    """Set the noise precisions that the likelihood uses."""
    for output in range(hierarchy.noise.size):
        data.curvature[output] = np.exp(log_precision[hierarchy.noise[output]])


@inlined
def add_up_squares(half_squares, weights, energy, hierarchy, data):
    """Set half the tempered sums of squared residuals of outputs with noise precisions."""
    noise = hierarchy.noise
    if noise.size > 0 and noise[0] == noise[-1]:  # one for all outputs
        half_squares[0] = energy / data.curvature[0]
    elif noise.size > 0:
        copy_into(half_squares, squared_residuals(weights, data))
        scale_by(half_squares, 0.5 * data.inverse_temperature)


@inlined
def add_residuals(state, hierarchy):
    """Add to the rates of the noise precisions what the residuals say."""
    for output in range(hierarchy.noise.size):
        state.rate[hierarchy.noise[output]] += state.half_squares[output]


@inlined
def tension(state, setting):
    """Energy of the tethers."""
    total = 0.0
    if setting.tether > 0.0:
        for j in range(state.log_precision.size):
            total += (state.log_precision[j] - setting.anchor[j]) ** 2
    return 0.5 * setting.tether * total


@jit
def kick(momentum, position, origin, precision, scale, gradient, step_sizes, part):
    """Move the weights' momenta."""
    for k in range(position.size):
        slope = precision[k] * (position[k] - origin[k]) + scale[k] * gradient[k]
        momentum[k] -= part * step_sizes[k] * slope


@inlined
def kick_weights(state, step_sizes, part, setting):
    """Move the weights' momenta by the energy's derivative."""
    kick(
        state.momentum,
        state.position,
        setting.origin,
        state.precision,
        state.scale,
        state.gradient,
        step_sizes,
        part,
    )


@jit
def drift(position, weights, momentum, step_sizes, mean, origin, scale):
    """Move positions, and the weights with them, which are positions where those are not raw."""
    for k in range(position.size):
        position[k] += step_sizes[k] * momentum[k]
        weights[k] = mean[k] - origin[k] + position[k] * scale[k]


@inlined
def drift_weights(state, step_sizes, setting):
    """Move positions and weights by the momenta."""
    drift(
        state.position,
        state.weights,
        state.momentum,
        step_sizes,
        setting.hierarchy.mean,
        setting.origin,
        state.scale,
    )


@inlined
def temper_curvature(state, data):
    """Set the curvature of a case's energy at the outputs, for the noise precisions of the data."""
    for output in range(state.curvature.size):
        state.curvature[output] = data.inverse_temperature * data.curvature[output]


@inlined
def weights_step_sizes(state, setting, data):
    """Step sizes of the weights for a factor of 1, from the log precisions alone (4.27-4.34)."""
    temper_curvature(state, data)
    return neal(
        state.precision,
        state.variance,
        state.scale,
        setting.squares,
        state.curvature,
        (data.sizes, data.weights_at, data.bias_at),
        setting.slope,
        setting.mean_square,
    )

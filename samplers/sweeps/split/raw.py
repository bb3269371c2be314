"""Raw weights, in units of their prior's scale: Dynamical B (Choo 2000, Eqs. 4.10-4.44)."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numpy as np

from ....models.simd.kernels import dot, inlined
from ...potential.rest import called_with_gradient
from .curvature import hyper_curvature
from .products import rest_with_products
from .state import (
    add_residuals,
    add_up_squares,
    scale_by,
    set_noise,
    temper_curvature,
    weights_step_sizes,
)


@inlined
def place(state, hierarchy):
    """Set weights, scale and prior precision at the current raw weights and log precisions."""
    for j in range(state.log_precision.size):
        state.root[j] = np.exp(-0.5 * state.log_precision[j])
    for k in range(state.position.size):
        state.precision[k] = 1.0
        state.scale[k] = state.root[hierarchy.unit[k]] / np.sqrt(hierarchy.weight[k])
        state.variance[k] = state.scale[k] ** 2
        state.weights[k] = hierarchy.mean[k] + state.position[k] * state.scale[k]


@inlined
def energy(state, setting, data):
    """Energy of raw weights and log precisions (Choo 2000, Eqs. 4.14-4.15)."""
    total = 0.5 * dot(state.position, state.position) + state.likelihood[0]
    for j in range(state.log_precision.size):
        value = state.log_precision[j]
        total += setting.hierarchy.rate[j] * np.exp(value) - setting.shape[j] * value
    return total


@inlined
def moor(state, setting, data):
    """Leave raw weights alone, whose trajectories are not tethered."""


@inlined
def unscaled_steps(state, setting, data):
    """Step sizes of the raw weights for a factor of 1."""
    return weights_step_sizes(state, setting, data)


@inlined
def estimated_step_sizes(state, setting, workspace, data):
    """Step sizes of the log precisions for a factor of 1, from the raw weights alone (4.43)."""
    hierarchy, estimate = setting.hierarchy, setting.estimate
    weights, gradient = state.other[0], state.other[1]
    for k in range(weights.size):
        weights[k] = hierarchy.mean[k] + state.position[k] * setting.estimated_scale[k]
    set_noise(estimate, hierarchy, data)
    likelihood = rest_with_products(weights, gradient, setting.products, workspace)
    add_up_squares(state.half_squares, weights, likelihood, hierarchy, data)
    temper_curvature(state, data)
    curvature = hyper_curvature(
        weights,
        gradient,
        setting.products,
        state.half_squares,
        estimate,
        data.curvature,
        state.curvature,
        hierarchy,
        (data.cases, data.sizes, data.weights_at, data.bias_at),
        setting.slope,
    )
    set_noise(state.log_precision, hierarchy, data)
    add_up_squares(state.half_squares, state.weights, state.likelihood[0], hierarchy, data)
    for j in range(curvature.size):
        curvature[j] = 1.0 / np.sqrt(abs(curvature[j]))
    return curvature


@inlined
def kick_precisions(state, step_sizes, part, setting):
    """Move momenta of log precisions, raw weights held (Choo 2000, Eqs. 4.17-4.18, 4.25-4.26)."""
    hierarchy, slopes = setting.hierarchy, state.slopes
    gradient, weights, mean, member = (
        state.gradient,
        state.weights,
        hierarchy.mean,
        hierarchy.member,
    )
    for j in range(slopes.size):
        state.rate[j] = hierarchy.rate[j]
    add_residuals(state, hierarchy)
    for j in range(slopes.size):
        total = 0.0
        for i in range(hierarchy.start[j], hierarchy.start[j + 1]):
            k = member[i]
            total += gradient[k] * (weights[k] - mean[k])
        value = state.log_precision[j]
        slopes[j] = state.rate[j] * np.exp(value) - setting.shape[j] - 0.5 * total
    for j in range(slopes.size):
        state.hyper_momentum[j] -= part * step_sizes[j] * slopes[j]


@inlined
def move_precisions(state, part, setting, workspace, data):
    """One leapfrog update of the log precisions, with the raw weights held."""
    hierarchy = setting.hierarchy
    step_sizes = estimated_step_sizes(state, setting, workspace, data)
    scale_by(step_sizes, part * setting.hyper_factor / setting.hyper_splits)
    kick_precisions(state, step_sizes, 0.5, setting)
    for split in range(setting.hyper_splits):
        for j in range(state.log_precision.size):
            state.log_precision[j] += step_sizes[j] * state.hyper_momentum[j]
        place(state, hierarchy)
        set_noise(state.log_precision, hierarchy, data)
        state.likelihood[0] = called_with_gradient(state.weights, state.gradient, workspace)
        add_up_squares(state.half_squares, state.weights, state.likelihood[0], hierarchy, data)
        weight = 1.0 if split + 1 < setting.hyper_splits else 0.5
        kick_precisions(state, step_sizes, weight, setting)

"""Weights and log precisions as they are: Dynamical A (Choo 2000, Eqs. 4.8-4.9, 4.45-4.48)."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numpy as np

from ....models.simd.kernels import copy_into, inlined, jit
from ...potential.rest import called_with_gradient
from .state import add_residuals, set_noise, weights_step_sizes


@inlined
def place(state, hierarchy):
    """Set weights, scale and prior precision at the current position and log precisions."""
    for j in range(state.log_precision.size):
        state.root[j] = np.exp(state.log_precision[j])
    for k in range(state.position.size):
        state.precision[k] = hierarchy.weight[k] * state.root[hierarchy.unit[k]]
        state.variance[k] = 1.0 / state.precision[k]
        state.scale[k] = 1.0
        state.weights[k] = state.position[k]


@inlined
def renew_rates(state, hierarchy):
    """Rate of each precision's conditional distribution (Choo 2000, Eqs. 4.45-4.46)."""
    position, mean, weight = state.position, hierarchy.mean, hierarchy.weight
    member, rate = hierarchy.member, state.rate
    for j in range(rate.size):
        total = 0.0
        for i in range(hierarchy.start[j], hierarchy.start[j + 1]):
            k = member[i]
            total += weight[k] * (position[k] - mean[k]) ** 2
        rate[j] = hierarchy.rate[j] + 0.5 * total
    add_residuals(state, hierarchy)


@inlined
def energy(state, setting, data):
    """Energy of weights and log precisions (Choo 2000, Eqs. 4.8-4.9)."""
    hierarchy = setting.hierarchy
    renew_rates(state, hierarchy)
    total = state.likelihood[0] if hierarchy.noise.size == 0 else 0.0
    for j in range(state.log_precision.size):
        value = state.log_precision[j]
        total += state.rate[j] * np.exp(value) - setting.shape[j] * value
    for k in range(state.position.size):
        if hierarchy.unit[k] < 0:
            total += 0.5 * hierarchy.weight[k] * (state.position[k] - hierarchy.mean[k]) ** 2
    return total


@inlined
def unscaled_steps(state, setting, data):
    """Step sizes of the weights for a factor of 1."""
    place(state, setting.hierarchy)
    if setting.tether > 0.0:
        return setting.moored.copy()
    return weights_step_sizes(state, setting, data)


@jit
def moor(state, setting, data):
    """Set the step sizes of a tethered trajectory: those of the weights at the anchors."""
    if setting.tether > 0.0:
        there = state.log_precision.copy()
        copy_into(state.log_precision, setting.anchor)
        place(state, setting.hierarchy)
        set_noise(setting.anchor, setting.hierarchy, data)
        copy_into(setting.moored, weights_step_sizes(state, setting, data))
        copy_into(state.log_precision, there)
        place(state, setting.hierarchy)
        set_noise(there, setting.hierarchy, data)


@inlined
def move_precisions(state, part, setting, workspace, data):
    r"""One leapfrog update of the log precisions, with the weights held.

    Given the weights, the energy of each is :math:`b e^\lambda - a \lambda`; its curvature
    (4.47-4.48), at the mean :math:`a / b` of the precision given the weights, is :math:`a`, and
    that of a tether is its precision.
    """
    renew_rates(state, setting.hierarchy)
    factor = part * setting.hyper_factor / setting.hyper_splits
    for j in range(state.log_precision.size):
        shape, rate = setting.shape[j], state.rate[j]
        tether, anchor = setting.tether, setting.anchor[j]
        step = factor / np.sqrt(shape + tether)
        value, momentum = state.log_precision[j], state.hyper_momentum[j]
        momentum -= 0.5 * step * (rate * np.exp(value) - shape + tether * (value - anchor))
        for split in range(setting.hyper_splits):
            value += step * momentum
            weight = 1.0 if split + 1 < setting.hyper_splits else 0.5
            slope = rate * np.exp(value) - shape + tether * (value - anchor)
            momentum -= weight * step * slope
        state.log_precision[j], state.hyper_momentum[j] = value, momentum
    noise_changed(state, setting.hierarchy, workspace, data)


@inlined
def noise_changed(state, hierarchy, workspace, data):
    """Renew energy and gradient, which are proportional to a noise precision of all outputs."""
    noise, old = hierarchy.noise, data.curvature[0]
    set_noise(state.log_precision, hierarchy, data)
    if noise.size > 0 and noise[0] == noise[-1]:
        ratio = data.curvature[0] / old
        state.likelihood[0] *= ratio
        for k in range(state.gradient.size):
            state.gradient[k] *= ratio
    elif noise.size > 0:
        state.likelihood[0] = called_with_gradient(state.weights, state.gradient, workspace)

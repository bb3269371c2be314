r"""Curvature of the energy by log precisions, with raw weights held (Choo 2000, 4.5.2).

With raw weights :math:`\tilde w` held, a log precision :math:`\lambda` scales what runs through
the network, and the second derivative needs a forward and a backward pass. It may not use the
current precisions, which are about to move; they are replaced by estimates :math:`\hat\lambda`,
the prior means (4.35) or others that stay fixed.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numpy as np

from ....models.simd.kernels import jit


@jit
def hyper_curvature(
    weights,
    gradient,
    products,
    half_squares,
    estimate,
    noise_precision,
    output_curvature,
    hierarchy,
    layout,
    slope,
):
    r"""Second derivative of the energy by each log precision, approximately.

    .. math::
        \frac{\partial^2 E}{\partial \lambda^2} \approx b e^{\hat\lambda}
        - \frac12 \frac{\partial L}{\partial \lambda}
        + \sum_c \sum_j \frac{\partial^2 L^c}{\partial g_j^2}
          \Bigl(\frac{\partial g_j}{\partial \lambda}\Bigr)^2

    (Choo 2000, Eqs. 4.29, 4.36 and 4.38-4.42), with :math:`\partial^2 L / \partial g^2` carried
    backwards by the squares of the weights (4.40). Exact for noise, and for the last layer's
    weights and biases at :math:`\lambda = \hat\lambda`.

    Parameters
    ----------
    weights : ndarray, shape (weights,)
        Network weights at the estimates.
    gradient : ndarray, shape (weights,)
        Derivative of the likelihood's energy by them.
    products : ndarray
        Products of the units of each layer, summed over cases.
    half_squares : ndarray, shape (outputs,)
        Half the sum of squared residuals, tempered as the energy is.
    estimate : ndarray, shape (precisions,)
        Estimates of the log precisions.
    noise_precision : ndarray, shape (outputs,)
        Noise precision of each output, at its estimate.
    output_curvature : ndarray, shape (outputs,)
        Curvature of a case's tempered energy at the outputs, there.
    hierarchy : Hierarchy
        Which precision scales what.
    layout : tuple
        Cases, units of each layer, start of each layer's weights, start of its biases or -1.
    slope : float
        Largest slope of the activation.

    Returns
    -------
    ndarray, shape (precisions,)
    """
    cases, sizes, weights_at, bias_at = layout
    unit, mean = hierarchy.unit, hierarchy.mean
    start, member = hierarchy.start, hierarchy.member
    result = np.empty(estimate.size)
    for j in range(result.size):
        total = 0.0  # - dL/dlambda / 2, as dw/dlambda = -(w - m) / 2
        for i in range(start[j], start[j + 1]):
            total += gradient[member[i]] * (weights[member[i]] - mean[member[i]])
        result[j] = hierarchy.rate[j] * np.exp(estimate[j]) + 0.25 * total
    for output in range(hierarchy.noise.size):
        result[hierarchy.noise[output]] += noise_precision[output] * half_squares[output]
    layers = sizes.size - 1
    room = np.zeros((2, sizes.max()))
    above, below = room[0], room[1]
    products_at = 0
    for layer in range(layers):
        products_at += sizes[layer] * sizes[layer]
    for j in range(output_curvature.size):
        above[j] = output_curvature[j]
    for layer in range(layers - 1, -1, -1):
        sources, targets = sizes[layer], sizes[layer + 1]
        products_at -= sources * sources
        for i in range(sources):
            below[i] = 0.0
            for j in range(targets):
                k = weights_at[layer] + i * targets + j
                below[i] += slope**2 * above[j] * weights[k] ** 2
                if unit[k] < 0:
                    continue
                total = 0.0
                for other in range(sources):
                    at = weights_at[layer] + other * targets + j
                    if unit[at] == unit[k]:
                        product = products[products_at + i * sources + other]
                        total += product * (weights[at] - mean[at])
                result[unit[k]] += 0.25 * above[j] * (weights[k] - mean[k]) * total
        if bias_at[layer] >= 0:
            for j in range(targets):
                k = bias_at[layer] + j
                if unit[k] >= 0:
                    result[unit[k]] += 0.25 * cases * above[j] * (weights[k] - mean[k]) ** 2
        above, below = below, above
    return result

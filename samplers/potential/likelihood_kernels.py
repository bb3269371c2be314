"""Energies of the likelihoods on a block of cases, in SIMD registers.

A kernel reads the outputs, (outputs, block) from ``at`` in the units of a :class:`.Plan`, and the
targets from ``y_at`` of a block of which the first ``n`` cases count. It returns their energy times
the inverse temperature, and replaces the outputs by its derivative, zero for the cases that do not
count.

In single precision probabilities below 1e-20 count as that: carried back through the layers they
would become subnormal numbers, with which a processor computes a hundred times slower, and they
move nothing.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import gammaln

from ...models.likelihoods import (
    Bernoulli,
    Categorical,
    GaussianNoise,
    HeteroscedasticNoise,
    IntegratedNoise,
    Likelihood,
    Poisson,
    StudentTNoise,
)
from ...models.simd.elementary import exp, log, logistic, softplus
from ...models.simd.kernels import jit
from ...models.simd.lane_memory import load, number, put, store, total, width, zeros
from ...models.simd.lanes import by_precision, first_lanes, larger, where_equal


@jit
def squared_error(plan, k, tau, at, y_at, n):
    """Sum of squared errors of an output; replaces the output by ``tau`` times the error."""
    f, y, block = plan.units, plan.y, plan.block
    squares = zeros(f)
    for c in range(0, block, width(f)):
        here = at + k * block + c
        error = first_lanes(load(f, here) - load(y, y_at + k * block + c), n - c, 0.0)
        squares += error * error
        store(f, here, tau * error)
    return total(squares)


@jit
def gaussian_noise(plan, at, y_at, n):
    r"""Energy :math:`\tfrac12 \sum \tau_k (f_k - y_k)^2`."""
    energy = 0.0
    for k in range(plan.outputs):
        tau = plan.power * number(plan.precision, k)
        energy += 0.5 * tau * squared_error(plan, k, tau, at, y_at, n)
    return energy


@jit
def gaussian_noise_with_squares(plan, at, y_at, n):
    """The same; adds the squared errors of each output to numbers behind the precisions."""
    energy, outputs = 0.0, plan.outputs
    for k in range(outputs):
        tau = plan.power * number(plan.precision, k)
        squares = squared_error(plan, k, tau, at, y_at, n)
        put(plan.precision, outputs + k, number(plan.precision, outputs + k) + squares)
        energy += 0.5 * tau * squares
    return energy


@jit
def student_t(plan, k, at, y_at, n):
    r"""Energy of an output's t noise but for its precision's share of the constant.

    .. math:: \sum \tfrac{\nu + 1}{2} \log\Bigl(1 + \frac{\tau e^2}{\nu}\Bigr) + c_\nu

    Returns it with :math:`\sum w e^2`, where :math:`w = (\nu + 1) / (\nu + \tau e^2)` is what a
    case's precision is of that of all; replaces the output by :math:`\tau w e`.
    """
    f, y, block = plan.units, plan.y, plan.block
    tau, degrees = number(plan.precision, k), plan.first_setting
    share, after = tau / degrees, 0.5 * (degrees + 1.0)
    weight, constant = (degrees + 1.0) / degrees, plan.second_setting
    energy = squares = 0.0
    for c in range(0, block, width(f)):
        here = at + k * block + c
        error = first_lanes(load(f, here) - load(y, y_at + k * block + c), n - c, 0.0)
        inside = 1.0 + share * error * error
        energy += total(first_lanes(after * log(inside) + constant, n - c, 0.0))
        weighted = weight * error / inside
        squares += total(weighted * error)
        store(f, here, plan.power * tau * weighted)
    return energy, squares


@jit
def student_t_noise(plan, at, y_at, n):
    """Energy of t noise, see :func:`student_t`."""
    energy = 0.0
    for k in range(plan.outputs):
        energy += student_t(plan, k, at, y_at, n)[0]
    return plan.power * energy


@jit
def student_t_noise_with_squares(plan, at, y_at, n):
    """The same; adds the weighted squares of each output to numbers behind the precisions."""
    energy, outputs = 0.0, plan.outputs
    for k in range(outputs):
        added, squares = student_t(plan, k, at, y_at, n)
        energy += added
        put(plan.precision, outputs + k, number(plan.precision, outputs + k) + squares)
    return plan.power * energy


@jit
def without_power(plan, at):
    """No energy and no slopes, where exponentials of outputs may be infinite: the prior's."""
    f = plan.units
    for c in range(0, plan.outputs * plan.block, width(f)):
        store(f, at + c, zeros(f))
    return 0.0


@jit
def heteroscedastic_noise(plan, at, y_at, n):
    r"""Energy :math:`\sum \tfrac12 z^2 + \log (\sqrt{2\pi} \sigma)`, :math:`z = (y - f) / \sigma`.

    By the means it has the derivative :math:`-z / \sigma`, by :math:`\log \sigma` it is
    :math:`1 - z^2`.
    """
    f, y, block, targets = plan.units, plan.y, plan.block, plan.outputs // 2
    sd, spread = plan.first_setting, plan.second_setting
    if plan.power == 0.0:
        return without_power(plan, at)
    constant = 0.5 * np.log(2 * np.pi) + np.log(sd)
    energy = 0.0
    for k in range(targets):
        for c in range(0, block, width(f)):
            here, there = at + k * block + c, at + (targets + k) * block + c
            above = spread * load(f, there)
            inverse = (1.0 / sd) * exp(0.0 - above)
            z = inverse * (load(y, y_at + k * block + c) - load(f, here))
            energy += total(first_lanes(0.5 * z * z + (above + constant), n - c, 0.0))
            store(f, here, first_lanes(plan.power * (0.0 - inverse * z), n - c, 0.0))
            slope = (plan.power * spread) * (1.0 - z * z)
            store(f, there, first_lanes(slope, n - c, 0.0))
    return plan.power * energy


@jit
def poisson(plan, at, y_at, n):
    r"""Energy :math:`\sum \mu - y \log \mu + \log y!`, :math:`\mu = \mathrm{rate} \cdot e^f`.

    Behind the rows of the counts are those of :math:`\log y!`.
    """
    f, y, outputs, block = plan.units, plan.y, plan.outputs, plan.block
    rate = plan.first_setting
    if plan.power == 0.0:
        return without_power(plan, at)
    log_rate, energy = np.log(rate), 0.0
    for k in range(outputs):
        for c in range(0, block, width(f)):
            here = at + k * block + c
            count = load(y, y_at + k * block + c)
            log_factorial = load(y, y_at + (outputs + k) * block + c)
            above = load(f, here)
            mean = rate * exp(larger(above, floor(above)))
            terms = mean - count * (above + log_rate) + log_factorial
            energy += total(first_lanes(terms, n - c, 0.0))
            store(f, here, first_lanes(plan.power * (mean - count), n - c, 0.0))
    return plan.power * energy


@jit
def floor(x):
    """Logarithm of the smallest probability that is told from zero; in double precision, none."""
    return 0.0 - by_precision(x, 800.0, 46.0)


@jit
def bernoulli(plan, at, y_at, n):
    r"""Energy :math:`\sum \log(1 + e^f) - y f`."""
    f, y, block = plan.units, plan.y, plan.block
    energy = 0.0
    for c in range(0, block, width(f)):
        logit, success = load(f, at + c), load(y, y_at + c)
        against = (1.0 - 2.0 * success) * logit
        energy += total(first_lanes(softplus(larger(against, floor(logit))), n - c, 0.0))
        slope = plan.power * (logistic(larger(logit, floor(logit))) - success)
        store(f, at + c, first_lanes(slope, n - c, 0.0))
    return plan.power * energy


@jit
def categorical(plan, at, y_at, n):
    r"""Energy :math:`\sum \log \sum_k e^{f_k} - f_y`."""
    f, y, outputs, block = plan.units, plan.y, plan.outputs, plan.block
    energy = 0.0
    for c in range(0, block, width(f)):
        label, largest = load(y, y_at + c), load(f, at + c)
        for k in range(1, outputs):
            largest = larger(largest, load(f, at + k * block + c))
        chosen, summed = zeros(f), zeros(f)
        for k in range(outputs):
            here = at + k * block + c
            below = load(f, here) - largest
            chosen = where_equal(label, k, below, chosen)
            weight = exp(larger(below, floor(below)))
            summed += weight
            store(f, here, weight)
        energy += total(first_lanes(log(summed) - chosen, n - c, 0.0))
        for k in range(outputs):
            here = at + k * block + c
            error = load(f, here) / summed - where_equal(label, k, 1.0, 0.0)
            store(f, here, first_lanes(plan.power * error, n - c, 0.0))
    return plan.power * energy


@jit
def squared_errors(plan, at, y_at, n):
    """Add the squared errors of each output to ``plan.precision``; there is no energy."""
    f, y, outputs, block = plan.units, plan.y, plan.outputs, plan.block
    for k in range(outputs):
        summed = zeros(f)
        for c in range(0, block, width(f)):
            error = load(f, at + k * block + c) - load(y, y_at + k * block + c)
            summed += first_lanes(error * error, n - c, 0.0)
        put(plan.precision, k, number(plan.precision, k) + total(summed))
    return 0.0


LIKELIHOODS: dict[type[Likelihood], Callable] = {
    GaussianNoise: gaussian_noise,
    StudentTNoise: student_t_noise,
    HeteroscedasticNoise: heteroscedastic_noise,
    Poisson: poisson,
    Bernoulli: bernoulli,
    Categorical: categorical,
}

_SETTINGS: dict[type[Likelihood], Callable[[Any], tuple[float, float]]] = {
    IntegratedNoise: lambda noise: (noise.alpha, noise.alpha * noise.sd**2),
    StudentTNoise: lambda noise: (noise.degrees, _tail_constant(noise.degrees)),
    HeteroscedasticNoise: lambda noise: (noise.sd, noise.spread),
    Poisson: lambda counts: (counts.rate, 0.0),
}


def _tail_constant(degrees: float) -> float:
    r"""Log density at its centre of a normal distribution over that of a t distribution."""
    gammas = math.lgamma(0.5 * degrees + 0.5) - math.lgamma(0.5 * degrees)
    return 0.5 * math.log(0.5 * degrees) - gammas


def settings_of(likelihood: Likelihood) -> tuple[float, float]:
    """Two numbers of a likelihood that its kernel reads; zeros if it needs none.

    Of noise that is integrated out they are degrees of freedom :math:`m_0` and sum of squares
    :math:`s_0` of the prior of its precision (Neal 1992, Eq. 32).
    """
    first, second = _SETTINGS.get(type(likelihood), lambda given: (0.0, 0.0))(likelihood)
    return float(first), float(second)


def targets_of(likelihood: Likelihood, y: np.ndarray) -> np.ndarray:
    """Targets as a kernel reads them.

    Parameters
    ----------
    likelihood : Likelihood
        Their likelihood.
    y : ndarray, shape (cases,) or (cases, outputs)
        Encoded targets.

    Returns
    -------
    ndarray, shape (cases, rows)
        With what the kernel needs to know of them besides.
    """
    columns = np.asarray(y).reshape(len(y), -1)
    if type(likelihood) is Poisson:
        return np.concatenate([columns, gammaln(columns + 1.0)], axis=1)
    return columns

r"""Energy of a network's likelihood as one operation of PyTensor, which numba compiles to a kernel.

Its inputs are weights and noise precisions, which may be any expressions, and the network's data.
The gradient comes from the same pass through the network as the energy.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import disconnected_type
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from pytensor.tensor.variable import TensorVariable

from ....models.activations import Activation
from ....models.likelihoods import GaussianNoise, IntegratedNoise, Likelihood, StudentTNoise
from ....models.simd.function_digest import function_digest
from ....models.simd.internals import register_funcify_and_cache_key
from ....models.simd.kernels import jit
from ...compiled import engine
from ..likelihood_kernels import (
    LIKELIHOODS,
    gaussian_noise,
    gaussian_noise_with_squares,
    student_t_noise_with_squares,
)
from ..network_plan import plan
from ..network_potential import exact_data, network_energy, only_data

evaluate = data_of = finish = engine.bound_later


# What follows a pass through the network takes its energy and the gradient by the weights, and room
# for that by the precisions; it returns the energy of the likelihood with all constants.


@jit
def finish_alone(energy, by_weights, noise, slopes, data):
    """Energy of a likelihood without a precision, with all its constants."""
    return energy


@jit
def finish_noise(energy, by_weights, noise, slopes, data):
    r"""Add what a precision does to the constant of its noise.

    That is :math:`-\tfrac{\beta n}{2} \sum_k \log (\tau_k / 2\pi)`.

    Fills ``slopes``, the energy's derivative by each precision, from ``noise``: the precision of
    each output, then its sum of squared residuals, weighted if the noise is not normal.
    """
    outputs, total = data.curvature.size, 0.0
    for k in range(outputs):
        total += np.log(noise[k] / (2 * np.pi))
        slopes.flat[k % slopes.size] += noise[outputs + k] - data.cases / noise[k]
    for k in range(slopes.size):
        slopes.flat[k] *= 0.5 * data.inverse_temperature
    return energy - 0.5 * data.inverse_temperature * data.cases * total


@jit
def finish_integrated(energy, by_weights, noise, slopes, data):
    r"""Turn the energy at a precision of 1 into that of noise that is integrated out.

    .. math:: E = \beta \Bigl[\tfrac{m_0 + m}{2} \log\Bigl(1 + \frac{S}{s_0}\Bigr)
        - \log \frac{\Gamma((m_0 + m) / 2)}{\Gamma(m_0 / 2) (\pi s_0)^{m / 2}}\Bigr]

    (Neal 1992, Eqs. 33-34), where the pass gave :math:`\tfrac12 \beta S`. The gradient is that of
    the pass times the derivative by its energy.
    """
    power, degrees, scale = data.inverse_temperature, data.constants[0], data.constants[1]
    targets = data.cases * data.curvature.size
    squares, after = 2.0 * energy / power, 0.5 * (degrees + targets)
    slope = 2.0 * after / (scale + squares)
    for k in range(by_weights.size):
        by_weights[k] *= slope
    constant = math.lgamma(0.5 * degrees) - math.lgamma(after)
    constant += 0.5 * targets * np.log(np.pi * scale)
    return power * (after * np.log1p(squares / scale) + constant)


@jit
def room_for_noise(precision, data):
    """Precision of each output's noise, then room for its sum of squared residuals."""
    outputs = data.curvature.size
    noise = np.zeros(2 * outputs)
    for k in range(outputs):
        noise[k] = precision.flat[k % precision.size]
    return noise


def energy_and_slopes(weights, precision, network):
    """Energy of the likelihood, and its gradient by weights and noise precisions."""
    data = data_of(network)
    by_weights, by_precision = np.zeros(weights.size), np.zeros(precision.shape)
    energy = 0.0
    if data.inverse_temperature > 0.0:  # the prior knows nothing of where there is no likelihood
        noise = room_for_noise(precision, data)
        energy += evaluate(weights, by_weights, plan(data, noise))
        energy = finish(energy, by_weights, noise, by_precision, data)
    return np.asarray(energy), by_weights, by_precision


def energy_alone(weights, precision, network):
    """Energy of the likelihood."""
    data = data_of(network)
    energy = 0.0
    if data.inverse_temperature > 0.0:
        noise = room_for_noise(precision, data)
        energy += evaluate(weights, plan(data, noise))
        energy = finish(energy, np.zeros(0), noise, np.zeros(precision.size), data)
    return np.asarray(energy)


class NetworkEnergy(Op):
    """Energy of a network's likelihood, with its gradient, from weights and noise precisions.

    Parameters
    ----------
    activation : Activation
        Activation of the hidden units.
    likelihood : type of Likelihood
        Class of the likelihood.
    precision : {"float64", "float32"}
        Of the pass through the network.
    gradient : bool
        Whether the gradient is computed in the same pass.
    exact : bool
        Whether it takes the data in double precision that come with those in single precision.
    """

    __props__ = ("activation", "likelihood", "precision", "gradient", "exact")

    def __init__(
        self,
        activation: Activation,
        likelihood: type[Likelihood],
        precision: str,
        gradient: bool,
        exact: bool,
    ):
        self.activation, self.likelihood = activation, likelihood
        self.precision, self.gradient, self.exact = precision, gradient, exact

    def make_node(self, *inputs: Variable) -> Apply:
        """Apply to a vector of all weights, the noise's precisions, and the network's data."""
        slopes = [given.type() for given in inputs[:2]] if self.gradient else []
        return Apply(self, inputs, [pt.dscalar(), *slopes])

    def energy(self, *inputs: Variable) -> TensorVariable:
        """Energy alone of an application, whose gradient is in its other outputs."""
        return cast(TensorVariable, self.make_node(*inputs).outputs[0])

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """The data are not differentiated by."""
        return [[given is not node.inputs[2]] * len(node.outputs) for given in node.inputs]

    def perform(self, node: Apply, inputs: Sequence[Any], outputs: Any) -> None:
        """Compute nothing in Python; whoever uses it compiles it."""
        raise NotImplementedError("the energy of a network is compiled by numba alone")

    def pullback(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        cotangents: Sequence[Variable],
    ) -> list[Variable]:
        """Multiply the gradient that the pass computed."""
        cotangent, slopes = cast(Any, cotangents[0]), outputs[1:]
        return [*(cotangent * slope for slope in slopes), disconnected_type()]


WITH_NOISE: dict[type[Likelihood], tuple[Callable, Callable]] = {
    GaussianNoise: (gaussian_noise_with_squares, finish_noise),
    StudentTNoise: (student_t_noise_with_squares, finish_noise),
    IntegratedNoise: (gaussian_noise, finish_integrated),
}


@cache
def _compiled(op: NetworkEnergy) -> tuple[Callable, str | None]:
    noise = WITH_NOISE.get(op.likelihood)
    likelihood, finishing = noise or (LIKELIHOODS[op.likelihood], finish_alone)
    function = engine.bind(
        energy_and_slopes if op.gradient else energy_alone,
        evaluate=network_energy(op.activation, likelihood, op.gradient, op.precision),
        data_of=exact_data if op.exact else only_data,
        finish=finishing,
    )
    return function, function_digest(function)


@register_funcify_and_cache_key(NetworkEnergy)
def _compile_network_energy(op: NetworkEnergy, node=None, **kwargs):
    return _compiled(op)

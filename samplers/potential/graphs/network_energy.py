r"""Energy of a network's likelihood as one operation of PyTensor, which numba compiles to a kernel.

Its inputs are weights and noise precisions, which may be any expressions, and the network's data.
The gradient comes from the same pass through the network as the energy.
"""

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
from ....models.likelihoods import GaussianNoise, Likelihood
from ....models.simd.function_digest import function_digest
from ....models.simd.internals import register_funcify_and_cache_key
from ....models.simd.kernels import jit
from ...compiled import engine
from ..likelihood_kernels import LIKELIHOODS, gaussian_noise_with_squares
from ..network_plan import plan
from ..network_potential import exact_data, network_energy, only_data

evaluate = data_of = normalizer = engine.bound_later


@jit
def no_normalizer(noise, slopes, data):
    """Energy of the normalizing constant of class probabilities."""
    return 0.0


@jit
def noise_normalizer(noise, slopes, data):
    r"""Energy :math:`-\tfrac{\beta n}{2} \sum_k \log \tfrac{\tau_k}{2\pi}` of normal noise.

    Fills ``slopes``, the energy's derivative by each precision, from ``noise``: the precision of
    each output, then its sum of squared residuals.
    """
    outputs, total = data.curvature.size, 0.0
    for k in range(outputs):
        total += np.log(noise[k] / (2 * np.pi))
        slopes.flat[k % slopes.size] += noise[outputs + k] - data.cases / noise[k]
    for k in range(slopes.size):
        slopes.flat[k] *= 0.5 * data.inverse_temperature
    return -0.5 * data.inverse_temperature * data.cases * total


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
        energy += evaluate(weights, by_weights, plan(data, noise), data)
        energy += normalizer(noise, by_precision, data)
    return np.asarray(energy), by_weights, by_precision


def energy_alone(weights, precision, network):
    """Energy of the likelihood."""
    data = data_of(network)
    energy = 0.0
    if data.inverse_temperature > 0.0:
        noise = room_for_noise(precision, data)
        energy += evaluate(weights, plan(data, noise), data)
        energy += normalizer(noise, np.zeros(precision.size), data)
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


@cache
def _compiled(op: NetworkEnergy) -> tuple[Callable, str | None]:
    normal = op.likelihood is GaussianNoise
    likelihood = gaussian_noise_with_squares if normal else LIKELIHOODS[op.likelihood]
    function = engine.bind(
        energy_and_slopes if op.gradient else energy_alone,
        evaluate=network_energy(op.activation, likelihood, op.gradient, op.precision),
        data_of=exact_data if op.exact else only_data,
        normalizer=noise_normalizer if normal else no_normalizer,
    )
    return function, function_digest(function)


@register_funcify_and_cache_key(NetworkEnergy)
def _compile_network_energy(op: NetworkEnergy, node=None, **kwargs):
    return _compiled(op)

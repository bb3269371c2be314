r"""Energy of a network whose weights are functions of a block of variables.

.. math:: E(q) = \beta\, E_\mathrm{likelihood}(w(q), \tau(q)) + E_\mathrm{extra}(q)

The weights :math:`w` may be any function of the block and the held variables: raw coordinates times
scales that are in the block too (Choo 2000, Eq. 4.10), a reflection at walls, the inverse of a
distribution function. So may the precisions :math:`\tau` of Gaussian noise. Function and extra
terms stay PyTensor's graph; the likelihood is one operation in it, whose compiled form is the
fused kernel and whose pullback is the kernel's gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import disconnected_type
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from pytensor.graph.replace import graph_replace
from pytensor.link.c.type import generic
from pytensor.tensor.variable import TensorVariable

from ...models.activations import Activation
from ...models.likelihoods import GaussianNoise, Likelihood
from ...models.simd.function_digest import function_digest
from ...models.simd.internals import register_funcify_and_cache_key
from ...models.simd.kernels import jit
from ..compiled import engine
from ..precisions.prior_numbers import prior_numbers, with_numbers
from .cases_in_blocks import CasesInBlocks
from .likelihood_kernels import LIKELIHOODS, gaussian_noise_with_squares
from .network_plan import NetworkData, network_layout, plan
from .network_potential import DOUBLE, network_energy
from .parameters import noise_precision
from .parts import joined
from .recognition import likelihood_of, why_no_kernel
from .rest import Rest, graph_rest, no_workspace
from .temperature import current

if TYPE_CHECKING:
    from .conditional import Conditional

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


def recomputed(q, energy, data):
    """Energy in double precision."""
    return evaluate(q, no_workspace(data), data)


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
    """

    __props__ = ("activation", "likelihood", "precision", "gradient")

    def __init__(
        self, activation: Activation, likelihood: type[Likelihood], precision: str, gradient: bool
    ):
        self.activation, self.likelihood = activation, likelihood
        self.precision, self.gradient = precision, gradient

    def make_node(self, *inputs: Variable) -> Apply:
        """Apply to a vector of all weights, the noise's precisions, and the network's data."""
        slopes = [given.type() for given in inputs[:2]] if self.gradient else []
        return Apply(self, inputs, [pt.dscalar(), *slopes])

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
        return [cotangents[0] * outputs[1], cotangents[0] * outputs[2], disconnected_type()]


@cache
def _compiled(op: NetworkEnergy) -> tuple[Callable, str | None]:
    normal = op.likelihood is GaussianNoise
    likelihood = gaussian_noise_with_squares if normal else LIKELIHOODS[op.likelihood]
    function = engine.bind(
        energy_and_slopes if op.gradient else energy_alone,
        evaluate=network_energy(op.activation, likelihood, op.gradient, op.precision),
        data_of=DOUBLE[op.precision],
        normalizer=noise_normalizer if normal else no_normalizer,
    )
    return function, function_digest(function)


@register_funcify_and_cache_key(NetworkEnergy)
def _compile_network_energy(op: NetworkEnergy, node=None, **kwargs):
    return _compiled(op)


class MappedNetwork:
    """Likelihood of a network whose weights or noise depend on a block by a graph.

    Parameters
    ----------
    conditional : Conditional
        The block.
    """

    def __init__(self, conditional: Conditional):
        self.conditional, self.model = conditional, conditional.model
        self.precision = conditional.precision
        self.shapes = tuple(group.shape for group in self.model.groups.values())
        self._cases: dict[str, CasesInBlocks] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave the copy of the data behind."""
        return {**self.__dict__, "_cases": {}}

    def compile(self, gradient: bool) -> Rest:
        """Compile the energy of the rest, with or without its gradient."""
        rest = self._rest(gradient, self.precision)
        if self.precision == "float64":
            return rest
        energy = self._rest(False, "float64", rest.shared[1:])
        return rest._replace(exact=engine.bind(recomputed, evaluate=energy.evaluate))

    def _rest(self, gradient: bool, precision: str, given: Sequence[Any] = ()) -> Rest:
        """Compile it with some shared variables as inputs, in their order."""
        conditional, network = self.conditional, generic()
        q = pt.vector("q", shape=(conditional.layout.size,), dtype="float64")
        parts = conditional.parts(q) | {shared: shared.type() for shared in given}
        observed = self.model.declaration.observed
        extra = [term for variable, term in conditional.rest.items() if variable not in observed]
        *extra, noise = graph_replace([*extra, self._noise()], parts, strict=False)
        groups = graph_replace(self._groups(), parts, strict=False)
        model = self.model
        operation = NetworkEnergy(model.activation, likelihood_of(model), precision, gradient)
        outputs = operation(joined(groups, self.shapes), noise, network)
        likelihood = outputs[0] if gradient else outputs
        energy = conditional.energy(q, [*extra, -likelihood])
        held = [*conditional.held, network, *(parts[shared] for shared in given)]
        rest = graph_rest(energy, q, held, gradient)
        return rest._replace(shared=[self, *rest.shared])

    def _groups(self) -> list[TensorVariable]:
        """Weights that the network computes with, in terms of value variables."""
        computed = self.model.declaration.computed.values()
        return with_numbers(
            self.model.replace_rvs_by_values(list(computed)), prior_numbers(self.model)
        )

    def _noise(self) -> TensorVariable:
        """Precisions of normal noise, in terms of value variables."""
        return pt.ones(()) if self.model.likelihood.classifies else noise_precision(self.model)

    def get_value(self, borrow: bool = True) -> NetworkData:
        """What the kernel needs besides weights and precisions of the noise."""
        data = self._data(self.precision)
        return data if self.precision == "float64" else data._replace(exact=self._data("float64"))

    def _data(self, precision: str) -> NetworkData:
        model = self.model
        ends = np.cumsum([0, *map(np.prod, self.shapes)])
        starts = dict(zip(model.groups, ends, strict=False))
        layout = network_layout(model, starts)
        if precision not in self._cases:
            self._cases[precision] = CasesInBlocks(layout[0], int(ends[-1]), precision)
        arrays, room = self._cases[precision](model)
        outputs = np.ones(len(model.outputs))
        return NetworkData(*(*arrays, outputs, *layout, *room, current(model)))


def mapped_network(conditional: Conditional) -> MappedNetwork | None:
    """The likelihood of a network that depends on a block, if there is a kernel for it."""
    model = conditional.model
    if why_no_kernel(model) is not None or model.declaration.observed[0] not in conditional.rest:
        return None
    return MappedNetwork(conditional)

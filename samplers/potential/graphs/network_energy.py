r"""Energy of a network's likelihood as one operation of PyTensor, which numba compiles to a kernel.

Its inputs are weights and noise precisions, which may be any expressions, and the network's words,
which say where its data and the kernel lie. The gradient comes from the same pass as the energy.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

import numpy as np
import pytensor.tensor as pt
from numba import carray
from pytensor.gradient import disconnected_type
from pytensor.graph.basic import Apply, Variable
from pytensor.tensor.variable import TensorVariable

from ....models.activations import Activation
from ....models.likelihoods import Likelihood
from ....models.simd.internals import register_funcify_and_cache_key
from ....models.simd.kernels import jit
from ....models.simd.lane_memory import number, pointer
from ...compiled import engine
from ...compiled.entries import Entry, call
from ...compiled.words import real_at
from ..likelihood_kernels import kernel_of
from ..network_plan import CASES, FIRST_SETTING, OUTPUTS, POWER, SECOND_SETTING, WEIGHTS
from ..network_potential import network_entry
from ..rest import ALONE, WITH_GRADIENT
from .parts import CompiledOp, with_digest

finish = fill = engine.bound_later


# What follows a pass through the network takes its energy and the gradient by the weights, and room
# for that by the precisions; it returns the energy of the likelihood with all constants.


@jit
def finish_alone(energy, by_weights, noise, slopes, words):
    """Energy of a likelihood without a precision, with all its constants."""
    return energy


@jit
def finish_noise(energy, by_weights, noise, slopes, words):
    r"""Add what a precision does to the constant of its noise.

    That is :math:`-\tfrac{\beta n}{2} \sum_k \log (\tau_k / 2\pi)`.

    Fills ``slopes``, the energy's derivative by each precision, from ``noise``: the precision of
    each output, then its sum of squared residuals, weighted if the noise is not normal.
    """
    outputs, cases = number(words, OUTPUTS), number(words, CASES)
    power, total = real_at(words, POWER), 0.0
    for k in range(outputs):
        total += np.log(noise[k] / (2 * np.pi))
        slopes.flat[k % slopes.size] += noise[outputs + k] - cases / noise[k]
    for k in range(slopes.size):
        slopes.flat[k] *= 0.5 * power
    return energy - 0.5 * power * cases * total


@jit
def finish_integrated(energy, by_weights, noise, slopes, words):
    r"""Turn the energy at a precision of 1 into that of noise that is integrated out.

    .. math:: E = \beta \Bigl[\tfrac{m_0 + m}{2} \log\Bigl(1 + \frac{S}{s_0}\Bigr)
        - \log \frac{\Gamma((m_0 + m) / 2)}{\Gamma(m_0 / 2) (\pi s_0)^{m / 2}}\Bigr]

    (Neal 1992, Eqs. 33-34), where the pass gave :math:`\tfrac12 \beta S`. The gradient is that of
    the pass times the derivative by its energy.
    """
    power, degrees = real_at(words, POWER), real_at(words, FIRST_SETTING)
    scale, targets = real_at(words, SECOND_SETTING), number(words, CASES) * number(words, OUTPUTS)
    squares, after = 2.0 * energy / power, 0.5 * (degrees + targets)
    slope = 2.0 * after / (scale + squares)
    for k in range(by_weights.size):
        by_weights[k] *= slope
    constant = math.lgamma(0.5 * degrees) - math.lgamma(after)
    constant += 0.5 * targets * np.log(np.pi * scale)
    return power * (after * np.log1p(squares / scale) + constant)


@jit
def room_for_noise(precision, words):
    """Precision of each output's noise, then room for its sum of squared residuals."""
    outputs = number(words, OUTPUTS)
    noise = np.zeros(2 * outputs)
    for k in range(outputs):
        noise[k] = precision.flat[k % precision.size]
    return noise


def fill_slopes(weights, precision, by_weights, by_precision, words):
    """Energy of the likelihood; adds its gradient by weights and noise precisions to zeros."""
    energy = 0.0
    if real_at(words, POWER) > 0.0:  # the prior knows nothing of where there is no likelihood
        noise = room_for_noise(precision, words)
        address, given = number(words, WITH_GRADIENT), pointer(noise, 0)
        energy += call(address, pointer(weights, 0), pointer(by_weights, 0), given, words)
        energy = finish(energy, by_weights, noise, by_precision, words)
    return energy


def fill_nothing(weights, precision, by_weights, by_precision, words):
    """Energy of the likelihood."""
    energy = 0.0
    if real_at(words, POWER) > 0.0:
        noise = room_for_noise(precision, words)
        at, given = pointer(weights, 0), pointer(noise, 0)
        energy += call(number(words, ALONE), at, at, given, words)
        energy = finish(energy, np.zeros(0), noise, np.zeros(precision.size), words)
    return energy


def energy_and_slopes(weights, precision, network):
    """Energy of the likelihood, and its gradient by weights and noise precisions."""
    by_weights, by_precision = np.zeros(weights.size), np.zeros(precision.shape)
    energy = fill(weights, precision, by_weights, by_precision, pointer(network, 0))
    return np.asarray(energy), by_weights, by_precision


def energy_alone(weights, precision, network):
    """Energy of the likelihood."""
    nothing = np.zeros(0)
    return np.asarray(fill(weights, precision, nothing, nothing, pointer(network, 0)))


def energy_at(q, gradient, extra, words):
    """Entry of the same: ``extra`` has the precision of each output, then room for its slope."""
    size, outputs = number(words, WEIGHTS), number(words, OUTPUTS)
    noise = carray(extra, (2, outputs))
    return fill(carray(q, (size,)), noise[0], carray(gradient, (size,)), noise[1], words)


class NetworkEnergy(CompiledOp):
    """Energy of a network's likelihood, with its gradient, from weights and noise precisions.

    Parameters
    ----------
    likelihood : type of Likelihood
        Class of the likelihood.
    gradient : bool
        Whether the gradient is computed in the same pass.
    """

    __props__ = ("likelihood", "gradient")

    def __init__(self, likelihood: type[Likelihood], gradient: bool):
        self.likelihood, self.gradient = likelihood, gradient

    def make_node(self, *inputs: Variable) -> Apply:
        """Apply to a vector of all weights, the noise's precisions, and the network's words."""
        slopes = [given.type() for given in inputs[:2]] if self.gradient else []
        return Apply(self, inputs, [pt.dscalar(), *slopes])

    def energy(self, *inputs: Variable) -> TensorVariable:
        """Energy alone of an application, whose gradient is in its other outputs."""
        return cast(TensorVariable, self.make_node(*inputs).outputs[0])

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """The data are not differentiated by."""
        return [[given is not node.inputs[2]] * len(node.outputs) for given in node.inputs]

    def pullback(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        cotangents: Sequence[Variable],
    ) -> list[Variable]:
        """Multiply the gradient that the pass computed."""
        cotangent, slopes = cast(Any, cotangents[0]), outputs[1:]
        return [*(cotangent * slope for slope in slopes), disconnected_type()]


def pass_for(
    activation: Activation, likelihood: type[Likelihood], gradient: bool, precision: str
) -> dict[int, Entry]:
    """Compile the pass through a network that the operation calls, by the word that says so."""
    kernel = kernel_of(likelihood)
    energy = kernel.with_squares or kernel.energy
    entry = network_entry(activation, energy, gradient, precision, given_noise=True)
    return {WITH_GRADIENT if gradient else ALONE: entry}


def _finish(likelihood: type[Likelihood]) -> Callable:
    """What follows the pass."""
    kernel = kernel_of(likelihood)
    if kernel.integrated:
        return finish_integrated
    return finish_alone if kernel.with_squares is None else finish_noise


@cache
def _fill(op: NetworkEnergy) -> Callable:
    template = fill_slopes if op.gradient else fill_nothing
    return engine.bind(template, finish=_finish(op.likelihood))


def network_pass(op: NetworkEnergy) -> Entry:
    """Return the operation as what compiled code calls by its address, see :func:`energy_at`."""
    return engine.entry(energy_at, fill=_fill(op))


@register_funcify_and_cache_key(NetworkEnergy)
def _compile_network_energy(op: NetworkEnergy, node=None, **kwargs):
    template = energy_and_slopes if op.gradient else energy_alone
    return with_digest(engine.bind(template, fill=_fill(op)))

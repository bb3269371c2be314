"""The part of a block's potential energy that is not a conditionally normal prior, compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pytensor
import pytensor.tensor as pt
from pymc.blocking import PointType
from pymc.pytensorf import rewrite_pregrad
from pytensor.graph.basic import Variable
from pytensor.tensor.variable import TensorVariable

from ...models.simd.kernels import copy_into, jit
from ..compiled import engine

if TYPE_CHECKING:
    from .conditional import Conditional

type Potential = Callable[[PointType], tuple[float, np.ndarray]]  # energy and gradient of a block

graph = allocate = rest = engine.bound_later


class Rest(NamedTuple):
    """A compiled energy, callable from compiled code.

    Attributes
    ----------
    allocate : callable
        ``(data) -> workspace``, called once per trajectory or sweep; the data have to stay alive.
    evaluate : callable
        ``(q, gradient, workspace) -> energy``, which fills ``gradient``, shape (size,);
        or ``(q, workspace) -> energy``.
    shared : list of SharedVariable
        Data containers whose values belong into ``data``, after the held variables.
    exact : callable
        ``(q, energy, data) -> energy``, which computes an energy of lower precision again.
    view : callable
        ``(array) -> q, gradient`` or others, as ``evaluate`` takes them at least cost: a pointer,
        whose array has to stay alive, or the array.
    """

    allocate: Callable
    evaluate: Callable
    shared: Sequence[Any]
    exact: Callable
    view: Callable


@jit
def as_computed(q, energy, data):
    """Energy that needs no second computation."""
    return energy


@jit
def itself(given):
    """Data or an array as they are, for potentials that take them so."""
    return given


def energy_and_gradient(q, gradient, data):
    """Evaluate a bound ``graph`` that returns energy and gradient."""
    energy, slope = graph(q, *data)
    copy_into(gradient, slope)
    return energy[()]


def energy_only(q, data):
    """Evaluate a bound ``graph`` that returns the energy."""
    return graph(q, *data)[0][()]


def probe(q, data):
    """Energy and gradient at one position."""
    gradient = np.empty(q.size)
    energy = rest(q, gradient, allocate(data))
    return energy, gradient


def compile_probe(conditional: Conditional, rest: Rest) -> Potential:
    """Compile the potential of a block by itself, for steps whose dynamics do not show it.

    Parameters
    ----------
    conditional : Conditional
        The block.
    rest : Rest
        Its compiled energy, with gradient.

    Returns
    -------
    callable
        From a point to the energy and its gradient.
    """
    compiled = engine.specialize(probe, allocate=rest.allocate, rest=rest.evaluate)

    def potential(point: PointType) -> tuple[float, np.ndarray]:
        q, parameters = conditional.layout.ravel(point), conditional.parameters(point)
        energy, gradient = compiled(q, conditional.data(rest, point, parameters))
        prior_energy, prior_gradient = parameters.normal_priors(q)
        return energy + prior_energy, gradient + prior_gradient

    return potential


def differentiate(energy: TensorVariable, q: TensorVariable) -> tuple[Variable, Variable]:
    """Return an energy, stabilised, and its gradient.

    Parameters
    ----------
    energy : TensorVariable
        Scalar.
    q : TensorVariable
        Vector to differentiate with respect to.

    Returns
    -------
    energy, gradient : tuple of TensorVariable
    """
    energy = rewrite_pregrad(energy)
    return energy, cast(Variable, pytensor.grad(energy, q, disconnected_inputs="ignore"))


def graph_rest(
    energy: TensorVariable, q: TensorVariable, held: Sequence[Variable], gradient: bool
) -> Rest:
    """Compile the energy that a PyTensor graph describes.

    Parameters
    ----------
    energy : TensorVariable
        Scalar energy.
    q : TensorVariable
        The block, as a vector.
    held : sequence of Variable
        Value variables that are held fixed.
    gradient : bool
        Whether the gradient is needed too.

    Returns
    -------
    Rest
    """
    if gradient:
        outputs: Sequence[Variable] = differentiate(energy, q)
        template: Callable = energy_and_gradient
    else:
        outputs = [rewrite_pregrad(energy), pt.zeros(())]
        template = energy_only
    compiled = engine.compile_graph([q, *held], outputs)
    evaluate = engine.bind(template, graph=compiled.function)
    return Rest(itself, evaluate, compiled.shared, as_computed, itself)

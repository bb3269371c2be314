"""The energy that a PyTensor graph describes, for compiled code to call."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, cast

import numpy as np
import pytensor
import pytensor.tensor as pt
from numba import carray
from pymc.pytensorf import rewrite_pregrad
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Variable
from pytensor.graph.traversal import graph_inputs
from pytensor.tensor.type import TensorType
from pytensor.tensor.variable import TensorVariable

from ....models.simd.kernels import copy_into
from ....models.simd.lane_memory import put
from ...compiled import engine
from ...compiled.words import array_type, arrays_from, described, written
from ..rest import ALONE, HEAD, WITH_GRADIENT, EnergyData, Rest, addresses, rest_of_entries
from ..tape.graph_tape import GraphTape
from ..tape.views import UntranslatedError

graph = shape = arrays = engine.bound_later


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


def fill_gradient(q, gradient, extra, words):
    """Entry of a graph that returns energy and gradient."""
    energy, slope = graph(carray(q, shape), *arrays(words))
    for i in range(slope.size):
        put(gradient, i, slope[i])
    return energy[()]


def energy_alone(q, gradient, extra, words):
    """Entry of a graph that returns the energy."""
    return graph(carray(q, shape), *arrays(words))[0][()]


def graph_rest(
    energy: TensorVariable, q: TensorVariable, held: Sequence[Variable], gradient: bool
) -> Rest:
    """Return the energy that a PyTensor graph describes.

    The code of a tape computes it (see :mod:`..tape`), or what PyTensor compiles, if the graph does
    what no instruction does.

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
    outputs = differentiate(energy, q) if gradient else (rewrite_pregrad(energy),)
    shared = [v for v in graph_inputs(outputs) if isinstance(v, SharedVariable)]
    given = [*held, *shared]
    if not (engine.available() and all(isinstance(v.type, TensorType) for v in given)):
        return _compiled_rest(outputs, q, held, gradient)
    tape = GraphTape(outputs, held, q)
    compiled = cache(lambda: _compiled_rest(outputs, q, held, gradient))

    def pack(values: Sequence[Any]) -> EnergyData:
        if tape.translates:
            with suppress(UntranslatedError):
                return EnergyData(tape.words(values, WITH_GRADIENT if gradient else ALONE))
        return compiled().pack(values)

    return rest_of_entries(pack, gradient)


def _compiled_rest(
    outputs: Sequence[Variable], q: TensorVariable, held: Sequence[Variable], gradient: bool
) -> Rest:
    """Compile a graph."""
    compiled = engine.compile_graph([q, *held], outputs if gradient else [*outputs, pt.zeros(())])
    given: list[Any] = [*held, *compiled.shared]
    if not (engine.available() and all(isinstance(v.type, TensorType) for v in given)):
        return _rest_of_arguments(compiled, gradient)
    kinds = [(v.type.dtype, v.type.ndim) for v in given]
    entry = engine.entry(
        fill_gradient if gradient else energy_alone,
        graph=compiled.function,
        shape=q.type.shape,
        arrays=arrays_from(HEAD, tuple(array_type(*kind) for kind in kinds)),
    )
    entries = {WITH_GRADIENT if gradient else ALONE: entry}

    def pack(values: Sequence[Any]) -> EnergyData:
        values = *values, *(v.get_value(borrow=True) for v in compiled.shared)
        read = [
            np.asarray(value, dtype, order="C")
            for value, (dtype, _) in zip(values, kinds, strict=True)
        ]
        words = [*addresses(entries), *(word for array in read for word in described(array))]
        return EnergyData(written(words, (entry, read)))

    return rest_of_entries(pack, gradient)


def with_gradient_of_graph(q, gradient, data):
    """Evaluate a ``graph`` that returns energy and gradient."""
    energy, slope = graph(q, *data)
    copy_into(gradient, slope)
    return energy[()]


def energy_of_graph(q, data):
    """Evaluate a ``graph`` that returns the energy."""
    return graph(q, *data)[0][()]


def _itself(given):
    return given


def _as_computed(q, energy, data):
    return energy


def _rest_of_arguments(compiled: engine.Compiled, gradient: bool) -> Rest:
    """Energy of a graph that Python calls, or that takes other things than arrays."""
    template: Callable = with_gradient_of_graph if gradient else energy_of_graph
    evaluate, itself = engine.bind(template, graph=compiled.function), engine.bind(_itself)

    def pack(values: Sequence[Any]) -> tuple:
        return *values, *(v.get_value(borrow=True) for v in compiled.shared)

    return Rest(itself, evaluate, engine.bind(_as_computed), itself, pack)

"""Layers of networks, by the kernels that numba has for them.

A tape keeps what layers take and give with a row of all cases for each unit, as the kernels do.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numba import carray
from pytensor.graph.basic import Apply

from ....models.activations import activation
from ....models.layer import InputPullback, Layer, LayerPullback
from ....models.simd import kernels
from ....models.simd.kernels import jit
from ....models.simd.lane_memory import number, pointer, put
from ...compiled import engine
from .translation import Translation, instruct
from .views import UntranslatedError, Value, View

kernel = engine.bound_later


@jit
def matrix_of(memory, words, k):
    """Operand ``k`` of a call as a matrix whose rows lie one after the other."""
    at, shape = number(words, 3 * k), (number(words, 3 * k + 1), number(words, 3 * k + 2))
    return carray(pointer(memory, at), shape)


@jit
def units_of(memory, words, k):
    """Operand ``k`` of a call as a matrix of cases and units, whose columns lie in a row."""
    at, shape = number(words, 3 * k), (number(words, 3 * k + 2), number(words, 3 * k + 1))
    return carray(pointer(memory, at), shape).T


@jit
def keep(memory, words, k, found):
    """Write operand ``k`` of a call from numbers that lie in a row."""
    at = number(words, 3 * k)
    for i in range(found.size):
        put(memory, at + i, found[i])


def with_biases_at(q, gradient, extra, words):
    """Entry of a layer: output, then inputs, weights and biases."""
    x, weights = units_of(q, words, 1), matrix_of(q, words, 2)
    out = kernel(x, weights, matrix_of(q, words, 3).reshape(-1))
    keep(q, words, 0, out.T.reshape(-1))
    return 0.0


def without_biases_at(q, gradient, extra, words):
    """Entry of a layer without biases, or of its pullback: units from units and weights."""
    out = kernel(units_of(q, words, 1), matrix_of(q, words, 2))
    keep(q, words, 0, out.T.reshape(-1))
    return 0.0


def pullback_at(q, gradient, extra, words):
    """Entry of a layer's pullback: its three outputs, then inputs, output and cotangent."""
    x, output, cotangent = units_of(q, words, 3), units_of(q, words, 4), units_of(q, words, 5)
    affine, weights, biases = kernel(x, output, cotangent)
    keep(q, words, 0, affine.T.reshape(-1))
    keep(q, words, 1, weights.reshape(-1))
    keep(q, words, 2, biases)
    return 0.0


def _units(value: Value, tape: Translation) -> View:
    """Cases and units, with a row for each unit."""
    if isinstance(value, np.ndarray):
        return tape.view(value.T).ordered((1, 0))
    transposed = value.ordered((1, 0))
    return tape.layout.copied(transposed).ordered((1, 0))


def _rows(value: Value, tape: Translation) -> View:
    return tape.layout.copied(tape.view(value))


def _new_units(cases: int, units: int, tape: Translation) -> View:
    return tape.layout.new((units, cases)).ordered((1, 0))


def _check_matrices(node: Apply) -> None:
    """Refuse layers over batches, and of other numbers than the kernels take."""
    types = [cast(Any, variable.type) for variable in (*node.inputs, *node.outputs)]
    if any(kind.dtype != "float64" or kind.ndim > 2 for kind in types):
        raise UntranslatedError("a layer over batches, or in another precision")
    if cast(Any, node.outputs[0].type).ndim != 2:
        raise UntranslatedError("a layer of a single case")


def _check_lengths(*pairs: tuple[int, int]) -> None:
    """Refuse matrices that do not fit, which the kernels would read beyond their ends."""
    if any(one != other for one, other in pairs):
        raise UntranslatedError("layers that do not fit")


@instruct.register(Layer)
def _(op: Layer, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    _check_matrices(node)
    x, weights = _units(given[0], tape), _rows(given[1], tape)
    biases = [_rows(value, tape) for value in given[2:]]
    sources, targets = weights.shape
    _check_lengths((x.shape[1], sources), *((bias.shape[0], targets) for bias in biases))
    out = _new_units(x.shape[0], targets, tape)
    forward = kernels.layer_forward(activation(op.activation), bool(biases))
    template = with_biases_at if biases else without_biases_at
    tape.call(engine.entry(template, kernel=forward), out, x, weights, *biases)
    return [out]


@instruct.register(LayerPullback)
def _(op: LayerPullback, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    _check_matrices(node)
    x, output, cotangent = (_units(value, tape) for value in given)
    cases, targets = output.shape
    _check_lengths((x.shape[0], cases), *zip(cotangent.shape, output.shape, strict=True))
    affine = _new_units(cases, targets, tape)
    weights, biases = tape.layout.new((x.shape[1], targets)), tape.layout.new((targets,))
    pullback = engine.entry(pullback_at, kernel=kernels.layer_pullback(activation(op.activation)))
    tape.call(pullback, affine, weights, biases, x, output, cotangent)
    return [affine, weights, biases]


@instruct.register(InputPullback)
def _(op: InputPullback, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    _check_matrices(node)
    affine, weights = _units(given[0], tape), _rows(given[1], tape)
    _check_lengths((affine.shape[1], weights.shape[1]))
    out = _new_units(affine.shape[0], weights.shape[0], tape)
    tape.call(engine.entry(without_biases_at, kernel=kernels.input_pullback), out, affine, weights)
    return [out]

"""What the kernel of a network works on, and where it lies."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...models.bnn import BNN
from ...models.simd.kernels import jit
from ...models.simd.lane_memory import number, pointer
from ..compiled.entries import Entry
from ..compiled.words import address, bits, copied, doubles_at, integers_at, real_at, singles_at
from .blocks import aligned
from .rest import HEAD, NO_WORDS, addresses

INPUTS, TARGETS, PRECISION = HEAD, HEAD + 1, HEAD + 2
OUTPUTS, WEIGHTS, CASES = HEAD + 7, HEAD + 8, HEAD + 9
POWER, FIRST_SETTING, SECOND_SETTING = HEAD + 18, HEAD + 19, HEAD + 20

type NetworkLayout = tuple[np.ndarray, np.ndarray, np.ndarray]


class NetworkData(NamedTuple):
    """What the kernel of a network needs besides its weights.

    Attributes
    ----------
    X, y : ndarray
        Inputs and targets in blocks of cases (see :mod:`.blocks`), targets of a classifier as one
        row of codes.
    curvature : ndarray, shape (outputs,)
        Second derivative of a case's energy by each output; of Gaussian noise its precision.
    sizes : ndarray of int
        Units of each layer, inputs first.
    weights_at, bias_at : ndarray of int
        Where each layer's weights and biases start in the block's vector; -1 if it has none.
    cases, block, y_rows : int
        Number of cases, of those in a block, and of rows of y.
    units, below, above, spare, rounded : ndarray
        What :func:`workspace` returns.
    inverse_temperature : float
        Power of the likelihood.
    settings : tuple of float
        Two numbers of the likelihood, see :func:`.likelihood_kernels.settings_of`.
    words : ndarray of int64
        What :func:`network_words` made of all others.
    """

    X: np.ndarray
    y: np.ndarray
    curvature: np.ndarray
    sizes: np.ndarray
    weights_at: np.ndarray
    bias_at: np.ndarray
    cases: int
    block: int
    y_rows: int
    units: np.ndarray
    below: np.ndarray
    above: np.ndarray
    spare: np.ndarray
    rounded: np.ndarray
    inverse_temperature: float
    settings: tuple[float, float] = (0.0, 0.0)
    words: np.ndarray = NO_WORDS


class Plan(NamedTuple):
    """Where the kernel finds its numbers, as pointers into the arrays of its data.

    Attributes
    ----------
    X, y, precision : pointer
        Inputs and targets in blocks of cases, and the precision of each output's noise.
    power : float
        Inverse temperature of the likelihood.
    first_setting, second_setting : float
        Settings of the likelihood.
    sizes, weights_at, bias_at : pointer
        Units of each layer, and where its weights and biases start in the block's vector.
    layers, outputs, weights, cases, block, x_step, y_step : int
        Counts, and how many numbers of X and y a block has.
    units, below, above, spare, rounded : pointer
        Room for all layers' outputs, two cotangents, a product, and weights.
    """

    X: Any
    y: Any
    precision: Any
    power: float
    first_setting: float
    second_setting: float
    sizes: Any
    weights_at: Any
    bias_at: Any
    layers: int
    outputs: int
    weights: int
    cases: int
    block: int
    x_step: int
    y_step: int
    units: Any
    below: Any
    above: Any
    spare: Any
    rounded: Any


def network_layout(model: BNN, starts: Mapping[str, int]) -> NetworkLayout:
    """Units of each layer, and where its weights and biases start (-1: none)."""
    sizes = [len(model.inputs), *model.hidden, len(model.output_units)]
    weights = [starts[f"w{i}"] for i in range(len(sizes) - 1)]
    biases = [starts.get(f"b{i}", -1) for i in range(len(sizes) - 1)]
    return np.array(sizes), np.array(weights), np.array(biases)


def workspace(sizes: np.ndarray, weights: int, block: int, dtype: str) -> tuple[np.ndarray, ...]:
    """Room that a kernel needs: all units, two cotangents, a product of BLAS, and the weights.

    The product is that of two layers, or of a hidden layer with itself.

    Parameters
    ----------
    sizes : ndarray of int
        Units of each layer, inputs first.
    weights : int
        Number of all weights and biases.
    block : int
        Cases of a block.
    dtype : {"float64", "float32"}
        Precision of the kernel.

    Returns
    -------
    tuple of five ndarray
        Each begins with a line of the cache, so that no register spans two.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.potential.network_plan import workspace
    >>> [room.size for room in workspace(np.array([2, 8, 1]), 33, 16, "float64")]
    [144, 128, 128, 64, 33]
    """
    widest = block * sizes[1:].max()
    largest = max((sizes[1:] * sizes[:-1]).max(), (sizes[1:-1] ** 2).max(initial=0))
    counts = (block * sizes[1:].sum(), widest, widest, largest, weights)
    return tuple(aligned(int(count), dtype) for count in counts)


def fixed_words(data: NetworkData, entries: Mapping[int, Entry]) -> np.ndarray:
    """Words from which a plan is read, all but those that :func:`network_words` adds.

    Parameters
    ----------
    data : NetworkData
        The data.
    entries : mapping of int to Entry
        Functions that read the words (see :class:`.rest.Rest`).

    Returns
    -------
    ndarray of int64
    """
    layout = (data.sizes, data.weights_at, data.bias_at)
    room = (data.units, data.below, data.above, data.spare, data.rounded)
    return np.array(
        [
            *addresses(entries),
            *map(address, (data.X, data.y, data.curvature, *layout)),
            *(data.sizes.size - 1, data.curvature.size, data.rounded.size, data.cases, data.block),
            *(int(data.sizes[0]) * data.block, data.y_rows * data.block),
            *map(address, room),
            *map(bits, (data.inverse_temperature, *data.settings)),
        ]
    )


def with_data(fixed: np.ndarray, data: NetworkData) -> np.ndarray:
    """Copy words of :func:`fixed_words`, with other inputs and targets of the same shapes."""
    words = fixed.copy()
    words[INPUTS], words[TARGETS] = address(data.X), address(data.y)
    return words


def network_words(fixed: np.ndarray, curvature: np.ndarray, power: float, alive: Any) -> np.ndarray:
    """Return words with precisions and an inverse temperature, which keep something alive."""
    words = copied(fixed, (alive, curvature))
    words[PRECISION] = address(curvature)
    words.view(np.float64)[POWER] = power
    return words


@jit
def precision_at(words):
    """Pointer to the precision of each output's noise."""
    return doubles_at(words, PRECISION)


def _plans_with(pointer_at):
    @jit
    def plan_at(words, precision):
        return Plan(
            pointer_at(words, INPUTS),
            pointer_at(words, TARGETS),
            precision,
            real_at(words, POWER),
            real_at(words, FIRST_SETTING),
            real_at(words, SECOND_SETTING),
            integers_at(words, HEAD + 3),
            integers_at(words, HEAD + 4),
            integers_at(words, HEAD + 5),
            number(words, HEAD + 6),
            number(words, OUTPUTS),
            number(words, HEAD + 8),
            number(words, CASES),
            number(words, HEAD + 10),
            number(words, HEAD + 11),
            number(words, HEAD + 12),
            pointer_at(words, HEAD + 13),
            pointer_at(words, HEAD + 14),
            pointer_at(words, HEAD + 15),
            pointer_at(words, HEAD + 16),
            pointer_at(words, HEAD + 17),
        )

    return plan_at


PLANS = {"float64": _plans_with(doubles_at), "float32": _plans_with(singles_at)}
_plan_at = PLANS["float64"]


@jit
def plan_of(data):
    """Plan for data in double precision."""
    words = pointer(data.words, 0)
    return _plan_at(words, precision_at(words))

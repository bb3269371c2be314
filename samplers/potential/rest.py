"""The part of a block's potential energy that is not a conditionally normal prior, compiled.

What moves a block calls this energy by its address (see :mod:`..compiled.entries`), and so is
compiled once for all models. Without PyTensor's numba backend Python calls it.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pymc.blocking import PointType

from ...models.simd.kernels import inlined, jit
from ...models.simd.lane_memory import number, pointer
from ..compiled import engine
from ..compiled.entries import Entry, call

if TYPE_CHECKING:
    from .conditional import Conditional

type Potential = Callable[[PointType], tuple[float, np.ndarray]]  # energy and gradient of a block

graph = shape = arrays = allocate = rest = exact = engine.bound_later

# words that are addresses of entries: of an energy, and what else sweeps ask of a network
WITH_GRADIENT, ALONE, SQUARES, PRODUCTS, FEATURES = range(5)
HEAD = 5  # what an entry reads begins after them
NO_WORDS = np.empty(0, np.int64)


class EnergyData(NamedTuple):
    """What compiled code needs to compute an energy.

    Attributes
    ----------
    words : ndarray of int64
        Addresses of the functions that compute it, then what they read.
    exact : ndarray of int64
        The same in double precision, if this is in single precision; otherwise empty.
    """

    words: np.ndarray
    exact: np.ndarray = NO_WORDS


class Rest(NamedTuple):
    """A compiled energy, for templates to be bound to.

    Attributes
    ----------
    allocate : callable
        ``(data) -> workspace``, called once per trajectory or sweep; the data have to stay alive.
    evaluate : callable
        ``(q, gradient, workspace) -> energy``, which fills ``gradient``, shape (size,);
        or ``(q, workspace) -> energy``.
    exact : callable
        ``(q, energy, data) -> energy``, which computes an energy of lower precision again.
    view : callable
        ``(array) -> q, gradient`` or others, as ``evaluate`` takes them at least cost: a pointer,
        whose array has to stay alive, or the array.
    pack : callable
        From what the energy depends on besides the block to the data: for a graph the values of
        the held variables, for the kernel of a network the block's :class:`.Parameters`.
    """

    allocate: Callable
    evaluate: Callable
    exact: Callable
    view: Callable
    pack: Callable[[Any], Any]


def addresses(entries: Mapping[int, Entry]) -> list[int]:
    """First words of data: where the functions are that read the others, or 0."""
    return [entries[word].address if word in entries else 0 for word in range(HEAD)]


@jit
def words_of(data):
    """Pointer to the words of data."""
    return pointer(data.words, 0)


@inlined
def called_with_gradient(q, gradient, words):
    """Call the entry that fills a gradient."""
    address = number(words, WITH_GRADIENT)
    return call(address, pointer(q, 0), pointer(gradient, 0), pointer(gradient, 0), words)


@inlined
def called_alone(q, words):
    """Call the entry that computes the energy alone."""
    address = number(words, ALONE)
    return call(address, pointer(q, 0), pointer(q, 0), pointer(q, 0), words)


@jit
def computed_again(q, energy, data):
    """Energy in double precision."""
    if data.exact.size == 0:
        return energy
    return called_alone(q, pointer(data.exact, 0))


@jit
def start_of(array):
    """Pointer to the numbers of an array, so that no references to it are counted."""
    return pointer(array, 0)


def rest_of_entries(pack: Callable[[Any], Any], gradient: bool) -> Rest:
    """Return an energy that compiled code calls by its address: all differ by their data alone."""
    evaluate = called_with_gradient if gradient else called_alone
    return Rest(words_of, evaluate, computed_again, start_of, pack)


CALLED = rest_of_entries(engine.bound_later, gradient=True)  # without data


def probe(q, data):
    """Energy, in double precision, and gradient at one position."""
    gradient = np.empty(q.size)
    energy = rest(q, gradient, allocate(data))
    return exact(q, energy, data), gradient


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
    functions = {"allocate": rest.allocate, "rest": rest.evaluate, "exact": rest.exact}
    compiled = engine.specialize(probe, **functions)

    def potential(point: PointType) -> tuple[float, np.ndarray]:
        q, parameters = conditional.layout.ravel(point), conditional.parameters(point)
        energy, gradient = compiled(q, conditional.data(rest, point, parameters))
        prior_energy, prior_gradient = parameters.normal_priors(q)
        return energy + prior_energy, gradient + prior_gradient

    return potential

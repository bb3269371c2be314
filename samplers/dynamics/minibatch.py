r"""Gradients from some of the cases, drawn anew for every gradient.

With :math:`n` of :math:`N` cases, drawn without replacement,

.. math:: \nabla \tilde E(q) = \nabla E_\mathrm{prior}(q) + \frac{N}{n} \sum_{i \in S} \nabla E_i(q)

has the gradient of the whole potential energy as its mean (Welling & Teh 2011, Eq. 4; Lau 2018,
3.3). The chosen cases are gathered into blocks, a copy that is small beside the products of a
layer, and the fused kernel of the whole data goes through these.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...models.data.renewed_data import check_data
from ...models.simd.kernels import jit
from ..compiled import engine
from ..compiled.entries import Entry
from ..potential.blocks import block_size, in_blocks
from ..potential.cases.cases_in_blocks import chains_begun
from ..potential.conditional import Conditional
from ..potential.likelihood_kernels import targets_of
from ..potential.network_plan import NetworkData, fixed_words, network_words, workspace
from ..potential.parameters import Parameters

rest = engine.bound_later


class Minibatch(NamedTuple):
    """Cases to draw from, and room for those that are drawn.

    Attributes
    ----------
    X, y : ndarray, shapes (cases, inputs) and (cases, rows of y)
        All inputs and targets, a case in each row.
    order : ndarray of int, shape (cases,)
        A permutation of the cases, whose first ones are the minibatch; empty if all cases are.
    weight : float
        Cases that each of the minibatch stands for, :math:`N / n`.
    data : NetworkData
        What the fused kernel needs to go through the minibatch; see :func:`.network_entry`.
    """

    X: np.ndarray
    y: np.ndarray
    order: np.ndarray
    weight: float
    data: NetworkData


@jit
def draw_cases(rng, order, count):
    """Move ``count`` random cases, all subsets equally likely, to the front of ``order``."""
    for k in range(count):
        chosen = rng.integers(k, order.size)
        order[k], order[chosen] = order[chosen], order[k]


@jit
def gather(rows, order, count, block, out):
    """Arrange the first ``count`` cases of ``order`` in blocks, as :func:`.blocks.in_blocks`."""
    columns = rows.shape[1]
    for k in range(count):
        case, at = order[k], (k // block) * columns * block + k % block
        for j in range(columns):
            out[at + j * block] = rows[case, j]


@jit
def fill(batch):
    """Arrange the cases of a minibatch for the kernel."""
    count, block = batch.data.cases, batch.data.block
    gather(batch.X, batch.order, count, block, batch.data.X)
    gather(batch.y, batch.order, count, block, batch.data.y)


@jit
def renew(rng, batch):
    """Draw another minibatch."""
    draw_cases(rng, batch.order, batch.data.cases)
    fill(batch)


def estimate(rng, q, gradient, kernel_workspace, batch, mean, precision):
    """Fill ``gradient`` with an estimate from another minibatch; return that one's energy.

    A template for :func:`.engine.bind`, which binds ``rest``.
    """
    if batch.order.size > 0:
        renew(rng, batch)
    energy = rest(q, gradient, kernel_workspace)
    for i in range(q.size):
        gradient[i] = batch.weight * gradient[i] + precision[i] * (q[i] - mean[i])
    return energy


class Minibatches:
    """Minibatches of a network's data, renewed when the data change and when a chain begins.

    Parameters
    ----------
    conditional : Conditional
        All weights of the network, with the fused likelihood.
    size : int
        Cases of a minibatch.

    Raises
    ------
    ValueError
        If the network has fewer cases.
    """

    def __init__(self, conditional: Conditional, size: int):
        self.conditional, self.size = conditional, size
        self._kept: tuple[Any, ...] | None = None
        self.cases()

    def __getstate__(self) -> dict[str, Any]:
        """Leave the copy of the data behind."""
        return {**self.__dict__, "_kept": None}

    def cases(self) -> tuple[Any, ...]:
        """All cases by row, room for a minibatch, and the kernel's workspace for it."""
        model = self.conditional.model
        X, y = (model[name].get_value(borrow=True) for name in ("X", "y"))
        begun = chains_begun(model)  # the same arrays may have been changed in place before that
        if not self._is_kept(X, y, begun):
            check_data(model)
            if self.size > len(X):
                raise ValueError(
                    f"batch_size={self.size}: the model has {len(X)} cases; give no more."
                )
            given = X, targets_of(model.likelihood, y)
            rows = tuple(np.array(a, np.float64, order="C") for a in given)
            self._kept = X, y, begun, rows, *self._room(rows)
        assert self._kept is not None
        return self._kept[3:]

    def _is_kept(self, X: np.ndarray, y: np.ndarray, begun: int) -> bool:
        kept = self._kept
        return kept is not None and kept[0] is X and kept[1] is y and kept[2] == begun

    def _room(self, rows: tuple[np.ndarray, ...]) -> tuple[tuple, tuple]:
        sizes = self.conditional.network_layout[0]
        block = block_size(self.size, sizes, "float64")
        blocks = tuple(in_blocks(array[: self.size], block, "float64") for array in rows)
        room = workspace(sizes, self.conditional.layout.size, block, "float64")
        return blocks, (self.size, block, rows[1].shape[1], *room)

    def __call__(
        self, parameters: Parameters, whole: NetworkData, entries: Mapping[int, Entry]
    ) -> Minibatch:
        """Return what compiled code needs to draw minibatches.

        Parameters
        ----------
        parameters : Parameters
            Of the block.
        whole : NetworkData
            What the kernel needs to go through all cases.
        entries : mapping of int to Entry
            The kernel.
        """
        (X, y), blocks, counts = self.cases()
        cases = len(X)
        if self.size == cases:
            return Minibatch(X, y, np.empty(0, np.int64), 1.0, whole)
        layout = self.conditional.network_layout
        power = self.conditional.power
        fields: Any = (*blocks, parameters.curvature, *layout, *counts, power)
        data = NetworkData(*fields)._replace(settings=whole.settings)
        words = network_words(fixed_words(data, entries), data.curvature, power, (data, entries))
        data = data._replace(words=words)
        return Minibatch(X, y, np.arange(cases), cases / self.size, data)


def compile_estimate(evaluate: Callable) -> Callable:
    """Compile :func:`estimate` for the energy and gradient of a likelihood."""
    return engine.bind(estimate, rest=evaluate)

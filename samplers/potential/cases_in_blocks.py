"""A model's data as the kernel of a network goes through them, renewed when they change."""

from typing import Any

import numpy as np
import pymc as pm

from ...models.data.renewed_data import check_data
from .blocks import block_size, in_blocks
from .likelihood_kernels import targets_of
from .network_plan import workspace


class CasesInBlocks:
    """Inputs and targets of a network in blocks of cases, and the kernel's room for them.

    Parameters
    ----------
    sizes : ndarray of int
        Units of each layer, inputs first.
    weights : int
        Number of all weights and biases.
    precision : {"float64", "float32"}
        Precision of the kernel.
    """

    def __init__(self, sizes: np.ndarray, weights: int, precision: str):
        self.sizes, self.weights, self.precision = sizes, weights, precision
        self.given: list[Any] = [np.empty(0), np.empty(0)]
        self.arranged: list[np.ndarray] = []
        self.room: tuple = ()

    def __call__(self, model: pm.Model) -> tuple[list[np.ndarray], tuple]:
        """Return inputs and targets in blocks, and the numbers and arrays that come after them.

        Parameters
        ----------
        model : pm.Model
            The network.

        Raises
        ------
        ValueError
            If its data do not fit it; they are looked at when they are other arrays than before.
        """
        given = [model[name].get_value(borrow=True) for name in ("X", "y")]
        if any(new is not old for new, old in zip(given, self.given, strict=True)):
            check_data(model)
            self._renew(model, given)
        return self.arranged, self.room

    def _renew(self, model: Any, given: list[Any]) -> None:
        before, arranged = self.given, self.arranged
        rows = given[0], targets_of(model.likelihood, given[1])
        if [array.shape for array in given] != [array.shape for array in before]:
            before, self.room = [None, None], self._make_room(*rows)
        self.arranged = [
            arranged[i] if array is before[i] else self._arrange(rows[i])
            for i, array in enumerate(given)
        ]
        self.given = given

    def _arrange(self, array: np.ndarray) -> np.ndarray:
        return in_blocks(array, self.room[1], self.precision)

    def _make_room(self, X: np.ndarray, y: np.ndarray) -> tuple:
        block = block_size(len(X), self.sizes, self.precision)
        room = workspace(self.sizes, self.weights, block, self.precision)
        return len(X), block, y.shape[1], *room

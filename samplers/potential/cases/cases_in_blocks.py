"""A model's data as the kernel of a network goes through them, renewed when they change."""

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pymc as pm

from ....models.data.renewed_data import check_data
from ...compiled.entries import Entry
from ..blocks import block_size, in_blocks
from ..likelihood_kernels import settings_of, targets_of
from ..network_plan import (
    NetworkData,
    NetworkLayout,
    fixed_words,
    network_words,
    with_data,
    workspace,
)

# how often a chain of a model has begun: its data may have been changed in place before that
BEGUN: WeakKeyDictionary[pm.Model, list[int]] = WeakKeyDictionary()


def look_anew(model: pm.Model) -> None:
    """Have the data of a model arranged anew, also where they are the same arrays as before."""
    BEGUN.setdefault(model, [0])[0] += 1


def chains_begun(model: pm.Model) -> int:
    """How often the data of a model had to be arranged anew since it was made."""
    return BEGUN.setdefault(model, [0])[0]


class CasesInBlocks:
    """Inputs and targets of a network in blocks of cases, and the kernel's room for them.

    Parameters
    ----------
    layout : NetworkLayout
        Units of each layer, and where its weights and biases start.
    weights : int
        Number of all weights and biases.
    precision : {"float64", "float32"}
        Precision of the kernel.
    cases : slice
        Which of the cases; by default all.
    """

    def __init__(
        self, layout: NetworkLayout, weights: int, precision: str, cases: slice = slice(None)
    ):
        self.layout, self.weights, self.precision = layout, weights, precision
        self.cases = cases
        self.given: list[Any] = [np.empty(0), np.empty(0)]
        self.begun, self._chains = 0, [0]
        self.arranged: list[np.ndarray] = []
        self.room: tuple = ()
        self._fixed: dict[int, tuple[Any, np.ndarray]] = {}
        self._containers: tuple[Any, ...] = (None,)  # the model, and its data

    def data(
        self,
        model: pm.Model,
        curvature: np.ndarray,
        power: float,
    ) -> NetworkData:
        """Return a model's data, but for words.

        Parameters
        ----------
        model : pm.Model
            The network.
        curvature : ndarray, shape (outputs,)
            See :class:`.network_plan.NetworkData`.
        power : float
            Inverse temperature.

        Raises
        ------
        ValueError
            If the data do not fit the network; they are looked at when a chain begins, and when
            they are other arrays than before.
        """
        self._look(model)
        fields: Any = (*self.arranged, curvature, *self.layout, *self.room, power)
        return NetworkData(*fields)._replace(settings=settings_of(model.likelihood))

    def words(
        self,
        model: pm.Model,
        entries: Mapping[int, Entry],
        curvature: np.ndarray,
        power: float,
    ) -> np.ndarray:
        """Return the words of a model's data for some entries; see :meth:`data`."""
        self._look(model)
        if id(entries) not in self._fixed:
            data = self.data(model, curvature, power)
            self._fixed[id(entries)] = (entries, data), fixed_words(data, entries)
        alive, fixed = self._fixed[id(entries)]
        return network_words(fixed, curvature, power, alive)

    def _look(self, model: pm.Model) -> None:
        """Renew what is arranged if the model has other data."""
        if self._containers[0] is not model:
            self._containers = model, model["X"], model["y"]
            self._chains = BEGUN.setdefault(model, [0])
        given = [container.get_value(borrow=True) for container in self._containers[1:]]
        if self._chains[0] != self.begun:
            self.begun, self.given = self._chains[0], [np.empty(0), np.empty(0)]
        pairs = zip(("X", "y"), given, self.given, strict=True)
        if changed := {name for name, now, before in pairs if now is not before}:
            check_data(model, changed)
            self._renew(model, given)

    def _renew(self, model: Any, given: list[Any]) -> None:
        before, arranged = self.given, self.arranged
        rows = given[0][self.cases], targets_of(model.likelihood, given[1])[self.cases]
        if [array.shape for array in given] != [array.shape for array in before]:
            before, self.room, self._fixed = [None, None], self._make_room(*rows), {}
        self.arranged = [
            arranged[i] if array is before[i] else self._arrange(rows[i])
            for i, array in enumerate(given)
        ]
        self.given = given
        for key, ((entries, data), words) in self._fixed.items():
            data = data._replace(X=self.arranged[0], y=self.arranged[1])
            self._fixed[key] = (entries, data), with_data(words, data)

    def _arrange(self, array: np.ndarray) -> np.ndarray:
        return in_blocks(array, self.room[1], self.precision)

    def _make_room(self, X: np.ndarray, y: np.ndarray) -> tuple:
        sizes = self.layout[0]
        block = block_size(len(X), sizes, self.precision)
        room = workspace(sizes, self.weights, block, self.precision)
        return len(X), block, y.shape[1], *room

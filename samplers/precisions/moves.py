"""Which precisions interweaving moves together.

A move shifts the logarithms of one or more precisions and rescales their weights with them. Beside
moves of single precisions there is one for each hidden layer: weights and biases into a layer grow
together, which leaves the points alone at which units of steep slope switch. Without it, large
weights and their biases would have to grow in small, alternating steps.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...models.bnn import BNN
from ..potential.layout import Layout


class Moves(NamedTuple):
    """Precisions and weights of each move, as arrays for compiled code.

    Attributes
    ----------
    first, precision : ndarray of int
        ``precision[first[m] : first[m + 1]]`` are the precisions that move ``m`` shifts.
    start, member : ndarray of int
        ``member[start[m] : start[m + 1]]`` are the weights that it rescales.
    """

    first: np.ndarray
    precision: np.ndarray
    start: np.ndarray
    member: np.ndarray


def find_moves(members: Sequence[np.ndarray], movable: np.ndarray, layers: np.ndarray) -> Moves:
    """List the moves: one for each precision, and one for each hidden layer with several.

    Where a layer has two precisions, one of its weights and one of its biases, its move takes the
    place of the first one's.

    Parameters
    ----------
    members : sequence of ndarray of int
        The components that each precision scales.
    movable : ndarray of int
        The precisions that take part.
    layers : ndarray of int, shape (components,)
        The hidden layer that a component feeds, or -1.

    Returns
    -------
    Moves

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.precisions.moves import find_moves
    >>> members = [np.array([0, 1]), np.array([2]), np.array([3, 4])]
    >>> moves = find_moves(members, np.arange(3), np.array([0, 0, 0, -1, -1]))
    >>> [moves.precision[a:b].tolist() for a, b in zip(moves.first, moves.first[1:])]
    [[0, 1], [1], [2]]
    """
    together = [[int(j)] for j in movable]
    fed = np.array([_only(layers[members[j]]) for j in movable], dtype=int)
    for layer in np.unique(fed[fed >= 0]):
        precisions = movable[fed == layer].tolist()
        if len(precisions) == 2:
            together[together.index(precisions[:1])] = precisions
        elif len(precisions) > 2:
            together.append(precisions)
    scaled = [np.concatenate([members[j] for j in precisions]) for precisions in together]
    return Moves(*_ragged([np.array(p) for p in together]), *_ragged(scaled))


def hidden_layers(model: object, layout: Layout) -> np.ndarray:
    """Hidden layer that each component of a block feeds, or -1.

    Parameters
    ----------
    model : pm.Model
        The model; without a network of ours there are no layers.
    layout : Layout
        The block.

    Returns
    -------
    ndarray of int, shape (components,)
    """
    layers = np.full(layout.size, -1)
    if isinstance(model, BNN):
        into = {f"hidden_{i}": i for i in range(len(model.hidden))}
        for name, group in model.groups.items():
            where = layout.slices.get(model.free_name(name))
            if where is not None and group.dims[-1] in into:
                layers[where] = into[group.dims[-1]]
    return layers


def _only(values: np.ndarray) -> int:
    """Return the value that all have in common, or -1."""
    return int(values[0]) if values.size and np.all(values == values[0]) else -1


def _ragged(rows: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Starts of rows, and the rows one after the other."""
    starts = np.concatenate([[0], np.cumsum([row.size for row in rows])]).astype(int)
    return starts, np.concatenate([np.empty(0, int), *rows]).astype(int)

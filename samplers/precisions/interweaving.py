r"""Move precisions and the weights they scale together, holding their ratios fixed.

Given its weights, a precision hardly moves when there are many (Choo 2000, 3.5). Interweaving (Yu &
Meng 2011) adds a move in the other parametrization: with
:math:`\tilde w_k = (w_k - m_k) \sqrt{\tau}` held, the logarithm :math:`\lambda = \log \tau` has
the conditional density

.. math:: \log p(\lambda) = a \lambda - b e^\lambda
          - E_\mathrm{rest}\bigl(m + \tilde w e^{-\lambda / 2}\bigr) + \text{const}

where :math:`a, b` are shape and rate of the gamma prior; the normal prior of the weights cancels
against the Jacobian of the change of variables. It is updated by slice sampling (Neal 2003). Where
several precisions move together (see :mod:`.moves`), their logarithms are shifted by one number.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from pytensor.graph.traversal import ancestors
from pytensor.tensor.variable import TensorVariable

from ...models.bnn import BNN
from ...models.simd.kernels import jit
from ..compiled import engine
from ..potential.conditional import Conditional
from ..potential.layout import Layout
from ..potential.rest import Rest, called_alone, words_of
from .closed_form import closed_form_of
from .conjugacy import ConjugatePrecision
from .moves import find_moves, hidden_layers
from .sufficient_statistics import SufficientStatistics

allocate = rest = evaluate = move_precisions = engine.bound_later

WIDTH = 2.0  # first bracket of a log precision; a standard deviation of log precision is about 1-3
MOST_MOVES = 32  # in one iteration: bounds the cost of an ARD layer next to a trajectory's
MOST_EXPANSIONS = 8
MOST_SHRINKS = 40
UNIFORMS = 3 + MOST_SHRINKS


def interweave(log_precision, q, mean, moves, shape, rate, chosen, uniforms, data):
    """Shift log precisions in turn, and their weights with them, in place.

    A template for :func:`.engine.specialize`, which binds ``allocate`` and
    ``rest(q, log_precision, moved, workspace, data)``, an energy. Without ``moved``, ``q`` is that
    of the last evaluation.

    Parameters
    ----------
    log_precision : ndarray, shape (precisions,)
        Logarithms of all precisions.
    q : ndarray, shape (size,)
        Block that holds the weights.
    mean : ndarray, shape (size,)
        Prior means of the block's components.
    moves : Moves
        Which precisions and components move together.
    shape, rate : ndarray, shape (precisions,)
        Parameters of the gamma priors.
    chosen : ndarray of int
        Which moves to make, in this order.
    uniforms : ndarray, shape (len(chosen), UNIFORMS)
        Random numbers from (0, 1).
    data : tuple
        What ``rest`` needs besides the block.

    Returns
    -------
    int
        Number of evaluations of ``rest``.
    """
    workspace = allocate(data)
    proposal, shifted = q.copy(), log_precision.copy()
    moved = q.size > 0  # for a literal True numba would compile the energy once more
    energy = rest(proposal, shifted, moved, workspace, data)
    evaluations = 1
    for step in range(chosen.size):
        move = chosen[step]
        precisions = moves.precision[moves.first[move] : moves.first[move + 1]]
        members = moves.member[moves.start[move] : moves.start[move + 1]]
        uniform = uniforms[step]
        total_shape = total_rate = 0.0
        for j in precisions:
            total_shape += shape[j]
            total_rate += rate[j] * np.exp(log_precision[j])
        height = np.log(uniform[0]) - total_rate - energy
        left = -WIDTH * uniform[1]
        right = left + WIDTH
        allowed_left = int(MOST_EXPANSIONS * uniform[2])
        allowed_right = MOST_EXPANSIONS - 1 - allowed_left
        shrinks = 0
        stage = 0  # 0 and 1: expand to the left and right; 2: shrink
        while shrinks < MOST_SHRINKS:
            if stage == 0 and allowed_left == 0:
                stage = 1
            if stage == 1 and allowed_right == 0:
                stage = 2
            if stage == 0:
                shift = left
            elif stage == 1:
                shift = right
            else:
                shift = left + uniform[3 + shrinks] * (right - left)
                shrinks += 1
            factor = np.exp(-0.5 * shift)
            for k in members:
                proposal[k] = mean[k] + (q[k] - mean[k]) * factor
            for j in precisions:
                shifted[j] = log_precision[j] + shift
            new_energy = rest(proposal, shifted, members.size > 0, workspace, data)
            evaluations += 1
            inside = height < total_shape * shift - total_rate * np.exp(shift) - new_energy
            if stage == 0:
                if inside:
                    left -= WIDTH
                    allowed_left -= 1
                else:
                    stage = 1
            elif stage == 1:
                if inside:
                    right += WIDTH
                    allowed_right -= 1
                else:
                    stage = 2
            elif inside:
                energy = new_energy
                for j in precisions:
                    log_precision[j] += shift
                for k in members:
                    q[k] = proposal[k]
                break
            elif shift < 0.0:
                left = shift
            else:
                right = shift
        else:  # no shift was found
            for k in members:
                proposal[k] = q[k]
            for j in precisions:
                shifted[j] = log_precision[j]
            energy = rest(proposal, shifted, members.size > 0, workspace, data)
            evaluations += 1
    return evaluations


def interweave_some(rng, log_precision, q, hierarchy, moves, data):
    """Make all moves of interweaving, or some of them if there are many.

    ``moves`` holds their numbers, whose order changes. Returns the passes through the network.
    """
    count = min(MOST_MOVES, moves.size)
    for i in range(count):  # the first ones of a random order
        other = i + int(rng.random() * (moves.size - i))
        moves[i], moves[other] = moves[other], moves[i]
    return move_precisions(
        log_precision,
        q,
        hierarchy.mean,
        hierarchy.moves,
        hierarchy.shape,
        hierarchy.rate,
        moves[:count] if count < moves.size else hierarchy.interweaved,
        rng.random((count, UNIFORMS)),
        data,
    )


def of_weights(q, log_precision, moved, workspace, data):
    """Energy that says nothing about precisions."""
    return evaluate(q, workspace)


@jit
def called_of_weights(q, log_precision, moved, words, data):
    """Energy that a network's data say how to call."""
    return called_alone(q, words)


CALLED_MOVES: dict[str, Callable] = {"allocate": words_of, "rest": called_of_weights}


def compile_moves(rest: Rest) -> dict[str, Callable]:
    """Compile what :func:`interweave` has to be bound to for an energy of the weights."""
    return {"allocate": rest.allocate, "rest": engine.bind(of_weights, evaluate=rest.evaluate)}


class Interweaving:
    """The interweaving move on points of a model.

    Precisions take part if all they scale are free normal variables with constant mean that only
    precisions scale: weights, but not noise.

    Parameters
    ----------
    model : pm.Model
        The model.
    statistics : SufficientStatistics
        What the precisions scale.
    layout : Layout
        Where the precisions lie in their vector.

    Attributes
    ----------
    in_turn : bool
        Whether a move may change what another one's density depends on. Then they are made one at
        a time, each with its density evaluated anew.
    stay : bool
        Whether drawing and moving the block's precisions leaves the parameters of those that move
        as they were before, so that these are not evaluated anew.
    """

    def __init__(self, model: pm.Model, statistics: SufficientStatistics, layout: Layout):
        self.statistics, self.layout = statistics, layout
        self.units = self._units()
        if self.units.size == 0:
            return
        names = statistics.members.names
        if isinstance(model, BNN) and set(names) <= set(model.groups):
            names = tuple(model.groups)  # all weights, for which there is a fused kernel
        self.conditional = Conditional(model, names)
        self.conditional.closed_form = closed_form_of(self.conditional)
        self.mean, members = self._index()
        self.in_turn, self.stay = self._depend_on_each_other(), self._parameters_stay()
        layers = hidden_layers(model, self.conditional.layout)
        if self.in_turn:
            layers = np.full_like(layers, -1)  # no move of several precisions
        self.moves = find_moves(members, self.units, layers)
        self.rest = self.conditional.compile_rest(gradient=False)
        self.update = engine.specialize(interweave, **compile_moves(self.rest))

    def _units(self) -> np.ndarray:
        """Elements of those precisions that have members and nothing else."""
        statistics = self.statistics
        units = [
            np.arange(*statistics.first[i : i + 2])
            for i, precision in enumerate(statistics.precisions)
            if statistics.is_movable(precision)
        ]
        return np.concatenate([np.empty(0, int), *units])

    def _depend_on_each_other(self) -> bool:
        """Whether what the moves change is in the parameters of one, or in the energy."""
        moved = self._moved()
        return not (
            self._are_apart({p.value for p in moved})
            and {p.value for p in moved}.isdisjoint(ancestors(self.conditional.rest_terms))
        )

    def _parameters_stay(self) -> bool:
        """Whether parameters of what moves stay as they are while this block is drawn and moves."""
        return self._are_apart({p.value for p in self.statistics.precisions})

    def _moved(self) -> list[ConjugatePrecision]:
        return [p for p in self.statistics.precisions if self.statistics.is_movable(p)]

    def _are_apart(self, precisions: set[TensorVariable]) -> bool:
        """Whether parameters of what moves depend neither on some precisions nor on weights."""
        weights = {v for v in self.conditional.model.value_vars if v not in self.conditional.held}
        parameters = {*ancestors([e for p in self._moved() for e in (p.shape, p.rate)])}
        return parameters.isdisjoint(precisions | weights)

    def _index(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """Means of the block's components, and the components of each precision."""
        members, layout = self.statistics.members, self.conditional.layout
        position = np.concatenate([np.arange(layout.size)[layout.slices[n]] for n in members.names])
        mean = np.zeros(layout.size)
        mean[position] = members.mean
        order = np.argsort(members.unit, kind="stable")
        counts = np.bincount(members.unit, minlength=self.statistics.size)
        return mean, np.split(position[order], np.cumsum(counts)[:-1])

    def __call__(
        self, point: PointType, rng: np.random.Generator, prior: tuple[np.ndarray, np.ndarray]
    ) -> tuple[PointType, int]:
        """Make all moves of a point's precisions, or some of them if there are many.

        Parameters
        ----------
        point : dict
            The point.
        rng : Generator
            Where random numbers come from.
        prior : tuple of ndarray
            Shape and rate of the block's precisions without members, before they were drawn.

        Returns
        -------
        point : dict
            The new point, with new precisions and weights.
        evaluations : int
            Number of passes through the network, or evaluations of the density.
        """
        if self.units.size == 0:
            return point, 0
        chosen = np.arange(self.moves.first.size - 1)
        if chosen.size > MOST_MOVES:
            chosen = rng.choice(chosen, MOST_MOVES, replace=False)
        evaluations = 0
        for some in chosen[:, None] if self.in_turn else chosen[None, :]:
            point, passes = self._move(point, some, rng, prior)
            evaluations += passes
        return point, evaluations

    def _move(
        self,
        point: PointType,
        chosen: np.ndarray,
        rng: np.random.Generator,
        prior: tuple[np.ndarray, np.ndarray],
    ) -> tuple[PointType, int]:
        """Make some moves, none of which changes what another one depends on."""
        shape, rate = prior if self.stay else self.statistics.remaining(point)[:2]
        log_precision = self.layout.ravel(point)
        q = self.conditional.layout.ravel(point)
        data = self.conditional.data_at(self.rest, point)
        evaluations = self.update(
            log_precision,
            q,
            self.mean,
            self.moves,
            shape,
            rate,
            chosen,
            rng.random((chosen.size, UNIFORMS)),
            data,
        )
        point = self.layout.unravel(log_precision, point)
        return self.conditional.layout.unravel(q, point), int(evaluations)

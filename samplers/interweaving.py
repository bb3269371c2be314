r"""Move a precision and the weights it scales together, holding their ratio fixed.

Given its weights, a precision hardly moves when there are many (Choo 2000, 3.5). Interweaving (Yu &
Meng 2011) adds a move in the other parametrization: with
:math:`\tilde w_k = (w_k - m_k) \sqrt{\tau}` held, the logarithm :math:`\lambda = \log \tau` has
the conditional density

.. math:: \log p(\lambda) = a \lambda - b e^\lambda
          - E_\mathrm{rest}\bigl(m + \tilde w e^{-\lambda / 2}\bigr) + \text{const}

where :math:`a, b` are shape and rate of the gamma prior; the normal prior of the weights cancels
against the Jacobian of the change of variables. It is updated by slice sampling (Neal 2003).
"""

import numpy as np
import pymc as pm
from pymc.blocking import PointType

from ..models.network import BNN
from . import engine
from .conditional import Conditional
from .layout import Layout
from .sufficient_statistics import SufficientStatistics

allocate = rest = engine.bound_later

WIDTH = 2.0  # first bracket of a log precision; a standard deviation of log precision is about 1-3
MOST_UNITS = 32  # of an ARD layer, in one iteration: bounds the cost next to a trajectory's
MOST_EXPANSIONS = 8
MOST_SHRINKS = 40
UNIFORMS = 3 + MOST_SHRINKS


def interweave(log_precision, q, mean, start, member, shape, rate, units, uniforms, data):
    """Update log precisions in turn, and their weights with them, in place.

    A template for :func:`.engine.specialize`, which binds ``allocate`` and ``rest``.

    Parameters
    ----------
    log_precision : ndarray, shape (precisions,)
        Logarithms of all precisions.
    q : ndarray, shape (size,)
        Block that holds the weights.
    mean : ndarray, shape (size,)
        Prior means of the block's components.
    start, member : ndarray of int, shapes (precisions + 1,) and (members,)
        ``member[start[j] : start[j + 1]]`` are the components that precision ``j`` scales.
    shape, rate : ndarray, shape (precisions,)
        Parameters of the gamma priors.
    units : ndarray of int
        Which precisions to update, in this order.
    uniforms : ndarray, shape (len(units), UNIFORMS)
        Random numbers from (0, 1).
    data : tuple
        What ``rest`` needs besides the block.

    Returns
    -------
    int
        Number of evaluations of ``rest``.
    """
    workspace = allocate(data)
    proposal = q.copy()
    energy = rest(q, workspace, data)
    evaluations = 1
    for step in range(units.size):
        j = units[step]
        members = member[start[j] : start[j + 1]]
        uniform = uniforms[step]
        current = log_precision[j]
        height = shape[j] * current - rate[j] * np.exp(current) - energy + np.log(uniform[0])
        left = current - WIDTH * uniform[1]
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
                at = left
            elif stage == 1:
                at = right
            else:
                at = left + uniform[3 + shrinks] * (right - left)
                shrinks += 1
            factor = np.exp(0.5 * (current - at))
            for k in members:
                proposal[k] = mean[k] + (q[k] - mean[k]) * factor
            new_energy = rest(proposal, workspace, data)
            evaluations += 1
            inside = height < shape[j] * at - rate[j] * np.exp(at) - new_energy
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
                log_precision[j] = at
                energy = new_energy
                for k in members:
                    q[k] = proposal[k]
                break
            elif at < current:
                left = at
            else:
                right = at
        for k in members:
            proposal[k] = q[k]
    return evaluations


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
        self.mean, self.start, self.member = self._index()
        self.rest = self.conditional.compile_rest(gradient=False)
        self.update = engine.specialize(
            interweave, self.rest.key, allocate=self.rest.allocate, rest=self.rest.evaluate
        )

    def _units(self) -> np.ndarray:
        """Elements of those precisions that have members and nothing else."""
        statistics = self.statistics
        units = [
            np.arange(*statistics.first[i : i + 2])
            for i, precision in enumerate(statistics.precisions)
            if precision.children
            and all(statistics.is_member(child) for child in precision.children)
        ]
        return np.concatenate([np.empty(0, int), *units])

    def _index(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Means of the block's components, and the components of each precision."""
        members, layout = self.statistics.members, self.conditional.layout
        position = np.concatenate([np.arange(layout.size)[layout.slices[n]] for n in members.names])
        mean = np.zeros(layout.size)
        mean[position] = members.mean
        order = np.argsort(members.unit, kind="stable")
        counts = np.bincount(members.unit, minlength=self.statistics.size)
        return mean, np.concatenate([[0], np.cumsum(counts)]), position[order]

    def __call__(self, point: PointType, rng: np.random.Generator) -> tuple[PointType, int]:
        """Move all precisions of a point, or some of them if there are many.

        Returns
        -------
        point : dict
            The new point, with new precisions and weights.
        evaluations : int
            Number of passes through the network, or evaluations of the density.
        """
        if self.units.size == 0:
            return point, 0
        units = self.units
        if units.size > MOST_UNITS:
            units = rng.choice(units, MOST_UNITS, replace=False)
        shape, rate = self.statistics.without_members(point)
        log_precision = self.layout.ravel(point)
        q = self.conditional.layout.ravel(point)
        data = self.conditional.data(self.rest, point, self.conditional.parameters(point))
        evaluations = self.update(
            log_precision,
            q,
            self.mean,
            self.start,
            self.member,
            shape,
            rate,
            units,
            rng.random((units.size, UNIFORMS)),
            data,
        )
        point = self.layout.unravel(log_precision, point)
        return self.conditional.layout.unravel(q, point), int(evaluations)

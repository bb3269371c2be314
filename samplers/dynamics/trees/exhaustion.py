r"""The exhaustive criterion (Betancourt 2016; Lau 2018, 2.3, Algorithms 7 and 13).

The virial :math:`G = q \cdot p` is bounded along a trajectory :math:`\mathfrak t`, so that its rate
of change averages to zero as the trajectory explores its level of energy. It has explored enough
when

.. math::
    \frac{1}{|\mathfrak t|} \Big|\sum_{z \in \mathfrak t} w_z \frac{dG}{dt}(z)\Big| \le \delta,
    \qquad w_z = \frac{e^{-H(z)}}{\sum_{z' \in \mathfrak t} e^{-H(z')}}.

The momentum here is :math:`p = A^{-\top} \tilde p`, with the whitened momentum :math:`\tilde p`
that the tree knows (see :mod:`.metric`), and :math:`\dot q = A \tilde p`,
:math:`\dot p = -\nabla E(q)`:

.. math:: \frac{dG}{dt} = \dot q \cdot p + q \cdot \dot p = \tilde p \cdot \tilde p
    - q \cdot \nabla E(q).

Where the sources disagree: the thesis's formula and algorithms divide the weighted mean by the
number of points once more (``EXHAUSTION``); Stan's sampler, which has no interface, does not
(``MEAN_EXHAUSTION``). For
a tree of :math:`2^{j+1}` points the algorithms divide by :math:`2^j`, for a subtree of a branch by
the number of its points. Then not every point of a trajectory would have grown it with the same
probability; so here both are divided by their number of points.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from typing import NamedTuple

import numpy as np

from ....models.simd.kernels import copy_into, dot, jit
from .trajectory_tree import Criterion


class Record(NamedTuple):
    """Summaries of tree and branch, and of the branch up to the checkpoint of each level.

    Each is the logarithm of a weight, the weighted mean of dG/dt, and the number of points.
    """

    tree: np.ndarray
    branch: np.ndarray
    kept: np.ndarray


@jit
def _join(summary, other):
    """Add a stretch to another one (Lau 2018, Algorithm 11)."""
    difference = other[0] - summary[0]
    ratio = np.exp(-abs(difference))
    if difference > 0:
        summary[0] = other[0] + np.log1p(ratio)
        summary[1] = (other[1] + ratio * summary[1]) / (1.0 + ratio)
    else:
        summary[0] += np.log1p(ratio)
        summary[1] = (summary[1] + ratio * other[1]) / (1.0 + ratio)
    summary[2] += other[2]


@jit
def _summarize(summary, log_weight, q, p, gradient):
    summary[0] = log_weight
    summary[1] = dot(p, p) - dot(q, gradient)
    summary[2] = 1.0


@jit
def _begin(max_depth, q, p, gradient):
    record = Record(np.empty(3), np.empty(3), np.empty((max_depth, 3)))
    _summarize(record.tree, 0.0, q, p, gradient)
    return record


@jit
def _add(record, leaf, log_weight, q, p, gradient):
    _summarize(record.branch, log_weight, q, p, gradient)


@jit
def _keep(record, level, p):
    copy_into(record.kept[level], record.branch)


@jit
def _join_stretch(record, level):
    _join(record.branch, record.kept[level])
    copy_into(record.kept[level], record.branch)
    return record.branch


@jit
def _join_tree(record):
    _join(record.tree, record.branch)
    return record.tree


@jit
def _measure_stretch(record, level, p):
    branch = _join_stretch(record, level)
    return abs(branch[1]) / branch[2]


@jit
def _measure_tree(record, first_p, last_p):
    tree = _join_tree(record)
    return abs(tree[1]) / tree[2]


@jit
def _mean_of_stretch(record, level, p):
    return abs(_join_stretch(record, level)[1])


@jit
def _mean_of_tree(record, first_p, last_p):
    return abs(_join_tree(record)[1])


EXHAUSTION = Criterion(_begin, _add, _keep, _measure_stretch, _measure_tree)
MEAN_EXHAUSTION = Criterion(_begin, _add, _keep, _mean_of_stretch, _mean_of_tree)

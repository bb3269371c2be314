r"""The generalised no-U-turn criterion (Betancourt 2017; Lau 2018, 2.3).

A stretch of trajectory turns around when

.. math:: \min(p_a \cdot \rho,\; p_b \cdot \rho) \le 0

with the momenta at its ends and their sum :math:`\rho` over all its points. Momenta are whitened,
so that these are the products :math:`p^\sharp \cdot \rho` of the momenta themselves. The thesis's
Algorithm 6 sums the momenta too, but then prints :math:`q_+ - q_-` where its text has their sum.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from typing import NamedTuple

import numpy as np

from ....models.simd.kernels import copy_into, dot, jit
from .trajectory_tree import Criterion


class Record(NamedTuple):
    """Sums of momenta over tree and branch, room, and momentum and sum at each checkpoint."""

    total: np.ndarray
    branch_total: np.ndarray
    stretch: np.ndarray
    kept_p: np.ndarray
    kept_total: np.ndarray


@jit
def _measure(momentum_a, momentum_b, total):
    return min(dot(momentum_a, total), dot(momentum_b, total))


@jit
def _begin(max_depth, q, p, gradient):
    branch_total, stretch = np.empty(p.size), np.empty(p.size)
    kept_p, kept_total = np.empty((max_depth, p.size)), np.empty((max_depth, p.size))
    return Record(p.copy(), branch_total, stretch, kept_p, kept_total)


@jit
def _add(record, leaf, log_weight, q, p, gradient):
    if leaf == 0:
        record.branch_total[:] = 0.0
    for i in range(p.size):
        record.branch_total[i] += p[i]


@jit
def _keep(record, level, p):
    copy_into(record.kept_p[level], p)
    copy_into(record.kept_total[level], record.branch_total)


@jit
def _measure_stretch(record, level, p):
    stretch, first_p, before = record.stretch, record.kept_p[level], record.kept_total[level]
    for i in range(p.size):  # sum of momenta from the checkpoint to this point
        stretch[i] = record.branch_total[i] - before[i] + first_p[i]
    return _measure(first_p, p, stretch)


@jit
def _measure_tree(record, first_p, last_p):
    for i in range(first_p.size):
        record.total[i] += record.branch_total[i]
    return _measure(first_p, last_p, record.total)


NO_U_TURN = Criterion(_begin, _add, _keep, _measure_stretch, _measure_tree)

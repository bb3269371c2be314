r"""The generalised no-U-turn criterion (Betancourt 2017; Lau 2018, 2.3).

A stretch of trajectory turns around when

.. math:: \min(p_a \cdot \rho,\; p_b \cdot \rho) \le 0

with the momenta at its ends and their sum :math:`\rho` over all its points. Momenta are whitened,
so that these are the products :math:`p^\sharp \cdot \rho` of the momenta themselves. The thesis's
Algorithm 6 sums the momenta too, but then prints :math:`q_+ - q_-` where its text has their sum.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numpy as np

from ....models.simd.kernels import copy_into, dot, jit
from .trajectory_tree import Criterion


@jit
def _measure(momentum_a, momentum_b, total):
    return min(dot(momentum_a, total), dot(momentum_b, total))


@jit
def _begin(max_depth, q, p, gradient):
    branch_total, stretch = np.empty(p.size), np.empty(p.size)
    kept_p, kept_total = np.empty((max_depth, p.size)), np.empty((max_depth, p.size))
    return p.copy(), branch_total, stretch, kept_p, kept_total


@jit
def _add(record, leaf, log_weight, q, p, gradient):
    branch_total = record[1]
    if leaf == 0:
        branch_total[:] = 0.0
    for i in range(p.size):
        branch_total[i] += p[i]


@jit
def _keep(record, level, p):
    _, branch_total, _, kept_p, kept_total = record
    copy_into(kept_p[level], p)
    copy_into(kept_total[level], branch_total)


@jit
def _measure_stretch(record, level, p):
    _, branch_total, stretch, kept_p, kept_total = record
    for i in range(p.size):  # sum of momenta from the checkpoint to this point
        stretch[i] = branch_total[i] - kept_total[level, i] + kept_p[level, i]
    return _measure(kept_p[level], p, stretch)


@jit
def _measure_tree(record, first_p, last_p):
    total, branch_total, _, _, _ = record
    for i in range(total.size):
        total[i] += branch_total[i]
    return _measure(first_p, last_p, total)


NO_U_TURN = Criterion(_begin, _add, _keep, _measure_stretch, _measure_tree)

"""Trajectories that grow by doubling until a criterion ends them, whole ones in compiled code.

The binary trees of Hoffman & Gelman (2014) with multinomial weights, as in Stan (Lau 2018, 2.2-2.3,
Algorithms 12 and 13). The tree is built leaf by leaf; a checkpoint for each level replaces the
recursion. What ends it is a :class:`Criterion`.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....models.simd.kernels import copy_into, dot, quadratic
from ...compiled import engine
from ..integrators import bind_steps
from ..metropolis import acceptance_probability, diverges, log_sum

if TYPE_CHECKING:
    from ...potential.rest import Rest

allocate = view = slope = stride = kick = kicks = engine.bound_later
begin = add = keep = measure_stretch = measure_tree = engine.bound_later


class Criterion(NamedTuple):
    """What ends a trajectory: a measure of a stretch of it that is not above a threshold.

    A doubling continues the tree by a branch. No stretch of the branch that is a subtree of more
    than one point may meet the criterion, lest the tree could not have grown from each of its
    points alike; and it must be the same for stretches and trees. Both are needed to leave the
    posterior invariant (Betancourt 2016, 2.2).

    All are compiled functions, which share a record, which is a named tuple of arrays.

    Attributes
    ----------
    begin : callable
        ``(max_depth, q, p, gradient)``: a new record, for a tree of one point.
    add : callable
        ``(record, leaf, log_weight, q, p, gradient)``: continue the branch by a point, its first
        one if ``leaf`` is 0.
    keep : callable
        ``(record, level, p)``: make that point the checkpoint of a level.
    measure_stretch : callable
        ``(record, level, p)``: measure of the branch from a level's checkpoint to that point, its
        last; called with falling levels.
    measure_tree : callable
        ``(record, first_p, last_p)``: measure of the tree after the branch has joined it.
    """

    begin: Callable
    add: Callable
    keep: Callable
    measure_stretch: Callable
    measure_tree: Callable


class Tree(NamedTuple):
    """A trajectory and the point that was chosen on it.

    Attributes
    ----------
    position : ndarray, shape (size,)
    potential, energy : float
        Of the chosen point.
    energy_error : float
        Its energy less that of the start.
    acceptance : float
        Mean acceptance probability over all points but the start.
    steps, depth : int
        Leapfrog steps and doublings.
    diverging, ended : bool
        Whether the energy or the criterion ended the trajectory; neither if it reached the maximal
        depth.
    measure : float
        The criterion's measure of the whole trajectory; undefined for one of a single point.
    """

    position: np.ndarray
    potential: float
    energy: float
    energy_error: float
    acceptance: float
    steps: int
    depth: int
    diverging: bool
    ended: bool
    measure: float


def compile_tree(criterion: Criterion, rest: "Rest", metric: str) -> Callable[..., Any]:
    """Compile :func:`grow_tree`.

    Parameters
    ----------
    criterion : Criterion
        What ends a trajectory.
    rest, metric
        As for :func:`.integrators.bind_steps`.

    Returns
    -------
    callable
        With the arguments of :func:`grow_tree`, to the fields of :class:`Tree`.
    """
    return engine.specialize(grow_tree, **criterion._asdict(), **bind_steps(rest, metric))


def grow_tree(
    q0, momentum, metric, max_depth, threshold, directions, uniforms, mean, precision, data
):
    """Grow one trajectory and choose a point on it.

    A template for :func:`.engine.specialize`, which :func:`compile_tree` binds.

    Parameters
    ----------
    q0, momentum, metric, mean, precision : ndarray
        As for :func:`.leapfrog.leapfrog`.
    max_depth : int
        Most doublings.
    threshold : float
        The criterion's.
    directions : ndarray, shape (max_depth,)
        Direction of each doubling, 1 or -1.
    uniforms : ndarray, shape (max_depth + 2**max_depth,)
        Random numbers from (0, 1), for doublings and points.
    data : tuple
        What the rest needs besides the block.

    Returns
    -------
    tuple
        The fields of :class:`Tree`.
    """
    size = q0.size
    workspace = allocate(data)
    ends_q = np.empty((2, size))
    ends_p = np.empty((2, size))
    ends_gradient = np.empty((2, size))
    gradient = np.empty(size)
    lengths, m, tau = view(metric.reshape(-1)), view(mean), view(precision)
    potential = slope(view(q0), view(gradient), size, m, tau, workspace)
    potential += quadratic(q0, mean, precision)
    for end in range(2):
        copy_into(ends_q[end], q0)
        copy_into(ends_p[end], momentum)
        copy_into(ends_gradient[end], gradient)
    start_energy = potential + 0.5 * dot(momentum, momentum)
    chosen, chosen_potential, chosen_energy = q0.copy(), potential, start_energy
    record, measure = begin(max_depth, q0, momentum, gradient), np.nan
    log_weight = 0.0
    q, p = np.empty(size), np.empty(size)
    branch_q, branch_potential, branch_energy = np.empty(size), 0.0, 0.0
    acceptance = 0.0
    steps = 0
    depth = 0
    diverging = False
    ended = False
    while depth < max_depth and not (diverging or ended):
        end = 1 if directions[depth] > 0 else 0
        sign = 1.0 if end == 1 else -1.0
        copy_into(q, ends_q[end])
        copy_into(p, ends_p[end])
        copy_into(gradient, ends_gradient[end])
        branch_weight = -np.inf
        for leaf in range(2**depth):
            at, momenta, its_slope = view(q), view(p), view(gradient)
            potential = stride(
                at, momenta, its_slope, kicks[0], sign, size, lengths, m, tau, workspace
            )
            potential += quadratic(q, mean, precision)
            kick(momenta, its_slope, kicks[-1] * sign, size, lengths)
            steps += 1
            energy = potential + 0.5 * dot(p, p)
            error = energy - start_energy
            diverging = diverges(error)
            if diverging:
                break
            acceptance += acceptance_probability(error)
            branch_weight = log_sum(branch_weight, -error)
            if np.log(uniforms[max_depth + steps - 1]) < -error - branch_weight:
                copy_into(branch_q, q)
                branch_potential, branch_energy = potential, energy
            add(record, leaf, -error, q, p, gradient)
            level = 0  # number of ones in leaf // 2: where this leaf's checkpoint lies
            rest_of_leaf = leaf >> 1
            while rest_of_leaf > 0:
                level += rest_of_leaf & 1
                rest_of_leaf >>= 1
            if leaf & 1 == 0:
                keep(record, level, p)
            else:
                trailing = leaf
                while trailing & 1 == 1 and not ended:
                    ended = measure_stretch(record, level, p) <= threshold
                    level -= 1
                    trailing >>= 1
                if ended:
                    break
        if diverging or ended:
            break
        depth += 1
        if np.log(uniforms[depth - 1]) < branch_weight - log_weight:
            copy_into(chosen, branch_q)
            chosen_potential, chosen_energy = branch_potential, branch_energy
        log_weight = log_sum(log_weight, branch_weight)
        copy_into(ends_q[end], q)
        copy_into(ends_p[end], p)
        copy_into(ends_gradient[end], gradient)
        measure = measure_tree(record, ends_p[0], ends_p[1])
        ended = measure <= threshold
    return Tree(
        chosen,
        chosen_potential,
        chosen_energy,
        chosen_energy - start_energy,
        acceptance / max(steps, 1),
        steps,
        depth,
        diverging,
        ended,
        measure,
    )

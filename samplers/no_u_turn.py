r"""Trajectories that grow by doubling until they turn around, whole ones in compiled code.

The no-U-turn sampler of Hoffman & Gelman (2014) with the generalised criterion and multinomial
weights of Betancourt (2017), as in Stan and PyMC (Lau 2018, 2.2-2.3). The tree is built leaf by
leaf; a checkpoint for each level replaces the recursion.
"""

import numpy as np

from ..models.kernels import dot, jit
from . import engine

allocate = rest = engine.bound_later


@jit
def turns(momentum_a, momentum_b, total):
    r"""Whether a stretch of trajectory turns around.

    .. math:: p_a \cdot \rho \le 0 \quad\text{or}\quad p_b \cdot \rho \le 0

    with the momenta at its ends and their sum :math:`\rho` over all its points (Lau 2018, 2.3);
    masses are absorbed into momenta.
    """
    return dot(momentum_a, total) <= 0.0 or dot(momentum_b, total) <= 0.0


def no_u_turn(q0, momentum, step_sizes, max_depth, directions, uniforms, mean, precision, data):
    """Grow one trajectory and choose a point on it.

    A template for :func:`.engine.specialize`, which binds ``allocate`` and ``rest``.

    Parameters
    ----------
    q0, momentum, step_sizes, mean, precision : ndarray, shape (size,)
        As for :func:`.leapfrog.leapfrog`.
    max_depth : int
        Most doublings.
    directions : ndarray, shape (max_depth,)
        Direction of each doubling, 1 or -1.
    uniforms : ndarray, shape (max_depth + 2**max_depth,)
        Random numbers from (0, 1), for doublings and points.
    data : tuple
        What ``rest`` needs besides the block.

    Returns
    -------
    position : ndarray, shape (size,)
    potential, energy : float
        Of the chosen point.
    energy_error : float
        Its energy less that of the start.
    acceptance : float
        Mean acceptance probability over all points.
    steps, depth : int
        Leapfrog steps and doublings.
    diverging, turned : bool
        Why the trajectory ended; neither if it reached the maximal depth.
    """
    size = q0.size
    workspace = allocate(data)
    ends_q = np.empty((2, size))
    ends_p = np.empty((2, size))
    ends_gradient = np.empty((2, size))
    gradient = np.empty(size)
    potential = rest(q0, gradient, workspace, data)
    for i in range(size):
        distance = q0[i] - mean[i]
        potential += 0.5 * precision[i] * distance * distance
        gradient[i] += precision[i] * distance
    for end in range(2):
        ends_q[end] = q0
        ends_p[end] = momentum
        ends_gradient[end] = gradient
    start_energy = potential + 0.5 * dot(momentum, momentum)
    chosen, chosen_potential, chosen_energy = q0.copy(), potential, start_energy
    total = momentum.copy()
    log_weight = 0.0
    kept_p = np.empty((max_depth + 1, size))
    kept_total = np.empty((max_depth + 1, size))
    q, p = np.empty(size), np.empty(size)
    branch_total, stretch = np.empty(size), np.empty(size)
    branch_q, branch_potential, branch_energy = np.empty(size), 0.0, 0.0
    acceptance = 0.0
    steps = 0
    depth = 0
    diverging = False
    turned = False
    while depth < max_depth and not (diverging or turned):
        end = 1 if directions[depth] > 0 else 0
        sign = 1.0 if end == 1 else -1.0
        q[:] = ends_q[end]
        p[:] = ends_p[end]
        gradient[:] = ends_gradient[end]
        branch_total[:] = 0.0
        branch_weight = -np.inf
        for leaf in range(2**depth):
            for i in range(size):
                p[i] -= 0.5 * sign * step_sizes[i] * gradient[i]
                q[i] += sign * step_sizes[i] * p[i]
            potential = rest(q, gradient, workspace, data)
            for i in range(size):
                distance = q[i] - mean[i]
                potential += 0.5 * precision[i] * distance * distance
                gradient[i] += precision[i] * distance
                p[i] -= 0.5 * sign * step_sizes[i] * gradient[i]
            steps += 1
            energy = potential + 0.5 * dot(p, p)
            error = energy - start_energy
            if not error < 1000.0:
                diverging = True
                break
            acceptance += min(1.0, np.exp(-error))
            old_weight = branch_weight
            branch_weight = max(old_weight, -error) + np.log1p(np.exp(-abs(old_weight + error)))
            if np.log(uniforms[max_depth + steps - 1]) < -error - branch_weight:
                branch_q[:] = q
                branch_potential, branch_energy = potential, energy
            for i in range(size):
                branch_total[i] += p[i]
            level = 0  # number of ones in leaf // 2: where this leaf's checkpoint lies
            rest_of_leaf = leaf >> 1
            while rest_of_leaf > 0:
                level += rest_of_leaf & 1
                rest_of_leaf >>= 1
            if leaf & 1 == 0:
                kept_p[level] = p
                kept_total[level] = branch_total
            else:
                trailing = leaf
                while trailing & 1 == 1 and not turned:
                    for i in range(size):  # sum of momenta from the checkpoint to this leaf
                        stretch[i] = branch_total[i] - kept_total[level, i] + kept_p[level, i]
                    turned = turns(kept_p[level], p, stretch)
                    level -= 1
                    trailing >>= 1
                if turned:
                    break
        if diverging or turned:
            break
        depth += 1
        if np.log(uniforms[depth - 1]) < branch_weight - log_weight:
            chosen[:] = branch_q
            chosen_potential, chosen_energy = branch_potential, branch_energy
        larger = max(log_weight, branch_weight)
        log_weight = larger + np.log1p(np.exp(-abs(log_weight - branch_weight)))
        ends_q[end] = q
        ends_p[end] = p
        ends_gradient[end] = gradient
        for i in range(size):
            total[i] += branch_total[i]
        turned = turns(ends_p[0], ends_p[1], total)
    return (
        chosen,
        chosen_potential,
        chosen_energy,
        chosen_energy - start_energy,
        acceptance / max(steps, 1),
        steps,
        depth,
        diverging,
        turned,
    )

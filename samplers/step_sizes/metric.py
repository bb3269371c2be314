r"""Metrics of Hamiltonian dynamics, as compiled updates of whitened momenta and of positions.

Momenta are standard normal, with the masses absorbed: :math:`\dot q = A p` and
:math:`\dot p = -A^\top \nabla E(q)`, where :math:`A A^\top` is the inverse mass matrix, an
estimate of the posterior covariance (Lau 2018, 2.5; Choo 2000, Eqs. 2.19-2.20). A metric is given
as :math:`\epsilon A`: a vector where :math:`A` is diagonal, else a lower triangular matrix, row by
row. Vectors may be given as pointers.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...models.simd.kernels import add_multiple, dot_parts, jit


@jit
def diagonal_kick(momentum, gradient, factor, size, metric):
    """Change momenta in place by ``-factor * metric * gradient``; the metric is a vector."""
    for i in range(size):
        momentum[i] -= factor * metric[i] * gradient[i]


@jit
def diagonal_drift(position, momentum, factor, size, metric):
    """Change positions in place by ``factor * metric * momentum``; the metric is a vector."""
    for i in range(size):
        position[i] += factor * metric[i] * momentum[i]


@jit
def dense_kick(momentum, gradient, factor, size, metric):
    """Change momenta in place by ``-factor * metric.T @ gradient``; the metric is a matrix.

    Like :func:`dense_drift`, this reads the lower triangle alone, row by row.
    """
    for i in range(size):
        add_multiple(momentum, 0, -factor * gradient[i], metric, i * size, i + 1)


@jit
def dense_drift(position, momentum, factor, size, metric):
    """Change positions in place by ``factor * metric @ momentum``; the metric is a matrix."""
    for i in range(size):
        position[i] += factor * dot_parts(metric, i * size, momentum, 0, i + 1)


class Metric(NamedTuple):
    """How a kind of metric moves momenta and positions.

    Attributes
    ----------
    kick : callable
        ``(momentum, gradient, factor, size, metric)``, which changes the momentum.
    drift : callable
        ``(position, momentum, factor, size, metric)``, which changes the position.
    """

    kick: Callable
    drift: Callable


def without_correlations(step_sizes: np.ndarray, metric: str) -> np.ndarray:
    """Return the metric of a kind that has these step sizes and no correlations.

    Parameters
    ----------
    step_sizes : ndarray, shape (size,)
        Step size of each component.
    metric : {"diag", "dense", "unit"}
        Kind of metric.

    Returns
    -------
    ndarray, shape (size,) or (size, size)

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.step_sizes.metric import without_correlations
    >>> without_correlations(np.array([0.1, 0.2]), "dense")
    array([[0.1, 0. ],
           [0. , 0.2]])
    """
    return np.diag(step_sizes) if metric == "dense" else step_sizes


METRICS = {
    "diag": Metric(diagonal_kick, diagonal_drift),
    "dense": Metric(dense_kick, dense_drift),
    "unit": Metric(diagonal_kick, diagonal_drift),
}

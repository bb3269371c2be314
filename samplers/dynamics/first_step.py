r"""Energy and gradient of a block's potential from the first step of a compiled trajectory.

A leapfrog step without momentum moves a position by

.. math:: q'_i - q_i = -\tfrac12 \epsilon_i^2\, \partial_i E(q),

exactly, whatever the step sizes, and a trajectory reports :math:`E(q)`. So what a step method will
run can be held against the model's graph without another function to compile.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from pymc.blocking import PointType

from ..potential.agreement import density_of
from ..potential.conditional import Conditional
from ..potential.rest import Potential, Rest, compile_probe
from ..step_sizes.metric import without_correlations
from .leapfrog import Trajectory
from .trees.trajectory_tree import Tree
from .windowed import Windows

# Steps are so short that energies hardly change, which a tree asks for, and so long that rounding
# of the position makes an error of the gradient, relative to 1 plus its size, of 4e-10 at most. Far
# from zero, in units of the posterior's width, only steps of the second length end anywhere, with
# errors up to 4e-7.
LENGTHS = 1e-6, 1e-9


def potential_by_first_step(
    first_step: Callable[..., tuple[float, np.ndarray]],
    conditional: Conditional,
    rest: Rest,
    metric: str = "diag",
    exact: bool = True,
) -> Potential:
    """Return the potential of a block as its compiled trajectories have it.

    Parameters
    ----------
    first_step : callable
        Takes ``(q, metric, mean, precision, data)`` and returns the potential energy at ``q`` and
        the position after one leapfrog step without momentum.
    conditional : Conditional
        The block.
    rest : Rest
        Its compiled energy, with gradient.
    metric : {"diag", "dense", "unit"}
        Kind of metric of the trajectories.
    exact : bool
        Whether the first step is the exact one above. Integrators of higher order look at gradients
        on its way too; only short steps tell those at its start.

    Returns
    -------
    callable
        From a point to the energy and its gradient; where positions are too coarse for any step, by
        a function compiled for that.

    Examples
    --------
    >>> from functools import partial
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.dynamics.first_step import first_leapfrog, potential_by_first_step
    >>> from pymc_bnn.samplers.dynamics.leapfrog import compile_leapfrog
    >>> from pymc_bnn.samplers.potential.conditional import Conditional
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x", 0, 2)
    >>> block = Conditional(model, ["x"])
    >>> rest = block.compile_rest(gradient=True)
    >>> first_step = partial(first_leapfrog, compile_leapfrog(block, rest))
    >>> energy, gradient = potential_by_first_step(first_step, block, rest)({"x": np.array(1.0)})
    >>> energy, gradient.round(6)
    (0.125, array([0.25]))
    """

    def potential(point: PointType) -> tuple[float, np.ndarray]:
        q, parameters = conditional.layout.ravel(point), conditional.parameters(point)
        expected = conditional.layout.ravel(density_of(conditional.model)(point).gradient)
        given = parameters.mean, parameters.precision, conditional.data(rest, point, parameters)
        for length in LENGTHS[not exact :]:
            squares = length * (1 + np.abs(q)) / (1 + np.abs(expected))
            step_sizes = without_correlations(np.sqrt(squares), metric)
            energy, moved = first_step(q, step_sizes, *given)
            if np.isfinite(moved).all():
                return energy, 2 * (q - moved) / squares
        return compile_probe(conditional, rest)(point)

    return potential


def first_leapfrog(
    run: Callable[..., Any], q: np.ndarray, step_sizes: np.ndarray, *given: Any
) -> tuple[float, np.ndarray]:
    """Take the first step of a compiled trajectory, without momentum.

    Parameters
    ----------
    run : callable
        What :func:`.compile_leapfrog` returned.
    q, step_sizes, *given
        The position, step sizes, and the mean, precision and data of :func:`.leapfrog.leapfrog`.

    Returns
    -------
    potential : float
        Potential energy at ``q``.
    position : ndarray, shape (size,)
        Where the step ends; undefined if the step does not end at a finite energy.
    """
    end: Trajectory = run(q, np.zeros(q.size), step_sizes, 1, *given)
    return float(end.initial_potential), end.position


def first_of_windows(
    run: Callable[..., Any], q: np.ndarray, metric: np.ndarray, *given: Any
) -> tuple[float, np.ndarray]:
    """Do as :func:`first_leapfrog` with what :func:`.compile_windowed` returned."""
    n_leapfrog, window, offset, uniforms = 1, 1, 0, np.zeros(1)
    still = np.zeros(q.size)
    found: Windows = run(q, still, metric, n_leapfrog, window, offset, uniforms, *given)
    taken = np.isfinite(found.errors[1])
    return float(found.potentials[0]), found.positions[1] if taken else np.full(q.size, np.nan)


def first_leaf(
    run: Callable[..., Any], q: np.ndarray, metric: np.ndarray, *given: Any
) -> tuple[float, np.ndarray]:
    """Do as :func:`first_leapfrog` with what :func:`.compile_tree` returned: grow one leaf."""
    depth, threshold, forwards = 1, 0.0, np.ones(1, np.int64)
    smallest = np.full(3, np.nextafter(0.0, 1.0))  # they choose any leaf that does not diverge
    tree: Tree = run(q, np.zeros(q.size), metric, depth, threshold, forwards, smallest, *given)
    start_potential = float(tree.energy - tree.energy_error)
    return start_potential, np.full(q.size, np.nan) if tree.diverging else tree.position

r"""Coordinates on the whole line for a variable within bounds, by mirrored replicas.

A trajectory that meets a wall of :math:`[a, b]` should come back from it. Put a mirror at each
wall: the line is filled with copies of the interval, every second one reversed, and a point

.. math:: x \mapsto w = b - \bigl| (x - a) \bmod 2 (b - a) - (b - a) \bigr|

of any copy stands for a point of the interval (Neal 1992, Eqs. 28-29). The map neither stretches
nor shrinks, so that the density needs no correction, and the potential energy is continuous:
leapfrog steps go on into the next copy, which is what a reflection is in the first one. All copies
are the same, so that it does not matter in which of them a chain is, as long as trajectories depend
on positions by gradients alone: steps that look at positions themselves are refused.
"""

from typing import Any

import pytensor.tensor as pt
from pymc.distributions.transforms import Transform
from pytensor.tensor.variable import TensorVariable


class Reflected(Transform):
    """Transform of a variable between two walls, which reflect it.

    Parameters
    ----------
    lower, upper : float
        The walls.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.models.priors.reflection import Reflected
    >>> fold = Reflected(-1.0, 1.0)
    >>> fold.backward([0.5, 1.5, 2.5, 3.5]).eval()
    array([ 0.5,  0.5, -0.5, -0.5])
    >>> with pm.Model():
    ...     x = pm.Uniform("x", -1, 1, default_transform=fold)
    """

    name = "reflected"
    ndim_supp = 0

    def __init__(self, lower: float, upper: float):
        self.lower, self.upper = float(lower), float(upper)

    def forward(self, value: Any, *inputs: Any) -> TensorVariable:
        """Coordinate of a point: itself, in the copy between the walls."""
        return pt.as_tensor(value)

    def backward(self, value: Any, *inputs: Any) -> TensorVariable:
        """Point for which a coordinate stands."""
        width = self.upper - self.lower
        return self.upper - abs(pt.mod(pt.as_tensor(value) - self.lower, 2 * width) - width)

    def log_jac_det(self, value: Any, *inputs: Any) -> TensorVariable:
        """Logarithm of how much the map stretches: nothing."""
        return pt.zeros_like(value)

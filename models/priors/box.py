"""Uniform prior between walls."""

from dataclasses import dataclass

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable

from ..data.choices import choose
from .base import Group, Prior
from .reflection import Reflected
from .settings import positive

WALLS = ("reflect", "reject")


@dataclass(frozen=True)
class Box(Prior):
    r"""Independent weights, uniform within walls (Baldock & Marzari 2019, Eqs. 6 and 11).

    .. math:: |w_i| < \frac{\text{factor}}{\sqrt{k_i}}, \qquad k_i = N_\mathrm{in} + 1

    with :math:`k_i` the number of units that feed the layer and its bias. Networks are commonly
    initialised in such a box with a factor of 1.

    Parameters
    ----------
    factor : float
        Half of the box's width in units of :math:`1 / \sqrt{k_i}`: 50 for the paper's M(3) and
        M(1), 1000 for its M(3*).
    walls : {"reflect", "reject"}
        What becomes of a trajectory at a wall: it is reflected, through the coordinates of
        :class:`.reflection.Reflected`; or it is rejected, as in the paper's Algorithm 1, here as
        soon as it leaves the box, which counts as a divergence. Where the data leave many weights
        free, hardly any trajectory of useful length stays within all walls.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> models.Box(factor=50).words()
    'uniform, between ±50 / sqrt(number of incoming units + 1)'
    """

    factor: float = 50.0
    walls: str = "reflect"

    def __post_init__(self) -> None:
        positive("Box", factor=self.factor)
        choose("walls", self.walls, WALLS)

    def wall(self, group: Group) -> float:
        """Where the upper wall of a group stands; the lower one is opposite."""
        return float(self.factor) / float(np.sqrt(group.fan_in + 1))

    def scale(self, group: Group) -> np.float64:
        """Standard deviation of the weights."""
        return np.float64(self.wall(group) / np.sqrt(3.0))

    def declare(
        self, group: Group, scale: TensorVariable | np.float64, parametrization: str
    ) -> TensorVariable:
        """Declare the weights of a group."""
        if parametrization != "centered":
            raise ValueError(
                'parametrization="noncentered": walls are fixed, so that there is nothing to take '
                "out of the weights; leave it out."
            )
        wall = self.wall(group)
        reflected = Reflected(-wall, wall) if self.walls == "reflect" else None
        return pm.Uniform(group.name, -wall, wall, dims=group.dims, default_transform=reflected)

    def initial(self, group: Group, rng: np.random.Generator, spread: float = 1.0) -> np.ndarray:
        r"""Draw weights to start from: uniform, between ±spread :math:`/ \sqrt{k_i}` (3.2)."""
        size = min(spread, self.factor) / self.factor * self.wall(group)
        return rng.uniform(-size, size, size=group.shape)

    def words(self) -> str:
        """Say the prior in words."""
        return f"uniform, between ±{self.factor:g} / sqrt(number of incoming units + 1)"

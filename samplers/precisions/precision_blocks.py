"""Blocks of precisions that are independent given all else, and their updates.

Precisions that scale the same variable, as the global and local ones of a horseshoe, or of which
one sets the rate of another, depend on each other: they are drawn one after the other.
"""

from collections.abc import Sequence

import numpy as np
import pymc as pm
from pymc.blocking import PointType

from ..potential.layout import Layout
from .conjugacy import ConjugatePrecision
from .interweaving import Interweaving
from .sufficient_statistics import SufficientStatistics


def independent_blocks(precisions: Sequence[ConjugatePrecision]) -> list[list[ConjugatePrecision]]:
    """Split precisions into blocks within which they are independent given all else.

    Parameters
    ----------
    precisions : sequence of ConjugatePrecision
        The precisions.

    Returns
    -------
    list of list of ConjugatePrecision
        Each in the first block that has nothing it depends on; one block if nothing is shared.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.precisions.conjugacy import conjugate_precisions
    >>> from pymc_bnn.samplers.precisions.precision_blocks import independent_blocks
    >>> with pm.Model() as model:
    ...     a, b = pm.Gamma("a", 2, 2), pm.Gamma("b", 2, 2)
    ...     noise = pm.Gamma("noise", 2, 2)
    ...     x = pm.Normal("x", 0, tau=a * b)
    ...     y = pm.Normal("y", x, tau=noise, observed=[1.0, 2.0])
    >>> blocks = independent_blocks(conjugate_precisions(model))
    >>> [[precision.variable.name for precision in block] for block in blocks]
    [['a', 'noise'], ['b']]
    """
    blocks: list[list[ConjugatePrecision]] = []
    for precision in precisions:
        free = (b for b in blocks if not any(_linked(precision, other) for other in b))
        block = next(free, None)
        if block is None:
            blocks.append([precision])
        else:
            block.append(precision)
    return blocks


def _linked(one: ConjugatePrecision, other: ConjugatePrecision) -> bool:
    """Whether two precisions share a child, or one is the other's child."""
    first = {one.variable, *(child.variable for child in one.children)}
    return not first.isdisjoint({other.variable, *(child.variable for child in other.children)})


class PrecisionBlock:
    """Exact draws of precisions that are independent given all else, then interweaving.

    Parameters
    ----------
    model : pm.Model
        The model.
    precisions : sequence of ConjugatePrecision
        The precisions, in the order of ``model.value_vars``.
    drawn : sequence of ConjugatePrecision
        Those of all blocks.
    interweave : bool
        Whether to add the interweaving move.
    """

    def __init__(
        self,
        model: pm.Model,
        precisions: Sequence[ConjugatePrecision],
        drawn: Sequence[ConjugatePrecision],
        interweave: bool,
    ):
        self.layout = Layout(model, [str(precision.value.name) for precision in precisions])
        self.statistics = SufficientStatistics(model, precisions, drawn)
        self.interweaving = (
            Interweaving(model, self.statistics, self.layout) if interweave else None
        )

    def __call__(self, point: PointType, rng: np.random.Generator) -> tuple[PointType, int]:
        """Draw the precisions of a point given the rest, then interweave them one by one.

        Returns
        -------
        point : dict
            The new point.
        evaluations : int
            Number of passes through the network, or evaluations of the density.
        """
        shape, rate = self.statistics(point, rng)
        precision = rng.standard_gamma(shape) / rate
        point = self.layout.unravel(np.log(precision), point)
        if self.interweaving is None:
            return point, 0
        return self.interweaving(point, rng)

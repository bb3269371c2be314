"""Updates of precisions that are independent given all else."""

from collections.abc import Sequence

import numpy as np
import pymc as pm
from pymc.blocking import PointType

from ..potential.layout import Layout
from .conjugacy import ConjugatePrecision
from .interweaving import Interweaving
from .sufficient_statistics import SufficientStatistics


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
        remaining = self.statistics.remaining(point, rng)
        shape, rate = self.statistics.with_members(point, *remaining)
        precision = rng.standard_gamma(shape) / rate
        point = self.layout.unravel(np.log(precision), point)
        if self.interweaving is None:
            return point, 0
        return self.interweaving(point, rng, remaining[:2])

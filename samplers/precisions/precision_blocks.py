"""Updates of precisions that are independent given all else."""

from collections.abc import Sequence

import numpy as np
import pymc as pm
from pymc.blocking import PointType

from ..potential.layout import Layout
from .conjugacy import ConjugatePrecision
from .interweaving import Interweaving
from .sufficient_statistics import SufficientStatistics

LEAST_LOG = float(-1075 * np.log(2.0))  # smaller numbers are rounded to zero


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
        point = self.layout.unravel(log_gamma(rng, shape, rate), point)
        if self.interweaving is None:
            return point, 0
        return self.interweaving(point, rng, remaining[:2])


def log_gamma(rng: np.random.Generator, shape: np.ndarray, rate: np.ndarray) -> np.ndarray:
    r"""Draw logarithms of gamma variables, also of those that are too small for a number.

    Below the smallest number :math:`g_0` the density of a gamma variable is :math:`g^{a - 1}` to
    rounding, so that :math:`\log g` is there :math:`\log g_0 + \log(U) / a` with a uniform
    :math:`U`.

    Parameters
    ----------
    rng : Generator
        Where random numbers come from; as many as for ``standard_gamma`` in all usual cases.
    shape, rate : ndarray, shape (n,)
        Of the gamma distributions.

    Returns
    -------
    ndarray, shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.precisions.precision_blocks import log_gamma
    >>> rng = np.random.default_rng(1)
    >>> drawn = log_gamma(rng, np.full(10_000, 0.001), np.ones(10_000))
    >>> bool(np.isfinite(drawn).all()), bool(abs(np.exp(0.001 * drawn).mean() - 0.5) < 0.01)
    (True, True)
    """
    drawn = rng.standard_gamma(shape)
    with np.errstate(divide="ignore", over="ignore"):
        found = np.log(drawn / rate)
    odd = ~np.isfinite(found)
    if odd.any():
        with np.errstate(divide="ignore"):
            logs = np.log(drawn[odd])
        below = LEAST_LOG + np.log(1.0 - rng.random(logs.size)) / shape[odd]
        found[odd] = np.where(drawn[odd] == 0, below, logs) - np.log(rate[odd])
    return found

"""Gibbs sampling of precisions, with interweaving."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from pymc.util import RandomGenerator

from ...models.data.choices import check_flags
from ..compiled.engine import compiles
from ..potential.agreement import check_conditionals
from ..potential.layout import value_names
from ..precisions.conjugacy import conjugate_precision, conjugate_precisions
from ..precisions.independent_blocks import independent_blocks
from ..precisions.precision_blocks import PrecisionBlock
from .bases.compiled_step import CompiledStep

STATISTICS: dict[str, tuple[type, list]] = {
    "interweave_evaluations": (np.int64, []),
    "gibbs_perf_counter_diff": (np.float64, []),
}


class GibbsPrecision(CompiledStep):
    r"""Exact draws of gamma precisions from their conditional distributions.

    Given the :math:`n_j` normal variables it scales, a precision is drawn from

    .. math:: \tau_j \mid x \sim \mathrm{Gamma}\Bigl(a_j + \tfrac{n_j}{2},\;
              b_j + \tfrac12 \sum_{k: j(k) = j} \frac{(x_k - m_k)^2}{c_k^2}\Bigr)

    (Neal 1995, 3.2.1; Choo 2000, Eqs. 3.11-3.12; Lau 2018, Algorithm 15): those of weight groups,
    of ARD units, of noise, and of any other normal variable. With interweaving each precision of
    free variables then moves a second time, together with the variables it scales (see
    :mod:`.interweaving`). That changes the weights, yet they are not among the step's variables:
    another step has to move them as well.

    The factors :math:`c_k` may hold other precisions, and the rate :math:`b_j` may be :math:`r` or
    a multiple of it, with a gamma prior; it is then drawn too, given
    :math:`\tau_j \mid r \sim \mathrm{Gamma}(a_j, r)`. So all scales of a
    :class:`pymc_bnn.models.ConjugateHorseshoe` are (Makalic & Schmidt 2016). Precisions that depend
    on each other are drawn in turn, all others at once.

    Parameters
    ----------
    vars : sequence of str or Variable, optional
        The precisions; by default all gamma variables that set the scale of a normal one, and
        conjugate ones that set the rate of a precision.
    interweave : bool
        Whether to add the interweaving move.
    model : pm.Model, optional
        The model; by default that of the context.
    rng : Generator or seed, optional
        Where random numbers come from outside ``pm.sample``, which brings its own.

    Raises
    ------
    NotConjugateError
        If a precision is not conjugate; the message names it and says why.
    ValueError
        If there is no precision.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model():
    ...     tau = pm.Gamma("tau", 0.5, 0.5)
    ...     x = pm.Normal("x", 0, tau=tau, observed=np.arange(5.0))
    ...     idata = pm.sample(draws=10, tune=0, chains=1, step=samplers.GibbsPrecision(),
    ...                       progressbar=False, quiet=True, random_seed=1)
    >>> bool((idata["posterior"]["tau"] > 0).all())
    True
    """

    name = "gibbs_precision"
    stats_dtypes_shapes = STATISTICS
    compiled = ("_blocks",)
    clock = "gibbs_perf_counter_diff"

    @compiles
    def __init__(
        self,
        vars: Sequence | None = None,
        interweave: bool = True,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
    ):
        model = pm.modelcontext(model)
        check_flags(interweave=interweave)
        self.interweaves = interweave
        self.precisions = self._find(model, vars)
        super().__init__(model, [precision.value for precision in self.precisions], rng)
        self._compile()

    def _find(self, model: pm.Model, vars: Sequence | None) -> list:
        if vars is None:
            precisions = conjugate_precisions(model)
        else:
            names = set(value_names(model, vars))
            rvs = [model.values_to_rvs[v] for v in model.value_vars if v.name in names]
            precisions = [conjugate_precision(model, rv) for rv in rvs]
        if not precisions:
            raise ValueError(
                "GibbsPrecision finds no gamma precision in the model; leave the step out."
            )
        return precisions

    def _build(self) -> None:
        self._blocks = [
            PrecisionBlock(self.model, block, self.precisions, self.interweaves)
            for block in independent_blocks(self.precisions)
        ]

    def _check_agreement(self) -> None:
        for block in self._blocks:
            check_conditionals(self.model, block.layout, block.statistics, type(self).__name__)

    def _iterate(self, point: PointType) -> tuple[PointType, dict[str, Any]]:
        """Draw all precisions given the rest, block by block, each with its interweaving."""
        evaluations = 0
        for block in self._blocks:
            point, passes = block(point, self.rng)
            evaluations += passes
        return point, {"interweave_evaluations": evaluations}

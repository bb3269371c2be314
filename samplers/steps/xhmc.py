"""Exhaustive Hamiltonian Monte Carlo, with its trees in compiled code."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm
from pymc.util import RandomGenerator

from ...models.data.choices import check_flags, check_positive
from ..dynamics.trees.exhaustion import EXHAUSTION, MEAN_EXHAUSTION
from ..dynamics.trees.trajectory_tree import Tree
from .bases.dynamic_hmc import DynamicHMC


class XHMC(DynamicHMC):
    r"""Hamiltonian Monte Carlo whose trajectories grow until they have explored their energy level.

    A trajectory :math:`\mathfrak t` ends when the rate of change of the virial
    :math:`G = q \cdot p`, whose average along a trajectory tends to zero as it grows, is small:

    .. math:: \frac{1}{|\mathfrak t|} \Big|\sum_{z \in \mathfrak t} \mathbb P[z \mid \mathfrak t]\,
        \frac{dG}{dt}(z)\Big| \le \delta, \qquad
        \frac{dG}{dt} = p^\top M^{-1} p - q \cdot \nabla E(q),

    with :math:`\mathbb P[z \mid \mathfrak t] \propto e^{-H(z)}` and :math:`|\mathfrak t|` points
    (Betancourt 2016; Lau 2018, 2.3, Algorithms 7 and 13). All else is as for :class:`NUTS`: growth
    by doubling, multinomial weights, a step size learnt by dual averaging (2.4, Algorithm 8) and
    a metric learnt in windows (2.5).

    The criterion sums over all variables and depends on where their zero is, not on linear
    transformations of them. The thesis gives the formula above; Stan's unexposed sampler leaves
    out the first :math:`1/|\mathfrak t|` (``per_point=False``), so that its trajectories are much
    longer for the same threshold, the more so the more variables there are. And the thesis's
    algorithms let the whole trajectory end at :math:`2\delta`, unlike the subtrees of its branches;
    then some points would not have grown it with the same probability, so here both have the same
    threshold.

    Parameters
    ----------
    vars : sequence of str or Variable, optional
        Variables to move; by default every continuous variable but the conjugate precisions, which
        are left to :class:`GibbsPrecision` or another step and named in PyMC's log.
    delta : float
        Threshold; trajectories are longer with a smaller one.
    per_point : bool
        Whether the weighted mean is divided by the number of points once more, as the thesis prints
        it. Without that the criterion is Stan's.
    metric : {"diag", "dense", "unit"}
        What ``"adapt"`` learns besides a step size: the variances of the variables, their
        covariance, or nothing.
    target_accept : float
        Mean acceptance at which warm-up aims.
    max_treedepth : int
        Most doublings of a trajectory.
    step_sizes : {"adapt", "neal"}
        Where the step sizes come from, as for :class:`StaticHMC`.
    step_scale : float
        Step size that warm-up starts from.
    model : pm.Model, optional
        The model; by default that of the context.
    rng : Generator or seed, optional
        Where random numbers come from outside ``pm.sample``, which brings its own.

    Raises
    ------
    ValueError
        If an argument is not valid.

    Notes
    -----
    The statistic ``exhaustion`` is the left-hand side of the criterion, for the trajectory on which
    the draw was chosen. It exceeds ``delta`` where growth was stopped by a divergence, by the
    maximal depth, or by a branch of which a part had met the criterion; it is undefined where the
    first leapfrog step diverged.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model():
    ...     x = pm.Normal("x", shape=3)
    ...     idata = pm.sample(draws=20, tune=20, chains=1, step=samplers.XHMC(delta=0.1),
    ...                       progressbar=False, quiet=True, random_seed=1)
    >>> bool((idata["sample_stats"]["exhaustion"] >= 0).all())
    True
    """

    name = "xhmc"
    criterion = EXHAUSTION
    translates = False  # the virial depends on where zero is
    stats_dtypes_shapes = DynamicHMC.stats_dtypes_shapes | {"exhaustion": (np.float64, [])}

    def __init__(
        self,
        vars: Sequence | None = None,
        delta: float = 0.1,
        metric: str = "diag",
        target_accept: float = 0.8,
        max_treedepth: int = 10,
        step_sizes: str = "adapt",
        step_scale: float = 0.1,
        per_point: bool = True,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
    ):
        check_positive(delta=delta)
        check_flags(per_point=per_point)
        self.threshold = float(delta)
        self.criterion = EXHAUSTION if per_point else MEAN_EXHAUSTION
        super().__init__(
            vars, target_accept, max_treedepth, step_sizes, step_scale, metric, model=model, rng=rng
        )

    def _statistics(self, tree: Tree) -> dict[str, Any]:
        return super()._statistics(tree) | {"exhaustion": tree.measure}

"""Gibbs sampling and Hamiltonian Monte Carlo of a network as one step."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from pymc.util import RandomGenerator

from ...models.bnn import BNN
from ...models.data.choices import check_counts, check_flags
from ..potential.recognition import check_alone, likelihood_of, weight_values, why_no_kernel
from ..precisions.closed_form import ClosedForm
from ..precisions.collapsed_output import collapsed_moves, find_form
from ..precisions.hierarchy import find_hierarchy
from ..precisions.output_regression import LARGEST
from ..precisions.targets_near_zero import FARTHEST, are_near_zero
from ..step_sizes.jitter import check_jitter, jitter_factors
from ..sweeps.gibbs import Swept, compile_sweep, entries_of
from ..sweeps.hierarchy_checks import check_hierarchy
from .bases.hamiltonian import STATISTICS, Transition, transition_of
from .bases.momentum_step import MomentumStep


class GibbsHMC(MomentumStep):
    r"""Updates of :class:`GibbsPrecision` and :class:`StaticHMC` in turn, many per recorded draw.

    For networks whose weights are normal given conjugate precisions. Whole sweeps run in compiled
    code, so that nothing but arithmetic takes time even in a small network: Gibbs draws of all
    precisions (Neal 1995, 3.2.1), interweaving, step sizes from the curvature at the new
    precisions (3.2.2), and a trajectory.

    With ``persistence`` :math:`\alpha` a trajectory begins with

    .. math:: p \leftarrow \alpha p + \sqrt{1 - \alpha^2}\, n, \qquad n \sim N(0, I)

    from the momentum :math:`p` that the last one ended with; where that one's end was rejected,
    from the one that it began with, negated: :math:`p \leftarrow -p` (Horowitz 1991; Neal 1995,
    3.5; see :mod:`.momentum`). Momenta are in units in which they are standard normal whatever the
    precisions, so that other step sizes for the next trajectory leave them as they are.

    Parameters
    ----------
    n_leapfrog : int
        Leapfrog steps per trajectory.
    step_scale : float
        The step size adjustment factor, or the one that warm-up starts from.
    thin : int
        Sweeps per recorded draw.
    interweave : bool
        Whether precisions and weights also move together.
    collapse : bool, optional
        Whether they do so with the last layer integrated out (see :mod:`.collapsed_output`), which
        needs normal noise; by default where that is possible, the layer not too large, and targets
        not so far from zero that their squares lack digits.
    jitter : {None, "uniform", "log-normal", "cauchy"}
        Random factor of the step size (Neal 1992, Eq. 23).
    jitter_spread : float
        Spread of that factor.
    target_accept : float, optional
        Mean acceptance at which warm-up aims by changing the factor. Without it the factor stays,
        and only a chain that stands still in warm-up takes smaller steps until it moves (see
        :mod:`.given_factor`).
    precision : {"float64", "float32"}
        Precision of the pass through the network. Single precision takes about half the time on
        large networks; sums, leapfrog updates and the accept test stay in double precision, so
        that the draws are as right, with a little more energy error.
    persistence : float
        Share :math:`\alpha` of the momentum that a trajectory takes over from the last one, from 0
        to less than 1.
    model : BNN, optional
        The model; by default that of the context.
    rng : Generator or seed, optional
        Where random numbers come from outside ``pm.sample``, which brings its own.

    Raises
    ------
    ValueError
        If an argument is not valid, or the model is not such a network.

    Notes
    -----
    A run with ``thin=k`` records every ``k``-th draw of one without, and its statistics are those
    of these draws: ``diverging``, as ``energy_error`` and ``trajectory_accepted``, is about the
    trajectory that ended in the draw, as in PyMC, so that its mean estimates the share of
    trajectories that diverge. ``divergences`` counts all trajectories that did since warm-up, also
    those of sweeps that are not recorded, and ``transitions`` the trajectories of each draw.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import models, samplers
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> with models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,)):
    ...     idata = pm.sample(draws=10, tune=10, chains=1, progressbar=False, quiet=True,
    ...                       step=samplers.GibbsHMC(n_leapfrog=20, thin=5), random_seed=1)
    >>> int(idata["sample_stats"]["n_steps"][0, 0])
    100
    """

    name = "gibbs_hmc"
    compiled = (*MomentumStep.compiled, "_entries")
    stats_dtypes_shapes = STATISTICS | {
        "trajectory_accepted": (bool, []),
        "interweave_evaluations": (np.int64, []),
    }

    def __init__(
        self,
        n_leapfrog: int = 100,
        step_scale: float = 0.3,
        thin: int = 1,
        interweave: bool = True,
        collapse: bool | None = None,
        jitter: str | None = None,
        jitter_spread: float = 0.1,
        target_accept: float | None = None,
        precision: str = "float64",
        persistence: float = 0.0,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
    ):
        check_jitter(jitter, jitter_spread)
        check_counts(n_leapfrog=n_leapfrog, thin=thin)
        check_flags(interweave=interweave, collapse=collapse is not None and collapse)
        self.n_leapfrog, self.thin, self.interweaves = int(n_leapfrog), int(thin), interweave
        self.collapses = interweave if collapse is None else collapse
        self.must_collapse = bool(collapse)
        if self.collapses and not interweave:
            raise ValueError("collapse=True needs interweave=True, which makes the moves.")
        self.jitter, self.jitter_spread = jitter, float(jitter_spread)
        self._carry(persistence)
        model = pm.modelcontext(model)
        if not isinstance(model, BNN):
            raise ValueError("GibbsHMC needs a pymc_bnn network; use StaticHMC or NUTS.")
        check_alone(model, type(self).__name__)
        weights = weight_values(model)
        super().__init__(model, weights, True, step_scale, target_accept, rng, precision)
        self.vars = list(model.value_vars)

    def _compile_run(self) -> Callable[..., Any]:
        if not self.conditional.fused:
            reason = why_no_kernel(self.model) or "only the centred parametrization has a kernel"
            raise ValueError(
                f"GibbsHMC cannot sample this model, as {reason}; recommended_steps(model) chooses "
                "others."
            )
        self.hierarchy = find_hierarchy(self.conditional, self.interweaves, type(self).__name__)
        self.moving = self.hierarchy  # with the moves of a sweep
        self.closed_form = ClosedForm(self.conditional, self.hierarchy)
        self.conditional.closed_form = self.closed_form
        self.precisions = self.closed_form.precisions
        self.collapsed_form = self._collapse() if self.collapses else None
        model, form = self.model, self.collapsed_form
        self._entries = entries_of(model.activation, likelihood_of(model), form)
        return compile_sweep(form, self.momentum_kind)

    def check_terms(self) -> None:
        """Refuse targets that came later, too, if they lie too far from zero to be collapsed."""
        super().check_terms()
        if self.collapses and not are_near_zero(self.model):
            raise ValueError(
                f"The model got targets that lie more than {FARTHEST:g} times as far from 0 as "
                "their noise is wide, or may be so, after GibbsHMC was made; make the step anew."
            )

    def _check_agreement(self) -> None:
        super()._check_agreement()
        check_hierarchy(self.conditional, self.hierarchy, self.precisions, type(self).__name__)

    def _collapse(self) -> str | None:
        """Choose how to integrate the last layer out, and the moves that go with it."""
        found = self.conditional.model, self.hierarchy, self.conditional.layout
        form = find_form(*found)
        self.collapses = form is not None
        if self.collapses:
            self.moving = collapsed_moves(*found)
        elif self.must_collapse:
            raise ValueError(
                "collapse=True needs normal noise, a hidden layer, weights of the last layer whose "
                f"prior mean is 0, at most {LARGEST} cases or weights of an output, and targets no "
                f"more than {FARTHEST:g} times as far from 0 as their noise is wide, whose prior "
                "must not be so vague that digits are lost where it is narrow; leave it out."
            )
        return form

    def _advance(self, point: PointType, factor: float) -> tuple[PointType, Transition]:
        assert self._neal is not None
        conditional, model = self.conditional, self.model
        parameters = conditional.parameters(point)
        log_precision, q = self.precisions.ravel(point), conditional.layout.ravel(point)
        factors = factor * jitter_factors(self.jitter, self.rng, self.jitter_spread, self.thin)
        found: Swept = self._run(
            self.rng,
            log_precision,
            q,
            self.momentum,
            self.rule,
            factors,
            self.n_leapfrog,
            self.moving,
            conditional.network_data(parameters, self._entries),
            conditional.data(self._rest, point, parameters),
            (
                self._neal.squares(),
                parameters.curvature,
                model.activation.largest_slope,
                model.activation.mean_square,
            ),
        )
        point = conditional.layout.unravel(q, self.precisions.unravel(log_precision, point))
        counts = {"n_steps": int(found.steps), "transitions": self.thin}
        moved = transition_of(q, found, **counts, interweave_evaluations=found.evaluations)
        constant = float(self.closed_form.log_constant(log_precision))
        return point, moved._replace(divergences=found.diverging, log_constant=constant)

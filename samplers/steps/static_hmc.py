"""Hamiltonian Monte Carlo with trajectories of a fixed number of leapfrog steps."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pymc as pm
from pymc.util import RandomGenerator

from ...models.data.choices import check_counts, choose, is_whole
from ..dynamics.first_step import first_leapfrog, first_of_windows, potential_by_first_step
from ..dynamics.integrators import INTEGRATORS
from ..dynamics.leapfrog import compile_leapfrog
from ..dynamics.partial_gradients import check_batches, compile_partial
from ..dynamics.transition import Outcome, compile_transition
from ..dynamics.windowed import Windows, compile_windowed
from ..potential.cases.batches_of_cases import BatchesOfCases
from ..potential.parameters import Parameters
from ..potential.rest import Potential, Rest
from ..step_sizes.jitter import check_jitter, jitter_factor
from ..step_sizes.reflecting_walls import check_not_reflected
from .bases.block_choice import block_names, say_what_is_left, weight_names
from .bases.hamiltonian import STATISTICS, Transition, transition_of
from .bases.momentum_step import MomentumStep


class StaticHMC(MomentumStep):
    r"""Hamiltonian Monte Carlo with a fixed number of leapfrog steps per trajectory.

    A trajectory from position :math:`q` with a fresh momentum ends in a proposal that is accepted
    with probability :math:`\min(1, e^{-\Delta H})` (Choo 2000, Algorithm 3; Neal 1995, 3.1). It
    runs in compiled code as a whole. With one step, ``n_leapfrog=1``, it is a step of Langevin
    dynamics with an accept test: with the potential :math:`E` and step sizes :math:`\epsilon`,

    .. math:: q \leftarrow q - \tfrac{\epsilon^2}{2} \nabla E(q) + \epsilon p.

    With a ``window`` of :math:`W > 1` states the choice is between the first :math:`W` states of
    a trajectory, with the current one at a random place among them, and the last :math:`W`, in
    proportion to the sums of :math:`e^{-H}`; then among the states of one window, in proportion
    to :math:`e^{-H}` (Neal 1994; Lau 2018, 2.2). Errors of the energy that come and go along a
    trajectory then cost fewer rejections.

    With ``persistence`` :math:`\alpha` a trajectory goes on with a part of the momentum :math:`p`
    that the last one ended with, so that short ones do not undo each other's way:

    .. math:: p \leftarrow \alpha p + \sqrt{1 - \alpha^2}\, n, \qquad n \sim N(0, I)

    Where an end is rejected, the momentum that its trajectory began with is negated,
    :math:`p \leftarrow -p` (Horowitz 1991; Neal 1995, 3.5; see :mod:`.momentum`).

    With ``partial_gradients`` :math:`K` step :math:`i = 0, 1, \dots` of a trajectory follows the
    gradient of batch

    .. math:: b_i = \min(r_i, 2 K - 1 - r_i), \qquad r_i = i \bmod 2 K,

    there and back again, :math:`K` times that of the likelihood of its cases
    :math:`b_i, b_i + K, b_i + 2 K, \dots` (Neal 1995, 3.5; see :mod:`.partial_gradients`).

    With ``step_sizes="neal"`` the steps of a network's weights follow from the curvature at the
    current hyperparameters, which other steps update, anew in each iteration (Neal 1995, 3.2.2;
    Choo 2000, Eqs. 2.18 and 4.30-4.34). With ``"adapt"`` they are learnt in warm-up, for any
    continuous variables of any model.

    Parameters
    ----------
    vars : sequence of str or Variable, optional
        Variables to move. By default the weights of a network with ``"neal"``, and with
        ``"adapt"`` every continuous variable but the conjugate precisions, which are named in
        PyMC's log.
    n_leapfrog : int
        Leapfrog steps per trajectory. A trajectory about as long as a variable's period comes back
        to where it began, again and again where one or few variables have no others to disturb
        them: give ``jitter`` there, as :func:`samplers.sample` does.
    step_scale : float
        The step size adjustment factor (eta of Neal and Choo), or the one that warm-up starts
        from.
    step_sizes : {"neal", "adapt"}
        Where the step sizes come from.
    jitter : {None, "uniform", "log-normal", "cauchy"}
        Random factor of the step size (Neal 1992, Eq. 23).
    jitter_spread : float
        Spread of that factor.
    target_accept : float, optional
        Mean acceptance at which warm-up aims by changing the factor. Without it the factor
        stays ``step_scale``, except that ``"adapt"`` aims at 0.8 and that a chain which stands
        still in warm-up takes smaller steps until it moves (see :mod:`.given_factor`). Windows
        that overlap are accepted whatever the factor; there the aim is the mean acceptance that
        the states of the accept window would have by themselves.
    precision : {"float64", "float32"}
        Of the pass through the network. Single precision takes about half the time on large ones;
        sums, leapfrog updates and the accept test stay in double, so that draws are as right.
    window : int
        States of each window, from 1, which is plain Hamiltonian Monte Carlo, to
        ``n_leapfrog + 1``, where a state is chosen from the whole trajectory.
    metric : {"diag", "dense", "unit"}, optional
        What ``"adapt"`` learns about the scales of the variables: standard deviations, which is
        the default, their covariance, or nothing but the factor (Lau 2018, 2.5). A covariance
        takes more draws of warm-up than there are variables, and products with a matrix in each
        leapfrog step.
    persistence : float
        Share of the momentum that is kept, from 0 to less than 1; for ``window=1``.
    integrator : {"leapfrog", "fourth-order"}
        A step of fourth order takes three gradients (see :mod:`.integrators`). As it turns from
        accurate to unstable at once, a learnt one may keep chains from where the energy curves
        more, with a few divergences as the only sign: give a smaller one without warm-up then.
    partial_gradients : int
        Batches of cases whose gradients are followed in turn, for the weights of a network with a
        fused kernel. The accept test takes all cases, so that draws are as right. ``n_leapfrog``
        counts steps by one batch, and has to be a multiple of twice their number.
    search_accept : float, optional
        Mean acceptance at which warm-up aims before its last interval, if that is lower. Longer
        steps find the typical set sooner, and scales are then not those of the way to it. Where no
        scales are learnt, there is no such interval.
    model : pm.Model, optional
        The model; by default that of the context.
    rng : Generator or seed, optional
        Where random numbers come from outside ``pm.sample``, which brings its own.

    Raises
    ------
    ValueError
        If an argument is not valid, or the model lacks the structure that ``"neal"`` needs.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import models, samplers
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> with models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,)):
    ...     steps = [samplers.GibbsPrecision(), samplers.StaticHMC(n_leapfrog=20)]
    ...     idata = pm.sample(draws=10, tune=10, chains=1, step=steps, progressbar=False,
    ...                       quiet=True, random_seed=1)
    >>> int(idata["sample_stats"]["n_steps"][0, 0])
    20

    Windows, and a metric for correlated variables:

    >>> with pm.Model():
    ...     x = pm.MvNormal("x", np.zeros(2), cov=np.array([[1.0, 0.99], [0.99, 1.0]]))
    ...     step = samplers.StaticHMC(n_leapfrog=7, step_sizes="adapt", window=3, metric="dense")
    ...     idata = pm.sample(draws=10, tune=200, chains=1, step=step, progressbar=False,
    ...                       quiet=True, random_seed=1)
    >>> step.adaptation.scale.shape
    (2, 2)
    """

    name = "static_hmc"
    compiled = (*MomentumStep.compiled, "_transition", "_batches")
    _batches: BatchesOfCases | None
    stats_dtypes_shapes = STATISTICS | {"trajectory_accepted": (bool, [])}

    def __init__(
        self,
        vars: Sequence | None = None,
        n_leapfrog: int = 100,
        step_scale: float = 0.3,
        step_sizes: str = "neal",
        jitter: str | None = None,
        jitter_spread: float = 0.1,
        target_accept: float | None = None,
        precision: str = "float64",
        window: int = 1,
        metric: str | None = None,
        persistence: float = 0.0,
        integrator: str = "leapfrog",
        partial_gradients: int = 1,
        search_accept: float | None = None,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
    ):
        curvature = choose("step_sizes", step_sizes, ("neal", "adapt")) == "neal"
        check_jitter(jitter, jitter_spread)
        check_counts(n_leapfrog=n_leapfrog)
        if not is_whole(window, 1) or window > n_leapfrog + 1:
            raise ValueError(
                f"window={window!r}: give a whole number from 1 to {int(n_leapfrog) + 1}, which is "
                "n_leapfrog + 1."
            )
        if curvature and metric is not None:
            raise ValueError(
                f'metric={metric!r} needs step_sizes="adapt"; those of "neal" follow from the '
                "curvature."
            )
        self._carry(persistence)
        if persistence and window > 1:
            raise ValueError(
                f"persistence={persistence!r} goes on from where a trajectory ends, and with "
                "windows it has no such place; leave one of the two out."
            )
        check_batches(partial_gradients, n_leapfrog, window, integrator)
        self.partial_gradients = int(partial_gradients)
        self.integrator = choose("integrator", integrator, INTEGRATORS)
        self.n_leapfrog, self.window = int(n_leapfrog), int(window)
        self.jitter, self.jitter_spread = jitter, float(jitter_spread)
        if target_accept is None and not curvature:
            target_accept = 0.8
        model = pm.modelcontext(model)
        names = weight_names(model, vars) if curvature else block_names(model, vars)
        if persistence:
            check_not_reflected(model, names, "persistence")
        if vars is None and not curvature:
            say_what_is_left(model, names, type(self).__name__)
        super().__init__(
            model,
            names,
            curvature,
            step_scale,
            target_accept,
            rng,
            precision,
            metric or "diag",
            search_accept,
        )

    def _compile_rest(self) -> Rest:
        count = self.partial_gradients
        self._batches = BatchesOfCases(self.conditional, count) if count > 1 else None
        return super()._compile_rest() if self._batches is None else self._batches.rest()

    def _compile_run(self) -> Callable[..., Any]:
        integrator = INTEGRATORS[self.integrator]
        if self._has_windows():
            run: Callable[..., Any] = compile_windowed(self._rest, self.metric, integrator)
        elif self.partial_gradients > 1:
            run = compile_partial(self.metric)
        else:
            run = compile_leapfrog(self.conditional, self._rest, self.metric, integrator)
        self._transition = compile_transition(run, self.momentum_kind)  # windows do without
        return run

    def _potential(self) -> Potential:
        if self._batches is not None:
            still = np.ones(self.conditional.layout.size)
            steps = np.diag(still) if self.metric == "dense" else still
            return self._batches.potential(self._run, steps)
        first = partial(first_of_windows if self._has_windows() else first_leapfrog, self._run)
        given = first, self.conditional, self._rest, self.metric, self.integrator == "leapfrog"
        return potential_by_first_step(*given)

    def _has_windows(self) -> bool:
        return self.window > 1

    def _factor(self) -> float:
        return super()._factor() * jitter_factor(self.jitter, self.rng, self.jitter_spread)

    def _move(
        self, q: np.ndarray, step_sizes: np.ndarray, parameters: Parameters, data: tuple
    ) -> Transition:
        given = (parameters.mean, parameters.precision, data)
        if self._has_windows():
            return self._move_by_windows(q, step_sizes, given)
        found: Outcome = self._transition(
            self.rng, q, self.momentum, self.rule, step_sizes, self.n_leapfrog, *given
        )
        return transition_of(q, found, n_steps=found.steps)

    def _move_by_windows(self, q: np.ndarray, step_sizes: np.ndarray, given: tuple) -> Transition:
        momentum = self.rng.standard_normal(q.size)
        n_leapfrog, window = self.n_leapfrog, self.window
        offset = int(self.rng.integers(window))
        uniforms = self.rng.random(2 * window - 1)
        found: Windows = self._run(
            q, momentum, step_sizes, n_leapfrog, window, offset, uniforms, *given
        )
        reject, accept = found.log_weights
        acceptance = float(np.exp(min(0.0, accept - reject)))
        accepted = bool(uniforms[0] < acceptance)
        choice = int(accepted)
        statistics = {
            "acceptance_rate": acceptance,
            "trajectory_accepted": accepted,
            "energy_error": float(found.errors[choice]),
            "diverging": bool(found.diverging),
            "n_steps": found.steps,
        }
        overlap = 2 * window > n_leapfrog + 1
        return Transition(
            found.positions[choice],
            float(found.potentials[choice]),
            found.start_energy + float(found.errors[choice]),
            statistics,
            found.acceptance if overlap else acceptance,
        )

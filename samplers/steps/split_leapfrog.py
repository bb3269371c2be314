"""Hamiltonian dynamics of weights and log precisions together."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from pymc.util import RandomGenerator

from ...models.bnn import BNN
from ...models.data.choices import check_counts, check_flags, check_positive, choose
from ..potential.conditional import Conditional
from ..potential.layout import Layout
from ..potential.parameters import Parameters
from ..potential.recognition import check_alone, likelihood_of, weight_values, why_no_kernel
from ..potential.temperature import share_temperature
from ..precisions.closed_form import ClosedForm
from ..precisions.hierarchy import find_hierarchy
from ..pymc_steps import dataclass_state
from ..sweeps.hierarchy_checks import check_hierarchy
from ..sweeps.split.estimates import first_estimate
from ..sweeps.split.products import room_for_products
from ..sweeps.split.state import Setting
from ..sweeps.split.sweep import Moved, compile_split_sweep
from ..sweeps.split.trajectory import entries_of
from ..sweeps.split.twin import check_twin
from .bases.hamiltonian import (
    STATISTICS,
    HamiltonianState,
    HamiltonianStep,
    Transition,
    transition_of,
)

STEP_SIZES = ("choo", "learnt")
ORDERS = ("random", "symmetric")


@dataclass_state
class SplitLeapfrogState(HamiltonianState):
    """State of one chain."""

    estimate: np.ndarray
    learnt_from: int


class SplitLeapfrog(HamiltonianStep):
    r"""Hamiltonian Monte Carlo that moves all weights and all log precisions of a network.

    A leapfrog step updates the weights with the precisions held, then the log precisions with the
    weights held, each with step sizes that follow from the block held fixed (Choo 2000,
    Algorithm 4). Whole trajectories run in compiled code.

    On a centred model this is Dynamical A (Eqs. 4.8-4.9, 4.45-4.48): the step of a log precision
    with prior shape :math:`a` and :math:`n` weights is :math:`\eta_h (a + n/2)^{-1/2}`, from the
    curvature at the precision's mean given its weights. On a non-centred model it is Dynamical B
    (Eqs. 4.14-4.44), where that curvature needs a forward and a backward pass at estimates of the
    log precisions (4.36-4.42). Steps of weights follow Neal's heuristic (4.27-4.34).

    Parameters
    ----------
    n_leapfrog : int
        Leapfrog steps per trajectory; each updates both blocks.
    step_scale : float
        Step size adjustment factor of the weights (eta of Choo, Eq. 4.44).
    hyper_step_scale : float, optional
        That of the log precisions (Eq. 4.43; section 6.2.3); by default the same.
    hyper_splits, parameter_splits : int
        Parts into which each update of log precisions or of weights is split, each with so many
        times smaller a step (6.2.2, 6.2.4).
    step_sizes : {"choo", "learnt"} or mapping of str to float
        Estimates of the precisions for Dynamical B's curvature: their prior means (4.35), the
        geometric means over warm-up, frozen after it, or given ones by name, such as
        ``{"w0_precision": 0.1, ...}``.
    tether : float, optional
        Standard deviation of the log precisions around anchors that each trajectory of a centred
        model draws around them. The steps of the weights are then those at the anchors, and stay
        as they are along the trajectory, which keeps its energy error bounded.
    order : {"random", "symmetric"}
        How a trajectory is made reversible (4.1.2): chance says which block moves first, or it
        begins and ends with half an update of the log precisions.
    thin : int
        Trajectories per recorded draw; statistics are as for :class:`GibbsHMC`.
    interweave : bool
        Whether each trajectory of a centred model is followed by the interweaving move.
    model : BNN, optional
        The model; by default that of the context.
    rng : Generator or seed, optional
        Where random numbers come from outside ``pm.sample``, which brings its own.

    Raises
    ------
    ValueError
        If an argument is not valid, or the model is not a network of weights and conjugate
        precisions alone.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import models, samplers
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> with models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,),
    ...                                  parametrization="noncentered"):
    ...     step = samplers.SplitLeapfrog(n_leapfrog=20, step_scale=0.1)
    ...     idata = pm.sample(draws=10, tune=10, chains=1, step=step, progressbar=False,
    ...                       quiet=True, random_seed=1)
    >>> float(idata["sample_stats"]["hyper_step_size"][0, 0])
    0.1
    """

    name = "split_leapfrog"
    compiled = (*HamiltonianStep.compiled, "_entries")
    stats_dtypes_shapes = STATISTICS | {
        "trajectory_accepted": (bool, []),
        "hyper_step_size": (np.float64, []),
        "interweave_evaluations": (np.int64, []),
    }
    _state_class = SplitLeapfrogState

    def __init__(
        self,
        n_leapfrog: int = 100,
        step_scale: float = 0.1,
        hyper_step_scale: float | None = None,
        hyper_splits: int = 1,
        parameter_splits: int = 1,
        step_sizes: str | Mapping[str, float] = "choo",
        tether: float | None = None,
        order: str = "random",
        thin: int = 1,
        interweave: bool = False,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
    ):
        splits = {"hyper_splits": hyper_splits, "parameter_splits": parameter_splits}
        check_counts(n_leapfrog=n_leapfrog, thin=thin, **splits)
        given = {"hyper_step_scale": hyper_step_scale, "tether": tether}
        check_positive(step_scale=step_scale, **{k: v for k, v in given.items() if v is not None})
        check_flags(interweave=interweave)
        self.n_leapfrog, self.thin = int(n_leapfrog), int(thin)
        self.hyper_splits, self.parameter_splits = int(hyper_splits), int(parameter_splits)
        self.hyper_step_scale = float(step_scale if hyper_step_scale is None else hyper_step_scale)
        self.tether = 0.0 if tether is None else float(tether) ** -2
        self.given = dict(step_sizes) if isinstance(step_sizes, Mapping) else {}
        self.learns = not self.given and choose("step_sizes", step_sizes, STEP_SIZES) == "learnt"
        self.symmetric = choose("order", order, ORDERS) == "symmetric"
        model = pm.modelcontext(model)
        if not isinstance(model, BNN):
            raise ValueError("SplitLeapfrog needs a pymc_bnn network; use NUTS.")
        self.centered = model.parametrization == "centered"
        self.interweaves = interweave
        self._check_form()
        self.estimate, self.learnt_from = np.empty(0), 0
        weights = weight_values(model)
        self.weights = Layout(model, weights)
        super().__init__(model, weights, True, step_scale, None, rng)
        self.vars = list(model.value_vars)

    def _check_form(self) -> None:
        if self.interweaves and not self.centered:
            raise ValueError(
                'interweave=True needs parametrization="centered": raw weights already move with '
                "their precisions."
            )
        if self.tether and not self.centered:
            raise ValueError(
                'tether needs parametrization="centered"; leave it out, or centre the model.'
            )
        if (self.learns or self.given) and self.centered:
            raise ValueError(
                'step_sizes other than "choo" need parametrization="noncentered"; a centred model '
                "needs no estimates for the curvature."
            )

    def _conditional(self, model: pm.Model, names: Sequence[str], precision: str) -> Conditional:
        """Potential energy of the weights in a centred model on the same data."""
        assert isinstance(model, BNN)
        check_alone(model, type(self).__name__)
        network = model if self.centered else model.reparametrized("centered")
        share_temperature(model, network)
        return Conditional(network, weight_values(network), precision)

    def _compile_run(self) -> Callable[..., Any]:
        if not self.conditional.fused:
            reason = why_no_kernel(self.conditional.model) or "its weights are not normal"
            raise ValueError(f"SplitLeapfrog cannot sample this model, as {reason}; use NUTS.")
        network = self.conditional.model
        self.hierarchy = find_hierarchy(self.conditional, self.interweaves, type(self).__name__)
        closed_form = ClosedForm(self.conditional, self.hierarchy)
        self.conditional.closed_form, self.precisions = closed_form, closed_form.precisions
        self.first_estimate = first_estimate(self.hierarchy, self.precisions, self.given)
        self.estimate = self.first_estimate
        given = network.activation, likelihood_of(network), self.centered, self.hierarchy
        self._entries = entries_of(*given, self.interweaves)
        return compile_split_sweep(self.centered)

    def _check_agreement(self) -> None:
        super()._check_agreement()
        name, twin = type(self).__name__, self.conditional.model
        check_hierarchy(self.conditional, self.hierarchy, self.precisions, name)
        if not self.centered:
            check_twin(self.model, twin, name)

    def _forget(self, tune: int) -> None:
        super()._forget(tune)
        self.estimate, self.learnt_from = self.first_estimate, 0

    def _share_data(self) -> None:
        """Give the centred twin of a non-centred model the data that the model has now."""
        twin = self.conditional.model
        for name in ("X", "y"):
            values = self.model[name].get_value(borrow=True)
            if twin[name].get_value(borrow=True) is not values:
                twin[name].set_value(values, borrow=True)

    def setting(self, factor: float, hyper_factor: float | None = None) -> Setting:
        """What stays fixed along a trajectory, with step size adjustment factors."""
        assert self._neal is not None
        network, hierarchy = self.conditional.model, self.hierarchy
        X = network["X"].get_value(borrow=True)
        power = self.conditional.power
        shape = hierarchy.shape + 0.5 * power * len(X) * np.bincount(
            hierarchy.noise, minlength=hierarchy.shape.size
        )
        if self.centered:
            shape = shape + 0.5 * np.diff(hierarchy.start)
        root = np.append(np.exp(-0.5 * self.estimate), 1.0)
        return Setting(
            factor=factor,
            hyper_factor=self.hyper_step_scale if hyper_factor is None else hyper_factor,
            splits=self.parameter_splits,
            hyper_splits=self.hyper_splits,
            hierarchy=hierarchy,
            shape=shape,
            origin=hierarchy.mean if self.centered else np.zeros(hierarchy.mean.size),
            squares=self._neal.squares(),
            slope=network.activation.largest_slope,
            mean_square=network.activation.mean_square,
            estimate=self.estimate,
            estimated_scale=root[hierarchy.unit] / np.sqrt(hierarchy.weight),
            products=room_for_products(X, self.conditional.network_layout[0]),
            tether=self.tether,
            anchor=self.estimate.copy(),
            moored=np.zeros(hierarchy.mean.size),
        )

    def arrays(self, point: PointType) -> tuple[np.ndarray, np.ndarray, Parameters, tuple]:
        """Positions and log precisions of a point, and what the likelihood needs there."""
        self._share_data()
        parameters = self.conditional.parameters(point)
        data = self.conditional.network_data(parameters, self._entries)
        return self.weights.ravel(point), self.precisions.ravel(point), parameters, data

    def _advance(self, point: PointType, factor: float) -> tuple[PointType, Transition]:
        position, log_precision, parameters, data = self.arrays(point)
        reduction = factor / self.step_scale  # a power of 2, and 1 but where warm-up stood still
        hyper_factor = self.hyper_step_scale * reduction
        found: Moved = self._run(
            self.rng,
            log_precision,
            position,
            self.adaptation.shortened(self.n_leapfrog, self.tune),
            self.thin,
            self.symmetric,
            self.setting(factor, hyper_factor),
            self.hierarchy.interweaved,
            data,
        )
        point = self.weights.unravel(position, self.precisions.unravel(log_precision, point))
        if self.tune and self.learns:
            self.learnt_from += 1
            step = (log_precision - self.estimate) / self.learnt_from
            self.estimate = self.estimate + step
        counts = {"n_steps": found.steps, "transitions": self.thin}
        others = {"hyper_step_size": hyper_factor, "interweave_evaluations": found.evaluations}
        moved = transition_of(position, found, **counts, **others)
        constant = float(parameters.log_constant) + found.offset
        return point, moved._replace(divergences=found.diverging, log_constant=constant)

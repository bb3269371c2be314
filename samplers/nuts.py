"""The no-U-turn sampler, with its trees in compiled code."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from pymc.util import RandomGenerator

from ..models.choices import choose
from . import engine
from .conditional import Parameters
from .hamiltonian import (
    STATISTICS,
    HamiltonianStep,
    Transition,
    block_names,
    weight_names,
)
from .no_u_turn import no_u_turn


class NUTS(HamiltonianStep):
    """Hamiltonian Monte Carlo whose trajectories grow until they turn around.

    The algorithm of ``pm.NUTS`` (Hoffman & Gelman 2014; Betancourt 2017; Lau 2018, 2.2-2.5), with
    whole trees in compiled code instead of one gradient at a time.

    Parameters
    ----------
    vars : sequence of str or Variable, optional
        Variables to move; by default every continuous variable but the conjugate precisions.
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

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model():
    ...     x = pm.Normal("x", shape=3)
    ...     idata = pm.sample(draws=20, tune=20, chains=1, step=samplers.NUTS(),
    ...                       progressbar=False, quiet=True, random_seed=1)
    >>> int(idata["sample_stats"]["tree_depth"].max()) <= 10
    True
    """

    name = "compiled_nuts"
    stats_dtypes_shapes = STATISTICS | {
        "tree_depth": (np.int64, []),
        "reached_max_treedepth": (bool, []),
    }

    def __init__(
        self,
        vars: Sequence | None = None,
        target_accept: float = 0.8,
        max_treedepth: int = 10,
        step_sizes: str = "adapt",
        step_scale: float = 0.1,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
        initial_point: PointType | None = None,
        compile_kwargs: dict | None = None,
        blocked: bool = True,
    ):
        if not 1 <= max_treedepth <= 20 or int(max_treedepth) != max_treedepth:
            raise ValueError(f"max_treedepth={max_treedepth!r}: give a whole number from 1 to 20.")
        self.max_treedepth = int(max_treedepth)
        curvature = choose("step_sizes", step_sizes, ("adapt", "neal")) == "neal"
        model = pm.modelcontext(model)
        names = weight_names(model, vars) if curvature else block_names(model, vars)
        super().__init__(model, names, curvature, step_scale, target_accept, rng)

    def _compile_run(self) -> Callable[..., Any]:
        rest = self._rest
        return engine.specialize(no_u_turn, rest.key, allocate=rest.allocate, rest=rest.evaluate)

    def _move(
        self, q: np.ndarray, step_sizes: np.ndarray, parameters: Parameters, data: tuple
    ) -> Transition:
        depth = self.max_treedepth
        momentum = self.rng.standard_normal(q.size)
        directions = 2 * self.rng.integers(2, size=depth) - 1
        uniforms = self.rng.random(depth + 2**depth)
        mean, precision = parameters.mean, parameters.precision
        q, potential, energy, error, acceptance, steps, reached, diverging, turned = self._run(
            q, momentum, step_sizes, depth, directions, uniforms, mean, precision, data
        )
        statistics = {
            "acceptance_rate": acceptance,
            "energy_error": error,
            "diverging": diverging,
            "n_steps": steps,
            "tree_depth": reached,
            "reached_max_treedepth": not (diverging or turned),
        }
        return Transition(q, potential, energy, statistics)

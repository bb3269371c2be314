"""What step methods have in common whose trajectories grow until a criterion ends them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pymc as pm
from pymc.util import RandomGenerator

from ....models.data.choices import choose, is_whole
from ...dynamics.first_step import first_leaf, potential_by_first_step
from ...dynamics.trees.trajectory_tree import Criterion, Tree, compile_tree
from ...potential.parameters import Parameters
from ...potential.rest import Potential
from .block_choice import block_names, say_what_is_left, weight_names
from .hamiltonian import STATISTICS, HamiltonianStep, Transition


class DynamicHMC(HamiltonianStep):
    """Base of the step methods whose trajectories grow by doubling.

    Parameters
    ----------
    vars, target_accept, max_treedepth, step_sizes, step_scale, metric, model, rng
        As for :class:`.NUTS`.
    """

    criterion: Criterion
    threshold = 0.0
    stats_dtypes_shapes = STATISTICS | {
        "tree_depth": (np.int64, []),
        "reached_max_treedepth": (bool, []),
    }

    def __init__(
        self,
        vars: Sequence | None = None,
        target_accept: float | None = 0.8,
        max_treedepth: int = 10,
        step_sizes: str = "adapt",
        step_scale: float = 0.1,
        metric: str = "diag",
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
    ):
        if not is_whole(max_treedepth, 1) or max_treedepth > 20:
            raise ValueError(f"max_treedepth={max_treedepth!r}: give a whole number from 1 to 20.")
        self.max_treedepth = int(max_treedepth)
        curvature = choose("step_sizes", step_sizes, ("adapt", "neal")) == "neal"
        if curvature and metric != "diag":
            raise ValueError(
                f'metric={metric!r} needs step_sizes="adapt"; those of "neal" follow from the '
                "curvature."
            )
        if target_accept is None and not curvature:
            raise ValueError(
                'target_accept=None needs step_sizes="neal", as those of "adapt" are learnt by it; '
                "give a number between 0 and 1."
            )
        model = pm.modelcontext(model)
        names = weight_names(model, vars) if curvature else block_names(model, vars)
        if vars is None:
            say_what_is_left(model, names, type(self).__name__)
        super().__init__(model, names, curvature, step_scale, target_accept, rng, metric=metric)

    def _compile_run(self) -> Callable[..., Any]:
        return compile_tree(self.criterion, self._rest, self.metric)

    def _potential(self) -> Potential:
        first = partial(first_leaf, self._run)
        return potential_by_first_step(first, self.conditional, self._rest, self.metric)

    def _move(
        self, q: np.ndarray, step_sizes: np.ndarray, parameters: Parameters, data: tuple
    ) -> Transition:
        depth = self.max_treedepth
        momentum = self.rng.standard_normal(q.size)
        directions = 2 * self.rng.integers(2, size=depth) - 1
        uniforms = self.rng.random(depth + 2**depth)
        mean, precision = parameters.mean, parameters.precision
        tree: Tree = self._run(
            *(q, momentum, step_sizes, depth, self.threshold),
            *(directions, uniforms, mean, precision, data),
        )
        return Transition(tree.position, tree.potential, tree.energy, self._statistics(tree))

    def _statistics(self, tree: Tree) -> dict[str, Any]:
        return {
            "acceptance_rate": tree.acceptance,
            "energy_error": tree.energy_error,
            "diverging": tree.diverging,
            "n_steps": tree.steps,
            "tree_depth": tree.depth,
            "reached_max_treedepth": not (tree.diverging or tree.ended),
        }

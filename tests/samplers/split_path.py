"""Follow single trajectories of SplitLeapfrog, from given momenta, with nothing left to chance."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.sweeps.split.state import new_state
from pymc_bnn.samplers.sweeps.split.trajectory import (
    PRECISIONS_FIRST,
    SYMMETRIC,
    WEIGHTS_FIRST,
    compile_split_path,
)

REVERSED = {
    WEIGHTS_FIRST: PRECISIONS_FIRST,
    PRECISIONS_FIRST: WEIGHTS_FIRST,
    SYMMETRIC: SYMMETRIC,
}
Point = dict[str, np.ndarray]
_compiled = cache(compile_split_path)


class Phase(NamedTuple):
    """A point in phase space."""

    log_precision: np.ndarray
    position: np.ndarray
    hyper_momentum: np.ndarray
    momentum: np.ndarray

    @property
    def reversed(self) -> "Phase":
        """The same point on its way back."""
        return self._replace(hyper_momentum=-self.hyper_momentum, momentum=-self.momentum)

    def pushed(self, vector: np.ndarray) -> "Phase":
        """Move by a vector in the order of the fields."""
        ends = np.cumsum([part.size for part in self])[:-1]
        return Phase(*(a + b for a, b in zip(self, np.split(vector, ends), strict=True)))


class Path:
    """Trajectories with the settings of a step."""

    def __init__(self, model: models.BNN, **options: Any):
        self.model = model
        self.step = samplers.SplitLeapfrog(model=model, **options)
        self._run = _compiled(self.step.centered)
        # the estimates before any are learnt
        self.step.setup_chain(np.random.default_rng(0), tune=0, draws=1)

    def start(self, seed: int, spread: float = 0.4) -> Phase:
        """Random point near the prior's typical ones."""
        rng = np.random.default_rng(seed)
        n, m = self.step.weights.size, self.step.precisions.size
        log_precision = self.step.first_estimate + spread * rng.normal(size=m)
        return Phase(log_precision, rng.normal(size=n), rng.normal(size=m), rng.normal(size=n))

    def point(self, phase: Phase) -> Point:
        """Point of the model."""
        point = self.step.precisions.unravel(phase.log_precision, initial_point(self.model))
        return self.step.weights.unravel(phase.position, point)

    def follow(
        self, start: Phase, steps: int, order: int, scale: float | None = None
    ) -> tuple[Phase, np.ndarray]:
        """End of a trajectory, and its energy at the start and after each step.

        In symmetric order it is known at both ends alone. ``scale`` multiplies both
        step size adjustment factors.
        """
        step = self.step
        setting = step.setting(step.step_scale)
        if scale is not None:
            setting = setting._replace(
                factor=scale * setting.factor, hyper_factor=scale * setting.hyper_factor
            )
        *_, data = step.arrays(self.point(start))
        state = new_state(start.position, start.log_precision, data.curvature.size)
        state.momentum[:], state.hyper_momentum[:] = start.momentum, start.hyper_momentum
        if order == SYMMETRIC:
            energies = np.empty(2)
            self._run(state, steps, order, setting, energies, data)
        else:
            energies = np.empty(steps + 1)
            self._run(state, 1, order, setting, energies, data)
        end = state.log_precision, state.position, state.hyper_momentum, state.momentum
        return Phase(*(np.array(part) for part in end)), energies

    def step_sizes(self, phase: Phase) -> tuple[np.ndarray, np.ndarray]:
        """Step sizes of log precisions and of weights, read off how far momenta carry them."""
        n, m = phase.position.size, phase.log_precision.size
        push = np.concatenate([np.zeros(m + n), np.ones(m + n)])
        found = []
        for order, part in ((PRECISIONS_FIRST, 0), (WEIGHTS_FIRST, 1)):
            far, near = (self.follow(p, 1, order)[0][part] for p in (phase.pushed(push), phase))
            found.append(far - near)
        return found[0], found[1]

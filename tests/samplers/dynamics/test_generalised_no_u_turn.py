"""PyMC's NUTS ends its trajectories by the generalised no-U-turn criterion (Lau 2018, 2.3)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pymc as pm
import pytest

from ..gaussian_tree import COVARIANCE, gaussian
from ..plain_tree import Met, grow, turns, turns_across

TRANSITIONS = 400


class Recorder:
    """Integrator that remembers the leapfrog steps of a trajectory."""

    def __init__(self, integrator: Any):
        self.integrator = integrator
        self.start: Any = None
        self.steps: list[float] = []

    def compute_state(self, q: Any, p: np.ndarray) -> Any:
        """Begin a trajectory."""
        self.start, self.steps = self.integrator.compute_state(q, p), []
        return self.start

    def step(self, epsilon: float, state: Any) -> Any:
        """Follow it."""
        self.steps.append(float(epsilon))
        return self.integrator.step(epsilon, state)


class Trajectory(NamedTuple):
    """A trajectory of ``pm.NUTS``: where it began, the directions it took, how far it came."""

    integrator: Any
    start: Any
    step_size: float
    directions: list[int]
    steps: int

    def steps_until(self, met: Met) -> int:
        """Leapfrog steps that a criterion would have taken in the same directions."""

        def step(state: Any, sign: int) -> Any:
            return self.integrator.step(np.float64(sign * self.step_size), state)

        directions = [*self.directions, 1]  # one more doubling, where it does not end in time
        return len(grow(self.start, step, met, directions).visited)


@pytest.fixture(scope="module")
def trajectories() -> list[Trajectory]:
    """Trajectories with a dense mass matrix, which is not that of the distribution."""
    model = gaussian()
    scaling = COVARIANCE + np.array([[0.5, -0.3], [-0.3, 0.4]])
    with model:
        nuts = pm.NUTS(scaling=scaling, is_cov=True, step_scale=0.3, adapt_step_size=False, rng=1)
    nuts.tune = False
    recorder = nuts.integrator = Recorder(nuts.integrator)
    point, found = model.initial_point(), []
    for _ in range(TRANSITIONS):
        point, [statistics] = nuts.step(point)
        steps = recorder.steps
        assert statistics["tree_size"] == len(steps)
        assert not statistics["reached_max_treedepth"]
        first_steps = [steps[2**k - 1] for k in range(len(steps).bit_length())]
        directions = [int(np.sign(step)) for step in first_steps]
        start = recorder.start
        found.append(Trajectory(recorder.integrator, start, abs(steps[0]), directions, len(steps)))
    return found


def agreement(trajectories: Sequence[Trajectory], met: Met) -> float:
    """Share of trajectories that a criterion would have ended at the same leapfrog step."""
    return float(np.mean([at.steps == at.steps_until(met) for at in trajectories]))


def turns_in_positions(states: Sequence[Any]) -> bool:
    """The first no-U-turn criterion (Hoffman & Gelman 2014; Lau 2018, 2.2)."""
    across = states[-1].q.data - states[0].q.data
    return bool(states[0].p @ across <= 0 or states[-1].p @ across <= 0)


def turns_without_mass_matrix(states: Sequence[Any]) -> bool:
    """The generalised criterion, had it momenta in place of velocities."""
    total = np.sum([state.p for state in states], axis=0)
    return bool(states[0].p @ total <= 0 or states[-1].p @ total <= 0)


def test_nuts_of_pymc_ends_by_the_generalised_criterion(trajectories: list[Trajectory]) -> None:
    r"""That is :math:`p^\sharp \cdot \rho \le 0`, also from each half to the other's next point."""
    assert agreement(trajectories, turns_across) == 1.0


@pytest.mark.parametrize("other", [turns_in_positions, turns_without_mass_matrix])
def test_other_criteria_would_end_other_trajectories(
    other: Met, trajectories: list[Trajectory]
) -> None:
    assert agreement(trajectories, other) < 0.95


def test_checks_across_halves_end_some_trajectories_earlier(
    trajectories: list[Trajectory],
) -> None:
    """Our NUTS makes none, as the thesis: its trajectories are those of ``turns``."""
    assert agreement(trajectories, turns) < 1.0
    for trajectory in trajectories:
        assert trajectory.steps <= trajectory.steps_until(turns)

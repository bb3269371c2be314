"""Phases of annealing leave the density of their temperature invariant (Neal 1992)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pymc_bnn import samplers
from pymc_bnn.samplers.steps.annealed_hmc import check_phases

from ..dynamics.test_momentum import known

REPLICATES = 2000
WIDEST = 4.0  # false alarms below 1 in 1000 for the statistics of both steps at all phases
DUMMIES, THIN = 3, 4
STEPS: dict[str, Callable[..., Any]] = {
    "hamiltonian": lambda **given: samplers.AnnealedHMC(
        n_leapfrog=3, step_size=1.2, jitter="uniform", **given
    ),
    "Metropolis": lambda **given: samplers.AnnealedMetropolis(
        step_size=1.2, jitter="log-normal", **given
    ),
}


@pytest.fixture(scope="module", params=STEPS)
def step(request: pytest.FixtureRequest) -> Any:
    build = STEPS[request.param]
    return build(phases=[(1, 0.0, 1.0)], dummies=DUMMIES, thin=THIN, model=known())


def draw(temperature: float, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Draw of the density to the power 1 / T: of variance T, and logits of draws of a beta one."""
    ends = np.log(rng.gamma(1 / temperature, size=(2, 2)))
    return {"x": np.sqrt(temperature) * rng.normal(size=2), "y": ends[0] - ends[1]}


def statistics(step: Any, point: dict[str, np.ndarray]) -> list[float]:
    x, y = point["x"], point["y"]
    squares, reserve = step.momentum @ step.momentum, step.reserve[0]
    return [
        x.sum(),
        np.tanh(y).sum(),
        float(np.log1p(x**2).sum()),
        float(np.log1p(y**2).sum()),
        float(np.tanh(x * y).sum()),
        float(np.log1p(y**2) @ np.log1p(x**2)),
        np.sqrt(squares),
        np.sqrt(reserve),
        np.sqrt(squares * reserve),
        reserve * np.log1p(y**2).sum(),
    ]


@pytest.mark.parametrize(("persistence", "temperature"), [(0.9, 5.0), (0.5, 0.4)])
def test_an_iteration_leaves_the_tempered_density_invariant(
    step: Any, persistence: float, temperature: float
) -> None:
    """With the momenta and the dummies' energy, of which the next iteration keeps a part."""
    rng = np.random.default_rng(7)
    step.phases = check_phases([(10**9, persistence, temperature)])
    step.setup_chain(rng.spawn(1)[0], 10**9, 0)
    changes, moved = [], 0
    for _ in range(REPLICATES):
        point = draw(temperature, rng)
        step.momentum = np.sqrt(temperature) * rng.normal(size=4)
        step.reserve = temperature * rng.gamma(0.5 * DUMMIES, size=1)
        before = statistics(step, point)
        end, _ = step.step(point)
        moved += not np.array_equal(end["x"], point["x"])
        changes.append(np.subtract(statistics(step, end), before))
    found = np.array(changes)
    scores = found.mean(axis=0) / found.std(axis=0) * np.sqrt(REPLICATES)
    assert moved > REPLICATES / 4
    assert np.abs(scores).max() < WIDEST, scores

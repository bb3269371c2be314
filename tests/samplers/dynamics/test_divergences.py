"""What thinned draws say about divergences: what every k-th of an unthinned run would."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.batch import sampling as batches
from pymc_bnn.samplers.compiled.memory import initial_point

THIN = 4
STEPS: dict[str, Callable[..., Any]] = {
    "GibbsHMC": lambda **options: samplers.GibbsHMC(5, 1.0, **options),
    "SplitLeapfrog": lambda **options: samplers.SplitLeapfrog(40, 0.3, **options),
}


def partly_diverging(step: Any, draws: int = 400) -> float:
    """Find a step size factor with which some trajectories diverge and others do not."""
    for scale in np.geomspace(0.3, 3.0, 50):
        step.step_scale = float(scale)
        if 0.05 < statistics(step, draws)["diverging"].mean() < 0.6:
            return float(scale)
    raise AssertionError("all or no trajectories diverge")


def statistics(step: Any, draws: int) -> dict[str, np.ndarray]:
    step.setup_chain(np.random.default_rng(5), tune=0, draws=draws)
    step.stop_tuning()
    point, found = initial_point(step.model), []
    for _ in range(draws):
        point, [each] = step.step(point)
        found.append(each)
    return {name: np.array([each[name] for each in found]) for name in found[0]}


@pytest.mark.parametrize("name", STEPS)
def test_a_thinned_run_says_what_every_fourth_draw_of_another_says(
    choo_model: models.BNN, name: str
) -> None:
    single, several = STEPS[name](model=choo_model), STEPS[name](thin=THIN, model=choo_model)
    several.step_scale = partly_diverging(single)
    thinned, every = statistics(several, 100), statistics(single, 100 * THIN)
    for statistic in ("diverging", "divergences", "energy_error", "trajectory_accepted"):
        np.testing.assert_array_equal(thinned[statistic], every[statistic][THIN - 1 :: THIN])
    any_of_four = every["diverging"].reshape(-1, THIN).any(axis=1)
    assert 0 < thinned["diverging"].sum() < any_of_four.sum() < 100
    assert thinned["divergences"][-1] == every["diverging"].sum()
    assert thinned["transitions"].sum() == every["transitions"].sum() == 100 * THIN


def test_a_thinned_batch_counts_trajectories(choo_model: models.BNN) -> None:
    scale = partly_diverging(samplers.GibbsHMC(5, model=choo_model))
    step = samplers.GibbsHMC(5, scale, thin=THIN, model=choo_model)
    options = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
    idata = batches.sample_batch(step, 60, 20, 9, 1, np.random.default_rng(1), **options)
    stats = idata["sample_stats"]
    diverging, error = stats["diverging"].values, stats["energy_error"].values
    np.testing.assert_array_equal(diverging, ~(error < 1000.0))
    counts = np.diff(stats["divergences"].values, axis=1)
    assert (counts >= diverging[:, 1:]).all()
    assert counts.max() <= THIN
    assert (stats["transitions"] == THIN).all()
    share = diverging.mean(), counts.mean() / THIN  # of draws, and of trajectories
    assert 0 < share[1] < 1
    assert abs(share[0] - share[1]) < 0.1


def test_steps_that_are_not_taken_are_not_counted(choo_model: models.BNN) -> None:
    """A trajectory ends where its energy is infinite or undefined."""
    lost = statistics(samplers.GibbsHMC(2000, 50.0, thin=2, model=choo_model), 5)
    assert lost["diverging"].all()
    assert lost["n_steps"].max() < 2 * 2000
    usual = statistics(samplers.GibbsHMC(5, 0.1, thin=2, model=choo_model), 5)
    assert (usual["n_steps"] == 2 * 5).all()

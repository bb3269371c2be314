"""Chains that cannot move: warm-up gets away, and without it the user is told."""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
import pytest
from pymc.exceptions import SamplingError
from pymc_bnn import models, samplers
from pymc_bnn.samplers.batch.chains import BatchOfChains
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.step_sizes.given_factor import SMALLEST, GivenFactor
from pymc_bnn.studies.choo2000.design.network import choo_network

QUIET: dict[str, Any] = {
    "progressbar": False,
    "quiet": True,
    "compute_convergence_checks": False,
    "chains": 2,
    "cores": 1,
}
Point = dict[str, np.ndarray]


@pytest.fixture(scope="module", params=["centered", "noncentered"])
def split(request: pytest.FixtureRequest) -> samplers.SplitLeapfrog:
    return samplers.SplitLeapfrog(100, 0.32, model=choo_network(20, request.param))


@pytest.fixture(scope="module")
def dynamical_a() -> samplers.SplitLeapfrog:
    return samplers.SplitLeapfrog(100, 0.32, model=choo_network(20))


def far(model: pm.Model, weights: float = 0.0, log_precision: float | None = None) -> Point:
    """The model's initial point, with weights of this size and either sign."""
    rng, start = np.random.default_rng(0), initial_point(model)
    for name, value in start.items():
        if "precision" not in name:
            start[name] = weights * rng.choice([-1.0, 1.0], value.shape)
        elif log_precision is not None:
            start[name] = np.full(value.shape, log_precision)
    return start


def run(step: Any, start: Point, tune: int, draws: int, seed: int = 1) -> list[dict[str, Any]]:
    step.setup_chain(np.random.default_rng(seed), tune=tune, draws=draws)
    point, found = start, []
    for draw in range(tune + draws):
        if draw == tune:
            step.stop_tuning()
        point, [statistics] = step.step(point)
        found.append(statistics)
    return found


def accepted(found: list[dict[str, Any]]) -> float:
    return float(np.mean([statistics["trajectory_accepted"] for statistics in found]))


def test_warm_up_gets_away_from_weights_of_zero(dynamical_a: samplers.SplitLeapfrog) -> None:
    found = run(dynamical_a, initial_point(dynamical_a.model), tune=60, draws=60)
    sizes = [statistics["step_size"] for statistics in found]
    assert accepted(found[:10]) == 0.0
    assert sizes[:11] == [0.32] * 10 + [0.16]
    assert found[10]["hyper_step_size"] == 0.16
    assert found[10]["n_steps"] == 50
    assert accepted(found[60:]) > 0.5
    assert sizes[60:] == [0.32] * 60
    assert {s["n_steps"] for s in found[60:]} == {100}
    assert {statistics["hyper_step_size"] for statistics in found[60:]} == {0.32}


def test_nothing_changes_without_warm_up(dynamical_a: samplers.SplitLeapfrog) -> None:
    found = run(dynamical_a, initial_point(dynamical_a.model), tune=0, draws=30)
    assert accepted(found) == 0.0
    assert {(s["step_size"], s["hyper_step_size"], s["n_steps"]) for s in found} == {
        (0.32, 0.32, 100)
    }


@pytest.mark.parametrize(
    ("weights", "precision"), [(1e3, None), (0.0, 1e-8), (0.0, 1e8), (1e3, 1e-8)]
)
def test_trajectories_of_both_blocks_get_away_from_far_starts(
    split: samplers.SplitLeapfrog, weights: float, precision: float | None
) -> None:
    start = far(split.model, weights, None if precision is None else np.log(precision))
    found = run(split, start, tune=500, draws=100)
    assert accepted(found[500:]) > 0.02
    assert np.mean([statistics["model_logp"] for statistics in found[500:]]) > -1000.0


STEPS: dict[str, Callable[[models.BNN], Any]] = {
    "GibbsHMC": lambda model: samplers.GibbsHMC(40, 3.0, interweave=False, model=model),
    "StaticHMC": lambda model: samplers.StaticHMC(n_leapfrog=40, step_scale=3.0, model=model),
    "learnt": lambda model: samplers.GibbsHMC(40, 3.0, target_accept=0.8, model=model),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("weights", [0.0, 1e3])
def test_warm_up_moves_weights_with_steps_that_are_too_large(
    choo_model: models.BNN, name: str, weights: float
) -> None:
    step = STEPS[name](choo_model)
    found = run(step, far(choo_model, weights), tune=100, draws=20)
    assert accepted(found[: 1 if name == "learnt" else 10]) == 0.0
    assert accepted(found[30:100]) > 0.2
    if name != "learnt":
        assert {statistics["step_size"] for statistics in found[100:]} == {3.0}


def test_a_batch_takes_the_same_way_out(choo_model: models.BNN) -> None:
    step = STEPS["GibbsHMC"](choo_model)
    starts, rngs = [far(choo_model)] * 9, np.random.default_rng(2).spawn(9)
    batch = BatchOfChains(step, starts, rngs, tune=60, draws=30)
    assert max(batch.blocks()) == 90
    _, accepting, _, _, _, _, _, factor = np.moveaxis(batch.records.statistics, -1, 0)
    np.testing.assert_allclose(factor[:, :10], 3.0, rtol=1e-12)
    np.testing.assert_allclose(factor[:, 60:], 3.0, rtol=1e-12)
    for chain in range(9):
        expected = GivenFactor()
        for draw in range(60):
            assert factor[chain, draw] == pytest.approx(expected.reduced(3.0, True), rel=1e-12)
            expected.update(None, batch.records.statistics[chain, draw, 0])
    assert accepting[:, :10].sum() == 0
    assert (accepting[:, 20:60].sum(axis=1) > 8).all()


def test_a_chain_that_moves_is_left_alone() -> None:
    factor = GivenFactor()
    for _ in range(100):
        for acceptance in [0.0] * 9 + [0.01]:
            factor.update(None, acceptance)
            assert factor.reduced(0.3, True) == 0.3


def test_steps_of_warm_up_never_vanish() -> None:
    factor = GivenFactor()
    for _ in range(2000):
        factor.update(None, float("nan"))
    assert factor.reduced(1.0, True) == SMALLEST
    assert factor.shortened(100, True) == 100
    assert factor.reduced(1.0, False) == 1.0
    for _ in range(60):
        factor.update(None, 1.0)
    assert (factor.reduction, factor.still) == (1.0, 0)


def test_chains_that_never_moved_are_named(
    dynamical_a: samplers.SplitLeapfrog, caplog: pytest.LogCaptureFixture
) -> None:
    options = {**QUIET, "step": dynamical_a, "initvals": None, "seed": 1}
    with caplog.at_level(logging.WARNING, "pymc"):
        samplers.sample(dynamical_a.model, draws=12, tune=0, **options)
        [told] = [r.getMessage() for r in caplog.records if "never moved" in r.getMessage()]
        assert "w0" in told
        assert "noise_precision" in told
        assert "12 draws of chains 0, 1" in told
        assert "\n" not in told
        caplog.clear()
        samplers.sample(dynamical_a.model, draws=12, tune=40, **options)
    assert not [r for r in caplog.records if "never moved" in r.getMessage()]


@pytest.mark.parametrize("name", ["GibbsHMC", "StaticHMC"])
def test_a_start_of_infinite_energy_is_refused(choo_model: models.BNN, name: str) -> None:
    step = STEPS[name](choo_model)
    for weights, message in ((1e200, r"log density of .*y_obs.*-inf"), (np.nan, "start of w0")):
        with pytest.raises(SamplingError, match=f"{name} cannot start: .*{message}") as caught:
            run(step, far(choo_model, weights), tune=5, draws=5)
        assert "\n" not in str(caught.value)


def test_a_batch_refuses_a_start_of_infinite_energy(choo_model: models.BNN) -> None:
    starts = [far(choo_model)] * 8 + [far(choo_model, np.inf)]
    rngs = np.random.default_rng(3).spawn(9)
    batch = BatchOfChains(STEPS["GibbsHMC"](choo_model), starts, rngs, tune=5, draws=5)
    with pytest.raises(SamplingError, match="GibbsHMC cannot start: the start of w0"):
        max(batch.blocks())


def test_a_split_trajectory_refuses_a_start_of_infinite_energy(
    split: samplers.SplitLeapfrog,
) -> None:
    with pytest.raises(SamplingError, match="SplitLeapfrog cannot start: the log density of"):
        run(split, far(split.model, 1e200), tune=5, draws=5)

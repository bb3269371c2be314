"""Every step method leaves the joint distribution of parameters and data invariant."""

from collections.abc import Callable
from typing import Any

import pytest
from pymc_bnn import models
from pymc_bnn.samplers import NUTS, XHMC, GibbsHMC, GibbsPrecision, SplitLeapfrog, StaticHMC
from pymc_bnn.samplers.pymc_steps import BlockedStep

from tests.samplers.geweke import (
    WIDEST,
    tiny_network,
    z_scores,
    z_scores_of_one_iteration,
)

ITERATIONS = 15_000

Steps = Callable[[models.BNN], list[BlockedStep]]

STEPS: dict[str, Steps] = {
    "GibbsPrecision without interweaving, StaticHMC": lambda model: [
        GibbsPrecision(interweave=False, model=model),
        StaticHMC(n_leapfrog=6, step_scale=1.0, model=model),
    ],
    "GibbsPrecision with interweaving, jittered StaticHMC": lambda model: [
        GibbsPrecision(model=model),
        StaticHMC(n_leapfrog=6, step_scale=1.0, jitter="cauchy", model=model),
    ],
    "GibbsHMC": lambda model: [GibbsHMC(n_leapfrog=6, step_scale=1.0, model=model)],
    "GibbsHMC with the last layer as it is": lambda model: [
        GibbsHMC(n_leapfrog=6, step_scale=1.0, collapse=False, model=model)
    ],
    "GibbsHMC without interweaving, thinned": lambda model: [
        GibbsHMC(n_leapfrog=6, step_scale=0.8, thin=2, interweave=False, model=model)
    ],
    "GibbsHMC in single precision": lambda model: [
        GibbsHMC(n_leapfrog=6, step_scale=1.0, precision="float32", model=model)
    ],
    "GibbsPrecision, NUTS with curvature-based step sizes": lambda model: [
        GibbsPrecision(interweave=False, model=model),
        NUTS(step_sizes="neal", step_scale=1.0, max_treedepth=5, model=model),
    ],
    "NUTS on everything": lambda model: [
        NUTS(list(model.value_vars), step_scale=0.3, max_treedepth=5, model=model)
    ],
    "XHMC on everything": lambda model: [
        XHMC(list(model.value_vars), 0.5, step_scale=0.3, max_treedepth=5, model=model)
    ],
    "StaticHMC on everything": lambda model: [
        StaticHMC(list(model.value_vars), 8, 0.3, step_sizes="adapt", model=model)
    ],
    "GibbsPrecision, StaticHMC with windows": lambda model: [
        GibbsPrecision(interweave=False, model=model),
        StaticHMC(n_leapfrog=8, step_scale=1.3, window=5, model=model),
    ],
    "StaticHMC with windows on everything": lambda model: [
        StaticHMC(
            list(model.value_vars),
            8,
            0.4,
            step_sizes="adapt",
            window=3,
            metric="dense",
            model=model,
        )
    ],
    "SplitLeapfrog": lambda model: [SplitLeapfrog(6, 0.6, model=model)],
    "SplitLeapfrog, tethered": lambda model: [SplitLeapfrog(6, 0.6, tether=0.5, model=model)],
    "SplitLeapfrog in symmetric order with interweaving": lambda model: [
        SplitLeapfrog(6, 0.6, order="symmetric", interweave=True, model=model)
    ],
    "SplitLeapfrog with a scale of its own for log precisions, thinned": lambda model: [
        SplitLeapfrog(5, 0.7, 0.4, parameter_splits=2, thin=2, model=model)
    ],
}
SPLIT_STEPS: dict[str, dict[str, Any]] = {
    "prior means as estimates": {"step_scale": 0.5},
    "given estimates, log precisions in parts": {
        "step_scale": 0.6,
        "hyper_step_scale": 0.4,
        "hyper_splits": 3,
        "step_sizes": {"w0_precision": 0.5, "noise_precision": 10.0},
    },
    "symmetric order": {"step_scale": 0.5, "order": "symmetric"},
}


@pytest.fixture(scope="module")
def network() -> models.BNN:
    return tiny_network()


@pytest.mark.parametrize("name", STEPS)
def test_step_leaves_the_joint_distribution_invariant(name: str, network: models.BNN) -> None:
    scores = z_scores(network, STEPS[name](network), iterations=ITERATIONS, seed=1)
    assert max(map(abs, scores.values())) < WIDEST, scores


def test_langevin_steps_alone_are_exact(network: models.BNN) -> None:
    """Most of them are rejected; a chain of short steps would hide what is wrong with the test."""
    step = StaticHMC(n_leapfrog=1, step_scale=1.4, model=network)
    scores = z_scores_of_one_iteration(network, [step], iterations=12_000, seed=1)
    assert max(map(abs, scores.values())) < WIDEST, scores


@pytest.mark.parametrize("step", [GibbsPrecision, GibbsHMC, SplitLeapfrog])
def test_precisions_of_units_are_drawn_exactly(step: type) -> None:
    network = tiny_network(models.ARD(sd=1.0, alpha=6.0))
    steps: list[BlockedStep] = {
        GibbsPrecision: lambda: [
            GibbsPrecision(model=network),
            StaticHMC(None, 6, 1.0, model=network),
        ],
        GibbsHMC: lambda: [GibbsHMC(n_leapfrog=6, step_scale=1.0, model=network)],
        SplitLeapfrog: lambda: [SplitLeapfrog(6, 0.6, model=network)],
    }[step]()
    scores = z_scores(network, steps, iterations=ITERATIONS, seed=2)
    assert max(map(abs, scores.values())) < WIDEST, scores


@pytest.mark.parametrize("units", [2, 9])  # the matrix of the weights, and that of the cases
def test_collapsed_moves_alone_are_exact(units: int) -> None:
    """Trajectories that hardly move do not hide what is wrong with the moves of precisions."""
    network = tiny_network(units=units)
    step = GibbsHMC(n_leapfrog=1, step_scale=1e-4, collapse=True, model=network)
    scores = z_scores_of_one_iteration(network, [step], iterations=6000, seed=7)
    assert max(map(abs, scores.values())) < WIDEST, scores


def test_scales_of_a_conjugate_horseshoe_are_drawn_exactly() -> None:
    bias = models.NormalInverseGamma(sd=1.0, alpha=6.0)
    by_source = models.ConjugateHorseshoe(ard=True, by="source")
    network = tiny_network(
        {"w0": models.ConjugateHorseshoe(), "b0": bias, "w1": by_source, "b1": bias}
    )
    steps = [GibbsPrecision(model=network), StaticHMC(None, 6, 0.8, model=network)]
    scores = z_scores_of_one_iteration(network, steps, iterations=6000, seed=6)
    assert max(map(abs, scores.values())) < WIDEST, scores


def test_precisions_of_heavy_tailed_weights_are_drawn_exactly() -> None:
    network = tiny_network(models.StudentT(degrees=3.0, sd=0.7, alpha=6.0))
    steps = [GibbsPrecision(model=network), StaticHMC(None, 6, 0.8, model=network)]
    scores = z_scores_of_one_iteration(network, steps, iterations=6000, seed=8)
    assert max(map(abs, scores.values())) < WIDEST, scores


@pytest.fixture(scope="module")
def raw_network() -> models.BNN:
    return tiny_network(parametrization="noncentered")


@pytest.mark.parametrize("name", SPLIT_STEPS)
def test_split_trajectories_of_raw_weights_are_exact(name: str, raw_network: models.BNN) -> None:
    step = SplitLeapfrog(6, model=raw_network, **SPLIT_STEPS[name])
    scores = z_scores(raw_network, [step], iterations=ITERATIONS, seed=4)
    assert max(map(abs, scores.values())) < WIDEST, scores


def test_split_trajectories_of_raw_weights_with_precisions_of_units_are_exact() -> None:
    network = tiny_network(models.ARD(sd=1.0, alpha=6.0), "noncentered")
    scores = z_scores(network, [SplitLeapfrog(6, 0.5, model=network)], ITERATIONS, seed=5)
    assert max(map(abs, scores.values())) < WIDEST, scores


def test_raw_weights_and_their_precisions_move_exactly(raw_network: models.BNN) -> None:
    network = raw_network
    steps: list[BlockedStep] = [
        NUTS([v for v in network.value_vars if "precision" in v.name], 0.8, 4, model=network),
        StaticHMC(n_leapfrog=6, step_scale=1.0, model=network),
    ]
    scores = z_scores(network, steps, iterations=ITERATIONS, seed=3)
    assert max(map(abs, scores.values())) < WIDEST, scores

"""Every step method leaves the joint distribution of parameters and data invariant."""

from collections.abc import Callable

import pytest
from pymc.step_methods.arraystep import BlockedStep
from pymc_bnn import models
from pymc_bnn.samplers import NUTS, GibbsHMC, GibbsPrecision, StaticHMC

from tests.samplers.geweke import WIDEST, tiny_network, z_scores

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
    "StaticHMC on everything": lambda model: [
        StaticHMC(list(model.value_vars), 8, 0.3, step_sizes="adapt", model=model)
    ],
}


@pytest.fixture(scope="module")
def network() -> models.BNN:
    return tiny_network()


@pytest.mark.parametrize("name", STEPS)
def test_step_leaves_the_joint_distribution_invariant(name: str, network: models.BNN) -> None:
    scores = z_scores(network, STEPS[name](network), iterations=ITERATIONS, seed=1)
    assert max(map(abs, scores.values())) < WIDEST, scores


@pytest.mark.parametrize("step", [GibbsPrecision, GibbsHMC])
def test_precisions_of_units_are_drawn_exactly(step: type) -> None:
    network = tiny_network(models.ARD(sd=1.0, alpha=6.0))
    steps = (
        [GibbsHMC(n_leapfrog=6, step_scale=1.0, model=network)]
        if step is GibbsHMC
        else [GibbsPrecision(model=network), StaticHMC(None, 6, 1.0, model=network)]
    )
    scores = z_scores(network, steps, iterations=ITERATIONS, seed=2)
    assert max(map(abs, scores.values())) < WIDEST, scores


def test_raw_weights_and_their_precisions_move_exactly() -> None:
    network = tiny_network(parametrization="noncentered")
    steps: list[BlockedStep] = [
        NUTS([v for v in network.value_vars if "precision" in v.name], 0.8, 4, model=network),
        StaticHMC(n_leapfrog=6, step_scale=1.0, model=network),
    ]
    scores = z_scores(network, steps, iterations=ITERATIONS, seed=3)
    assert max(map(abs, scores.values())) < WIDEST, scores

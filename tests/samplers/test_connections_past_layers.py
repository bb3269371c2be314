"""Networks whose inputs are connected to their outputs directly too are sampled, or refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pymc_bnn import models, samplers

from .geweke import WIDEST, tiny_network, z_scores_of_one_iteration

ITERATIONS = 1000


@pytest.mark.parametrize("parametrization", ["centered", "noncentered"])
def test_steps_leave_the_joint_distribution_invariant(parametrization: str) -> None:
    model = tiny_network(skip=True, parametrization=parametrization)
    given: dict[str, Any] = {"model": model, "rng": 1}
    if parametrization == "centered":
        trajectories = samplers.StaticHMC(None, 4, 0.25, step_sizes="adapt", **given)
        steps = [samplers.GibbsPrecision(**given), trajectories]
    else:
        steps = [samplers.NUTS(None, 0.8, 4, step_scale=0.25, **given)]
    scores = z_scores_of_one_iteration(model, steps, ITERATIONS, seed=3)
    assert any(name.startswith("skip") for name in scores)
    assert max(map(abs, scores.values())) < WIDEST, scores


def test_the_recommended_steps_are_those_of_any_graph() -> None:
    steps = samplers.recommended_steps(tiny_network(skip=True))
    assert [type(step).__name__ for step in steps] == ["GibbsPrecision", "StaticHMC"]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda m: samplers.GibbsHMC(model=m), "connections from inputs to outputs"),
        (lambda m: samplers.SplitLeapfrog(model=m), "connections from inputs to outputs"),
        (lambda m: samplers.SGHMC(1e-4, model=m), "inputs are connected to its outputs"),
        (lambda m: samplers.StaticHMC(n_leapfrog=6, partial_gradients=3, model=m), "of layers"),
        (lambda m: samplers.StaticHMC(step_sizes="neal", model=m), 'use step_sizes="adapt"'),
        (lambda m: samplers.StaticHMC(precision="float32", model=m), "precision='float32'"),
    ],
)
def test_what_needs_the_kernel_of_layers_is_refused(
    build: Callable[[models.BNN], Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        build(tiny_network(skip=True))


def test_a_network_without_hidden_layers_has_nothing_to_skip() -> None:
    with pytest.raises(ValueError, match="skip=True connects inputs to outputs past hidden"):
        models.BNN(np.eye(3), np.arange(3.0), hidden=(), skip=True)

"""Sweeps of a batch leave the joint distribution of parameters and data invariant.

Parameters come from the prior and data from the parameters, so that these are a draw from the
posterior of their data. Chains that start there have the prior's distribution, over all
repetitions, before their sweeps and after; many sweeps show an error that one hardly does.
"""

from typing import Any

import numpy as np
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.batch.chains import BatchOfChains
from pymc_bnn.samplers.batch.network.registers import WIDTH

from tests.samplers.geweke import WIDEST
from tests.samplers.table.invariance import measure
from tests.samplers.table.joint import Joint, Point
from tests.samplers.table.networks import network_of

REPETITIONS = 1500
CASES = 10  # not a multiple of four, which the kernels take at a time
LIKELIHOODS: dict[str, tuple[Any, np.ndarray]] = {
    "gaussian": (models.GaussianNoise(sd=0.5, alpha=8.0, per_output=True), np.zeros((CASES, 2))),
    "bernoulli": (models.Bernoulli(), np.arange(CASES) % 2),
    "categorical": (models.Categorical(), np.arange(CASES) % 3),
}
GROUPS, UNITS = models.NormalInverseGamma(sd=0.7, alpha=6.0), models.ARD(sd=0.7, alpha=6.0)


def network(likelihood: str, prior: Any) -> models.BNN:
    given, y = LIKELIHOODS[likelihood]
    X = np.linspace(-1.5, 1.4, CASES)[:, None]
    return models.BNN(X, y, hidden=(2,), prior=prior, likelihood=given)


def ends(batch: BatchOfChains, start: Point) -> list[Point]:
    """Where the chains of a batch are at their last draws."""
    step, records = batch.step, batch.records
    return [
        step.conditional.layout.unravel(q, step.precisions.unravel(log_precision, start))
        for q, log_precision in zip(records.q[:, -1], records.log_precision[:, -1], strict=True)
    ]


def changes(step: samplers.GibbsHMC, draws: int, repetitions: int, seed: int) -> dict[str, float]:
    """Mean changes of the statistics from the starts to the ends, in standard errors."""
    rng = np.random.default_rng(seed)
    rngs = rng.spawn(WIDTH)  # which go on from batch to batch

    def move(start: Point) -> list[Point]:
        batch = BatchOfChains(step, [start] * WIDTH, rngs, 0, draws)
        list(batch.blocks())
        return ends(batch, start)

    return measure(Joint(network_of(step.model)), move, repetitions, rng)


def test_large_steps_are_accepted_as_often_as_is_right() -> None:
    """Two thirds of these trajectories are; small steps hide an accept test of another target."""
    model = network("gaussian", GROUPS)
    step = samplers.GibbsHMC(n_leapfrog=2, step_scale=1.5, thin=20, interweave=False, model=model)
    scores = changes(step, draws=2, repetitions=REPETITIONS, seed=3)
    assert max(map(abs, scores.values())) < WIDEST, scores


@pytest.mark.parametrize(
    ("likelihood", "prior", "moves"),
    [
        pytest.param("gaussian", GROUPS, {}, id="gaussian, groups, collapsed"),
        pytest.param("gaussian", UNITS, {}, id="gaussian, units, collapsed"),
        pytest.param("gaussian", UNITS, {"collapse": False}, id="gaussian, units"),
        pytest.param("bernoulli", GROUPS, {}, id="bernoulli, groups"),
        pytest.param("bernoulli", UNITS, {"interweave": False}, id="bernoulli, no interweaving"),
        pytest.param("categorical", UNITS, {}, id="categorical, units"),
    ],
)
def test_many_sweeps_leave_the_joint_distribution_invariant(
    likelihood: str, prior: Any, moves: dict[str, Any]
) -> None:
    model = network(likelihood, prior)
    options: dict[str, Any] = {**moves, "jitter": "cauchy", "thin": 20}
    step = samplers.GibbsHMC(n_leapfrog=6, step_scale=0.8, model=model, **options)
    scores = changes(step, draws=2, repetitions=REPETITIONS, seed=2)
    assert max(map(abs, scores.values())) < WIDEST, scores

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

from tests.samplers.geweke import WIDEST, outputs, prior_point, statistics

Point = dict[str, np.ndarray]

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


def hyperparameters(model: models.BNN, point: Point) -> Point:
    """Those of the likelihood, as a single draw."""
    names = model.likelihood.hyperparameters
    return {name: np.exp(point[f"{name}_log__"])[None] for name in names}


def draw_targets(model: models.BNN, point: Point, rng: np.random.Generator) -> np.ndarray:
    f, draw = outputs(model, point)[None], hyperparameters(model, point)
    return model.likelihood.simulate(f, draw, rng)[0].astype(model["y"].dtype)


def described(model: models.BNN, point: Point) -> dict[str, float]:
    """Functions of the parameters, and the log likelihood of the data."""
    f, draw = outputs(model, point)[None], hyperparameters(model, point)
    log_likelihood = model.likelihood.log_density(f, model["y"].get_value(), draw).sum()
    return {**statistics(point, model), "log likelihood": float(log_likelihood)}


def ends(batch: BatchOfChains, start: Point) -> list[Point]:
    """Where the chains of a batch are at their last draws."""
    step, records = batch.step, batch.records
    return [
        step.conditional.layout.unravel(q, step.precisions.unravel(log_precision, start))
        for q, log_precision in zip(records.q[:, -1], records.log_precision[:, -1], strict=True)
    ]


def changes(step: samplers.GibbsHMC, draws: int, repetitions: int, seed: int) -> dict[str, float]:
    """Mean changes of the statistics from the starts to the ends, in standard errors."""
    rng, model, found = np.random.default_rng(seed), step.model, []
    for _ in range(repetitions):
        start = prior_point(model, rng)
        model["y"].set_value(draw_targets(model, start, rng))
        batch = BatchOfChains(step, [start] * WIDTH, rng.spawn(WIDTH), 0, draws)
        list(batch.blocks())
        after = [list(described(model, end).values()) for end in ends(batch, start)]
        before = described(model, start)
        found.append(np.mean(after, axis=0) - list(before.values()))
    scores = np.mean(found, axis=0) / (np.std(found, axis=0) / np.sqrt(repetitions))
    return dict(zip(before, map(float, scores), strict=True))


@pytest.mark.parametrize(
    ("likelihood", "prior", "interweave"),
    [
        pytest.param("gaussian", GROUPS, True, id="gaussian, groups"),
        pytest.param("gaussian", UNITS, True, id="gaussian, units"),
        pytest.param("bernoulli", GROUPS, True, id="bernoulli, groups"),
        pytest.param("bernoulli", UNITS, False, id="bernoulli, units, no interweaving"),
        pytest.param("categorical", UNITS, True, id="categorical, units"),
    ],
)
def test_many_sweeps_leave_the_joint_distribution_invariant(
    likelihood: str, prior: Any, interweave: bool
) -> None:
    model = network(likelihood, prior)
    options: dict[str, Any] = {"interweave": interweave, "jitter": "cauchy", "thin": 20}
    step = samplers.GibbsHMC(n_leapfrog=6, step_scale=0.8, model=model, **options)
    scores = changes(step, draws=2, repetitions=REPETITIONS, seed=2)
    assert max(map(abs, scores.values())) < WIDEST, scores

"""Steps leave the joint distribution of a network's parameters and counts invariant."""

from collections.abc import Callable

import pytest
from pymc_bnn import models
from pymc_bnn.samplers import NUTS, GibbsHMC, GibbsPrecision, SplitLeapfrog, StaticHMC
from pymc_bnn.samplers.pymc_steps import BlockedStep

from tests.samplers.geweke import WIDEST, tiny_network, z_scores_of_one_iteration

REPLICATES = 4000
POISSON = models.Poisson(rate=2.0)
NEGATIVE_BINOMIAL = models.NegativeBinomial(rate=2.0, mean=3.0, alpha=8.0)

STEPS: dict[str, tuple[models.Likelihood, Callable[[models.BNN], list[BlockedStep]]]] = {
    "GibbsHMC": (POISSON, lambda model: [GibbsHMC(n_leapfrog=6, step_scale=1.2, model=model)]),
    "SplitLeapfrog": (POISSON, lambda model: [SplitLeapfrog(6, 0.8, model=model)]),
    "GibbsPrecision, StaticHMC": (
        NEGATIVE_BINOMIAL,
        lambda model: [
            GibbsPrecision(model=model),
            StaticHMC(None, 6, 0.4, step_sizes="adapt", model=model),
        ],
    ),
    "NUTS on everything": (
        NEGATIVE_BINOMIAL,
        lambda model: [NUTS(list(model.value_vars), step_scale=0.4, max_treedepth=5, model=model)],
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_step_leaves_the_joint_distribution_of_counts_invariant(name: str) -> None:
    likelihood, steps = STEPS[name]
    model = tiny_network(likelihood=likelihood)
    scores = z_scores_of_one_iteration(model, steps(model), REPLICATES, seed=1)
    assert max(map(abs, scores.values())) < WIDEST, scores
    assert abs(scores["log likelihood"]) > 0  # the network has moved

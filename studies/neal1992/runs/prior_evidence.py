"""Evidence and test log score of priors, for the network and the cases of experiment 1."""

from typing import Any

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ....samplers import evidence, sample
from ..design.budgets import Budget
from ..design.networks import SMALL, data_set
from ..design.priors import network_with
from .predicting import flat, scored_weights

LEAPFROGS = 60
CHAINS = 2
QUIET: dict[str, Any] = {
    "cores": 1,
    "progressbar": False,
    "quiet": True,
    "compute_convergence_checks": False,
}


def measure_prior(name: str, number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Measure the evidence of a network by replica exchange, and how well it predicts.

    Returns
    -------
    Dataset
        ``log_evidence`` and ``standard_error``; ``log_score`` of a test case, ``excess``, and
        ``covered_outside``, by chains at temperature 1.
    """
    arm = data_set(SMALL[1], number)
    rng = np.random.default_rng([seed, number])
    with threadpool_limits(1, user_api="blas"):
        model = network_with(name, arm, SMALL[0])
        length: dict[str, Any] = {"draws": budget.ladder, "tune": budget.ladder, "chains": CHAINS}
        found = evidence(model, seed=rng, n_leapfrog=LEAPFROGS, **length, **QUIET)
        half = budget.draws // 2
        idata = sample(model, half, half, chains=CHAINS, seed=rng, **QUIET)
        scores = scored_weights(arm, flat(idata["posterior"].to_dataset()))
        score = float(model.log_score(idata, arm.X_test, arm.y_test))
    values = {
        "log_evidence": found.log_evidence,
        "standard_error": found.standard_error,
        "log_score": score,
        "excess": scores["excess"],
        "covered_outside": scores["covered_outside"],
    }
    return xr.Dataset(values)

"""What normal approximations by variational inference lose, on the data of experiment 2."""

from collections.abc import Sequence
from time import process_time
from typing import NamedTuple

import numpy as np
import pymc as pm
import xarray as xr
from pymc.variational.inference import Inference
from pymc.variational.opvi import Approximation
from threadpoolctl import threadpool_limits

from .....models import BNN
from ....tables.robot_arm import RobotArm
from ...design.budgets import Budget
from ...design.networks import LARGE, SMALL, data_set, our_network
from ...design.priors import OURS, network_with
from ..predicting import flat, scored_weights
from .ascending import Bound, ascend, go_on, start_at
from .laplacing import fit_modes

METHODS = ("mean field", "full rank")
RATES = (0.03, 0.01, 1e-3, 1e-4)  # of Adam, in turn
RATES_FROM_THERE = (3e-4, 3e-5)  # of full rank, whose covariance has thousands of parameters
LONGEST, MOST = 4, 40_000  # steps at a rate: so many times the budget's, and at most
DRAWS = 1000


class Fitted(NamedTuple):
    """An approximation, where its ascent ended, and seconds of the processor."""

    approximation: Approximation
    bound: Bound
    seconds: float


def approximate(number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Fit both kinds of normal approximation to the network of this package.

    Returns
    -------
    Dataset
        By ``method``, what :func:`.predicting.scored` says, the ``log_score`` of a test case,
        ``seconds`` of the processor, and of the ascent the ``bound`` on the log evidence with its
        ``bound_error``, its ``steps``, and whether it has ``converged``; ``small_bound``,
        ``small_error`` and ``small_converged`` for the cases of experiment 1 and the network of
        :func:`.priors.network_with`, on the data sets whose evidence is measured.
    """
    arm = data_set(LARGE[1], number)
    rows = []
    with threadpool_limits(1, user_api="blas"):
        model = our_network(arm, LARGE[0])
        small = _of_few_cases(number, budget, seed)
        for fitted, bound in zip(_fit(model, arm, budget, [seed, number]), small, strict=True):
            idata = fitted.approximation.sample(DRAWS, random_seed=seed + number)
            found = scored_weights(arm, flat(idata["posterior"].to_dataset()))
            score = float(model.log_score(idata, arm.X_test, arm.y_test))
            own = {"log_score": score, "seconds": fitted.seconds, **_numbers("bound", fitted.bound)}
            rows.append(xr.Dataset({**found, **own, **_numbers("small_bound", bound)}))
    return xr.concat(rows, "method").assign_coords(method=list(METHODS))


def _of_few_cases(number: int, budget: Budget, seed: int) -> list[Bound]:
    if number >= budget.believed:
        return [Bound(np.nan, np.nan, 0, False)] * len(METHODS)
    arm = data_set(SMALL[1], number)
    model = network_with(OURS, arm, SMALL[0])
    return [one.bound for one in _fit(model, arm, budget, [seed, number, 3])]


def _fit(model: BNN, arm: RobotArm, budget: Budget, seed: list[int]) -> list[Fitted]:
    """Climb with a mean field from MacKay's best mode, and go on from there with full rank."""
    mode = max(fit_modes(model, arm, budget.modes, seed), key=lambda one: one.log_evidence)
    seeds = np.random.default_rng(seed).integers(2**31, size=2)
    with model:
        mean_field, full_rank = pm.ADVI(random_seed=seeds[0]), pm.FullRankADVI(random_seed=seeds[1])
    start_at(mean_field.approx.groups[0], mode)
    first = _climb(mean_field, RATES, budget)
    go_on(full_rank.approx.groups[0], mean_field.approx.groups[0])
    return [first, _climb(full_rank, RATES_FROM_THERE, budget)]


def _climb(inference: Inference, rates: Sequence[float], budget: Budget) -> Fitted:
    begin = process_time()
    bound = ascend(inference, rates, min(MOST, LONGEST * budget.steps))
    return Fitted(inference.approx, bound, process_time() - begin)


def _numbers(name: str, bound: Bound) -> dict[str, float]:
    prefix = name.removesuffix("bound")
    of_all = {name: bound.value, f"{prefix or 'bound_'}error": bound.error}
    return of_all | {f"{prefix}converged": float(bound.converged), f"{prefix}steps": bound.steps}

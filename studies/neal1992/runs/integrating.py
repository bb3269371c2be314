r"""The evidence of the report's network by integration along annealing runs (its Discussion).

All coordinates are uniform a priori, so that the energy (Eq. 34) is that of the likelihood alone,
and at temperature :math:`T_0` the density of states is proportional to :math:`e^{-E / T_0}`: the
momentum that anneals tempers the likelihood, with :math:`\beta = 1 / T_0`. Runs are cooled from
where :math:`Z_\beta` is a mean over draws of the prior, stay at 1 for a while, and are heated
again; see :mod:`.along_runs` for what that says of their lag.
"""

import numpy as np
import xarray as xr
from scipy.special import gammaln, logsumexp
from threadpoolctl import threadpool_limits

from ....samplers.marginal_likelihood.along_runs import integrated
from ....samplers.marginal_likelihood.works import Estimate, from_prior
from ..design.budgets import Budget
from ..design.networks import SMALL, data_set
from ..design.schedules import BEST, Schedule
from .chains import MIRRORED, Run, compiled, run, shapes, weights
from .predicting import outputs, scored_weights
from .tightness import PRIOR

HOTTEST = 200.0
STAY = 0.4  # iterations at temperature 1, as a share of those of cooling
BURNT = 0.2  # of these, which are not kept
DRAWS = 2000  # of the prior


def integrate_along_runs(number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Cool and heat some runs of the report's network.

    Returns
    -------
    Dataset
        ``log_evidence`` and ``standard_error``, the ``lag`` of the runs and ``lag_error``; of the
        draws of all runs at temperature 1 the ``log_score`` of a test case, ``excess`` and
        ``covered_outside``.
    """
    count = max(3, round(budget.ladder * budget.share))
    temperatures = np.geomspace(HOTTEST, 1.0, count)
    stay = max(2, round(STAY * count))
    schedule = _schedule(temperatures, stay)
    with threadpool_limits(1, user_api="blas"):
        runs = [
            run("hamiltonian", SMALL, number, schedule, BEST, budget.leapfrogs, [seed, number, k])
            for k in range(budget.along)
        ]
        likelihoods = np.array([_log_likelihood(one.levels, number) for one in runs])
        hot = _prior_step(number, 1.0 / HOTTEST, [seed, number], budget)
        found = integrated(
            hot,
            likelihoods[:, :count],
            likelihoods[:, : -count - 1 : -1],
            1.0 / temperatures,
        )
        return xr.Dataset(
            {
                "log_evidence": found.both.log_evidence,
                "standard_error": found.both.standard_error,
                "lag": found.lag.log_evidence,
                "lag_error": found.lag.standard_error,
                **_predicted(
                    runs, slice(count + round(BURNT * stay), count + stay), number, budget
                ),
            }
        )


def _schedule(temperatures: np.ndarray, stay: int) -> Schedule:
    """Phases that draw every momentum anew: falling temperatures, 1, and rising ones."""
    cooling = [(1, 0.0, float(hot)) for hot in temperatures]
    return (*cooling, (stay, 0.0, 1.0), *cooling[::-1])


def _log_likelihood(levels: dict[str, np.ndarray], number: int) -> np.ndarray:
    """Log likelihood of draws, with the noise integrated out (Eq. 33)."""
    arm = data_set(SMALL[1], number)
    squares = ((outputs(weights(levels), arm.X) - arm.y.to_numpy()) ** 2).sum(axis=(1, 2))
    half = (PRIOR + arm.y.size) / 2
    constant = gammaln(half) - gammaln(PRIOR / 2) - arm.y.size / 2 * np.log(np.pi * PRIOR)
    return constant - half * np.log1p(squares / PRIOR)


def _prior_step(number: int, power: float, seed: list[int], budget: Budget) -> Estimate:
    model, _ = compiled("hamiltonian", *SMALL, budget.leapfrogs, 1)
    rng = np.random.default_rng([*seed, 1])
    levels = {
        name.removesuffix(MIRRORED): rng.random((DRAWS, *shape))
        for name, shape in shapes(model).items()
    }
    return from_prior(power * _log_likelihood(levels, number))


def _predicted(runs: list[Run], kept: slice, number: int, budget: Budget) -> dict[str, float]:
    arm = data_set(SMALL[1], number)
    names = runs[0].levels
    levels = {name: np.concatenate([one.levels[name][kept] for one in runs]) for name in names}
    drawn = weights(levels)
    squares = ((outputs(drawn, arm.X) - arm.y.to_numpy()) ** 2).sum(axis=(1, 2))
    model, _ = compiled("hamiltonian", *SMALL, budget.leapfrogs, 1)
    scale = np.sqrt((PRIOR + squares) / (PRIOR + arm.y.size))
    noise = {"squared_error": squares, "noise_scale": scale}
    test = outputs(drawn, arm.X_test)
    densities = model.likelihood.log_density(test, arm.y_test.to_numpy(), noise)
    score = float(logsumexp(densities, axis=0, b=1 / len(densities)).mean())
    found = scored_weights(arm, drawn)
    kinds = ("excess", "covered_outside")
    return {"log_score": score} | {name: found[name] for name in kinds}

"""Integrators and masses at equal gradients, from states of the posterior."""

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ....samplers import StaticHMC
from ....samplers.one_chain import iterate_chain
from ..design.budgets import Budget
from ..design.networks import SETS, SMALL, data_set, give_data
from ..design.schedules import ANNEALED, BEST, scaled
from .chains import MIRRORED, compiled, folded, run, weights
from .predicting import effective, effective_outputs

LEAPFROG, FOURTH, MASSES = "leapfrog", "fourth-order", "leapfrog, masses learnt"
# by name: integrator, gradients of a step, and what warm-up learns of the scales of components
DYNAMICS = {
    LEAPFROG: ("leapfrog", 1, "unit"),
    FOURTH: ("fourth-order", 3, "unit"),
    MASSES: ("leapfrog", 1, "diag"),
}
TARGETS = (0.65, 0.8)
TRAJECTORY = 300  # gradients
TUNE, DRAWS = 300, 500


def compare_integrators(target: float, budget: Budget, seed: int) -> xr.Dataset:
    """Sample the report's network on some data sets with each of :data:`DYNAMICS`.

    Returns
    -------
    Dataset
        By ``integrator`` and ``run``: ``step_size`` that warm-up found for the target acceptance,
        per gradient, in geometric mean over components; ``acceptance``; effective draws per million
        gradients of ``outputs``, median over cases, and of the ``energy``.
    """
    share = min(1.0, budget.leapfrogs / 1000)
    lengths = [max(12, int(n * share)) for n in (TUNE, DRAWS)]
    numbers = range(budget.integrators)
    rows = []
    with threadpool_limits(1, user_api="blas"):
        model, _ = compiled("hamiltonian", *SMALL, budget.leapfrogs, 1)
        starts = [_posterior_state(k, budget, seed) for k in numbers]
        for integrator, each, metric in DYNAMICS.values():
            step = StaticHMC(
                n_leapfrog=max(12, int(TRAJECTORY * share)) // each,
                step_sizes="adapt",
                metric=metric,
                jitter="uniform",
                target_accept=target,
                integrator=integrator,
                model=model,
            )
            found = []
            for k in numbers:
                give_data(model, data_set(SMALL[1], k % SETS))
                rng = np.random.default_rng([seed, k, 4])
                found.append(_measured(step, starts[k], rng, lengths, k, each))
            rows.append(xr.concat(found, "run"))
    return xr.concat(rows, "integrator").assign_coords(integrator=list(DYNAMICS))


def _posterior_state(k: int, budget: Budget, seed: int) -> dict[str, np.ndarray]:
    schedule = scaled(ANNEALED, budget.share)
    end = run("hamiltonian", SMALL, k % SETS, schedule, BEST, budget.leapfrogs, [seed, k])
    return {f"{name}{MIRRORED}": values[-1] for name, values in end.levels.items()}


def _measured(
    step: StaticHMC,
    start: dict[str, np.ndarray],
    rng: np.random.Generator,
    lengths: list[int],
    k: int,
    each: int,
) -> xr.Dataset:
    tune, draws = lengths
    points, statistics = [], []
    for point, [one], tuning in iterate_chain(step, start, rng, tune=tune, draws=draws):
        if not tuning:
            points.append(point)
            statistics.append((one["acceptance_rate"], one["step_size"], one["model_logp"]))
    acceptance, step_size, energy = np.array(statistics).T
    scale = float(np.exp(np.log(step.adaptation.scale).mean()))
    levels = {
        name.removesuffix(MIRRORED): folded(np.array([one[name] for one in points]))
        for name in start
    }
    millions = draws * step.n_leapfrog * each / 1e6
    moves = effective_outputs(data_set(SMALL[1], k % SETS), weights(levels))
    return xr.Dataset(
        {
            "acceptance": acceptance.mean(),
            "step_size": step_size.mean() * scale / each,
            "outputs": moves / millions,
            "energy": effective(energy) / millions,
        }
    )

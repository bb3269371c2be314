"""The fourth-order integrator beside leapfrog, at equal gradients, from states of the posterior."""

import arviz as az
import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ....samplers import StaticHMC
from ..design.budgets import Budget
from ..design.networks import SETS, SMALL, data_set, give_data
from ..design.schedules import ANNEALED, BEST, scaled
from .chains import MIRRORED, compiled, folded, run, weights
from .predicting import outputs

GRADIENTS = {"leapfrog": 1, "fourth-order": 3}  # of a step
TARGETS = (0.65, 0.8, 0.9)
TRAJECTORY = 300  # gradients
TUNE, DRAWS = 300, 500
CASES = 20  # whose outputs tell how fast a chain moves


def compare_integrators(target: float, budget: Budget, seed: int) -> xr.Dataset:
    """Sample the report's network on some data sets with both integrators.

    Returns
    -------
    Dataset
        By ``integrator`` and ``run``: ``step_size`` that warm-up found for the target acceptance,
        per gradient; ``acceptance``; effective draws per million gradients of ``outputs``, median
        over cases, and of the ``energy``.
    """
    share = min(1.0, budget.leapfrogs / 1000)
    trajectory, tune, draws = (max(12, int(n * share)) for n in (TRAJECTORY, TUNE, DRAWS))
    found = {}
    with threadpool_limits(1, user_api="blas"):
        model, _ = compiled("hamiltonian", *SMALL, budget.leapfrogs, 1)
        for name, each in GRADIENTS.items():
            step = StaticHMC(
                n_leapfrog=trajectory // each,
                step_sizes="adapt",
                metric="unit",
                jitter="uniform",
                target_accept=target,
                integrator=name,
                model=model,
            )
            for k in range(budget.integrators):
                point = _posterior_state(k, budget, seed)
                give_data(model, data_set(SMALL[1], k % SETS))
                rng = np.random.default_rng([seed, k, 4])
                found[name, k] = _measured(step, point, rng, (tune, draws), k, each)
    rows = [
        xr.concat([found[name, k] for k in range(budget.integrators)], "run") for name in GRADIENTS
    ]
    return xr.concat(rows, "integrator").assign_coords(integrator=list(GRADIENTS))


def _posterior_state(k: int, budget: Budget, seed: int) -> dict[str, np.ndarray]:
    schedule = scaled(ANNEALED, budget.share)
    end = run("hamiltonian", SMALL, k % SETS, schedule, BEST, budget.leapfrogs, [seed, k])
    return {f"{name}{MIRRORED}": values[-1] for name, values in end.levels.items()}


def _measured(
    step: StaticHMC,
    point: dict[str, np.ndarray],
    rng: np.random.Generator,
    lengths: tuple[int, int],
    k: int,
    each: int,
) -> xr.Dataset:
    tune, draws = lengths
    step.setup_chain(rng, tune, draws)
    for _ in range(tune):
        point, _ = step.step(point)
    step.stop_tuning()
    points, statistics = [], []
    for _ in range(draws):
        point, (one,) = step.step(point)
        points.append(point)
        statistics.append((one["acceptance_rate"], one["step_size"], one["model_logp"]))
    acceptance, step_size, energy = np.array(statistics).T
    levels = {
        name.removesuffix(MIRRORED): folded(np.array([one[name] for one in points]))
        for name in point
    }
    test = outputs(weights(levels), data_set(SMALL[1], k % SETS).X_test[:CASES])
    millions = draws * step.n_leapfrog * each / 1e6
    moves = [_effective(column) for column in test.reshape(draws, -1).T]
    return xr.Dataset(
        {
            "acceptance": acceptance.mean(),
            "step_size": step_size.mean() / each,
            "outputs": float(np.median(moves)) / millions,
            "energy": _effective(energy) / millions,
        }
    )


def _effective(draws: np.ndarray) -> float:
    """Effective draws of a chain; one that stands still has one."""
    return float(az.ess(draws[None])) if np.ptp(draws) > 0 else 1.0

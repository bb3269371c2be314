"""Methods at equal gradients, from states of the posterior (3.4 and 3.5)."""

from collections.abc import Sequence

import arviz as az
import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ..design.budgets import Budget
from ..design.networks import QUANTITIES, SMALL, Point
from ..design.settings import LONG, LONGER, SETTINGS, UNCORRECTED, Setting
from .chains import PROPOSALS, begin, compiled, follow, plain, prepare

RECORDED = 1000  # gradients, at least, of a draw
READY = 0.5  # gradients of a chain with interweaving that leads to the posterior, as a share


def methods_key(method: str, number: int) -> str:
    """Name the result of a method on a data set."""
    return f"method-{method.replace(' ', '-')}-{number}"


def run_method(method: str, number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Run all settings of a method on a data set.

    Returns
    -------
    Dataset
        By ``setting`` and ``quantity``, ``effective`` draws of a chain, and the ``mean`` of its
        later half; by ``setting``,
        ``acceptance``, ``seconds`` and ``gradients``, which for Metropolis are energies.
    """
    return _all_measured(SETTINGS[method], number, budget.gradients, budget, seed)


def long_key(method: str, number: int) -> str:
    """Name the result of a method's long chains on a data set."""
    return f"long-{methods_key(method, number)}"


def long_sets(budget: Budget) -> range:
    """Data sets of long chains, on none of which settings were compared."""
    return range(budget.sets, budget.sets + budget.decided)


def run_long(method: str, number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Run the settings of a method that gave most as long chains, on a data set of their own.

    Returns
    -------
    Dataset
        As of :func:`run_method`.
    """
    return _all_measured(LONG[method], number, LONGER * budget.gradients, budget, seed)


def _all_measured(
    settings: Sequence[Setting], number: int, gradients: int, budget: Budget, seed: int
) -> xr.Dataset:
    rows = []
    with threadpool_limits(1, user_api="blas"):
        start = _ready(number, budget, seed)
        for k, setting in enumerate(settings):
            rng = np.random.default_rng([seed, number, k, len(setting.method)])
            rows.append(_measured(setting, start, number, gradients, rng))
    return xr.concat(rows, "setting").assign_coords(setting=[s.words for s in settings])


def _ready(number: int, budget: Budget, seed: int) -> Point:
    steps = min(2000, budget.gradients // 20)
    chain = plain(SMALL, steps, 1, woven=True)
    start, rng = begin(SMALL, number, seed), np.random.default_rng([seed, number, 0])
    return follow(chain, start, rng, max(1, int(READY * budget.gradients) // steps)).point


def _measured(
    setting: Setting, start: Point, number: int, gradients: int, rng: np.random.Generator
) -> xr.Dataset:
    inside = setting.method not in ("windows", "partial", "Metropolis", UNCORRECTED)
    thin = max(1, RECORDED // setting.leapfrogs) if inside else 1
    each = PROPOSALS if setting.method == "Metropolis" else thin * setting.leapfrogs
    if setting.method == "partial":
        each //= int(setting.more)
    draws = max(8, gradients // each)
    steps = compiled(SMALL, setting, thin)
    prepare(SMALL, number)
    one = follow(steps, start, rng, draws)
    effective = [effective_draws(column) for column in one.found.T]
    numbers = {"acceptance": one.acceptance, "seconds": one.seconds, "gradients": draws * each}
    mean = one.found[draws // 2 :].mean(axis=0)
    return xr.Dataset(
        {"effective": ("quantity", effective), "mean": ("quantity", mean), **numbers},
        {"quantity": list(QUANTITIES)},
    )


def effective_draws(draws: np.ndarray) -> float:
    """Effective draws of a chain; one that stands still has one.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.neal1995.runs.methods import effective_draws
    >>> effective_draws(np.zeros(10))
    1.0
    """
    return float(az.ess(draws[None])) if np.ptp(draws) > 0 else 1.0

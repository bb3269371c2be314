"""The first step size of warm-up, given or found by doubling and halving (Lau 2018, 2.4)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from ....samplers.one_chain import iterate_chain
from ....samplers.starts import dispersed_starts
from ..design.declarations import Network, Sampler
from ..design.digits import digits
from ..design.experiments import DYNAMIC
from .arithmetic import whole_start
from .casting import Posterior, end_energy
from .steps import build_network, build_steps

FIRST_STEPS_KEY = "first-steps"
GIVEN = 0.1  # of NUTS where nothing is said
WAYS = ("given", "found")
STATISTICS = ("n_steps", "diverging", "step_size")


def find_first_step(energy_error: Callable[[float], float], step: float = 1.0) -> float:
    r"""Double or halve a step size until the acceptance of one leapfrog step crosses a half.

    .. math::
        \epsilon \leftarrow 2^a \epsilon \quad\text{while}\quad
        \bigl(e^{-\Delta H(\epsilon)}\bigr)^a > 2^{-a}

    with :math:`a = 1` if :math:`e^{-\Delta H}` is above a half at first, else :math:`a = -1` (Lau
    2018, Algorithm 9).

    Parameters
    ----------
    energy_error : callable
        From a step size to the energy error of one leapfrog step; infinite where it diverges.
    step : float
        Where to begin.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.runs.first_steps import find_first_step
    >>> find_first_step(lambda step: 0.1 * step**2), find_first_step(lambda step: 50 * step**2)
    (4.0, 0.0625)
    """

    def log_odds(step: float) -> float:
        error = energy_error(step)
        return np.log(2.0) - (error if np.isfinite(error) else np.inf)

    a = 1.0 if log_odds(step) > 0 else -1.0
    while a * log_odds(step) > 0:
        step *= 2.0**a
    return step


def compare_first_steps(chains: int, tune: int, seed: int = 0) -> xr.Dataset:
    """Warm the thesis's network up from both first step sizes, from the same starts.

    Parameters
    ----------
    chains : int
        Starts.
    tune : int
        Iterations of warm-up.
    seed : int
        Same seed, same starts and random numbers, which both ways share.

    Returns
    -------
    Dataset
        ``first``: the first step size; of all iterations together ``n_steps`` and ``diverging``,
        of the last one ``step_size``; along ``way`` and ``chain``.
    """
    model = build_network(Network())
    data = digits(Network().inputs)
    posterior = Posterior(data.X, data.y, learnt=False)
    found: dict[str, list[list[float]]] = {name: [] for name in ("first", *STATISTICS)}
    for chain, start in enumerate(dispersed_starts(model, chains, np.random.default_rng(seed))):
        point = {**model.initial_point(), **start}
        q, p = whole_start(point, np.random.default_rng([seed, chain]))

        def energy_error(step: float, q: np.ndarray = q, p: np.ndarray = p) -> float:
            with np.errstate(over="ignore", invalid="ignore"):  # too long a step
                return end_energy(posterior, q, p, step, 1) - end_energy(posterior, q, p, step, 0)

        firsts = dict(zip(WAYS, (GIVEN, find_first_step(energy_error)), strict=True))
        rows = [_warm_up(model, point, firsts[way], tune, [seed, chain, 1]) for way in WAYS]
        found["first"].append([firsts[way] for way in WAYS])
        for k, name in enumerate(STATISTICS):
            found[name].append([row[k] for row in rows])
    return xr.Dataset({name: (("chain", "way"), rows) for name, rows in found.items()})


def _warm_up(
    model: Any, point: dict[str, np.ndarray], first: float, tune: int, seed: list[int]
) -> tuple[float, float, float]:
    """Leapfrog steps and divergences of a warm-up, and its last step size."""
    sampler = Sampler(DYNAMIC.name, {**DYNAMIC.options, "step_scale": first})
    [step] = build_steps(sampler, model)
    start = {name: value.copy() for name, value in point.items()}
    leapfrogs = divergences = last = 0.0
    for _, [found], _ in iterate_chain(step, start, np.random.default_rng(seed), tune=tune):
        leapfrogs += float(found["n_steps"])
        divergences += float(found["diverging"])
        last = float(found["step_size"])
    return leapfrogs, divergences, last

"""Effective draws per second of log sigma_u on Choo's posteriors, ours and nutpie's.

Both samplers get the same number of chains and cores and are timed while they sample, warm-up
included and compilation excluded; nutpie samples the non-centred form with ``target_accept``
0.95.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import arviz as az
import numpy as np
from xarray import Dataset, DataTree

from .... import samplers
from ...choo2000.design.network import choo_network
from ..peers.inside_pymc import QUIET
from ..peers.leapfrog_steps import import_nutpie
from ..targets import by_round, judged
from ..timing import spread, whole

TARGET = 15.0  # ours over nutpie's, at least
STEP_SCALE = {8: 0.5, 20: 0.35}  # best of a grid on each posterior; of n_leapfrog 8 was best


def ess_of_log_sigma_u(idata: DataTree) -> float:
    """Bulk effective sample size of ``log sigma_u = -log(w0_precision) / 2``.

    Parameters
    ----------
    idata : DataTree
        Draws of Choo's network.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.studies.benchmark.measures.effective_draws import ess_of_log_sigma_u
    >>> draws = np.exp(np.random.default_rng(1).normal(size=(4, 1000)))
    >>> dataset = xr.Dataset({"w0_precision": (("chain", "draw"), draws)})
    >>> 3500 < ess_of_log_sigma_u(xr.DataTree.from_dict({"posterior": dataset})) < 4500
    True
    """
    log_sigma = -0.5 * np.log(idata["posterior"]["w0_precision"])
    tree = DataTree.from_dict({"posterior": Dataset({"log_sigma_u": log_sigma})})
    return float(az.ess(tree)["log_sigma_u"])


def measure_effective_draws(
    widths: tuple[int, ...] = (8, 20),
    chains: int = 4,
    cores: int = 2,
    draws: int = 5_000,
    nutpie_draws: int = 5_000,
    repeats: int = 3,
) -> dict[str, Any]:
    """Sample Choo's posteriors with both samplers in turn.

    Parameters
    ----------
    widths : tuple of int
        Hidden units of each posterior, 8 or 20.
    chains, cores : int
        For both samplers.
    draws : int
        Ours, per chain, of 50 sweeps of Gibbs draws and 8 leapfrog steps each.
    nutpie_draws : int
        Nutpie's, per chain.
    repeats : int
        Runs of each sampler, with different seeds.

    Returns
    -------
    dict
        For each width: for ``"ours"`` and ``"nutpie"`` the ``rate`` in effective draws per second
        as median, low and high, and the ``divergences``; their ``ratio`` as of
        :func:`.targets.judged`.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.effective_draws import measure_effective_draws
    >>> measure_effective_draws(widths=())
    {}
    """
    options = {"chains": chains, "cores": cores}
    return {str(width): _compare(width, options, draws, nutpie_draws, repeats) for width in widths}


def _compare(
    width: int, options: dict[str, Any], draws: int, nutpie_draws: int, repeats: int
) -> dict[str, Any]:
    runs = {"ours": _ours(width, draws, options), "nutpie": _nutpies(width, nutpie_draws, options)}
    asked = {"ours": draws, "nutpie": nutpie_draws}
    found: dict[str, Any] = {}
    rates: dict[str, list[float]] = {name: [] for name in runs}
    divergences = dict.fromkeys(runs, 0)
    for seed in range(1, repeats + 1):
        for name, run in runs.items():
            begin = perf_counter()
            idata = whole(run(seed), options["chains"], asked[name])
            seconds = perf_counter() - begin
            rates[name].append(ess_of_log_sigma_u(idata) / seconds)
            divergences[name] += int(idata["sample_stats"]["diverging"].sum())
    for name in runs:
        rate = spread(rates[name])
        found[name] = {"rate": rate._asdict(), "divergences": divergences[name]}
    return {**found, "ratio": judged(by_round(rates["ours"], rates["nutpie"]), ">=", TARGET)}


def _ours(width: int, draws: int, options: dict[str, Any]) -> Callable[[int], DataTree]:
    model = choo_network(width)
    step_scale = STEP_SCALE[width]
    step = samplers.GibbsHMC(n_leapfrog=8, step_scale=step_scale, thin=50, model=model)
    return lambda seed: samplers.sample(
        model,
        draws=draws,
        tune=1000,
        seed=seed,
        step=step,
        var_names=["w0_precision"],
        **options,
        **QUIET,
    )


def _nutpies(width: int, draws: int, options: dict[str, Any]) -> Callable[[int], DataTree]:
    nutpie = import_nutpie()
    compiled = nutpie.compile_pymc_model(choo_network(width, "noncentered"))
    options = {**options, "progress_bar": False, "target_accept": 0.95}
    nutpie.sample(compiled, draws=10, tune=10, seed=1, **options)  # nothing left to compile
    return lambda seed: nutpie.sample(compiled, draws=draws, tune=1000, seed=seed, **options)

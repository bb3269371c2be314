"""Effective draws per second of log sigma_u on Choo's posterior, ours and nutpie's.

Run it from the root of the repository, on an idle machine:

    uv run python -m tests.benchmarks.effective_draws

Both samplers get the same number of chains and cores and are timed while they sample, warm-up
included and compilation excluded; nutpie samples the non-centred form with ``target_accept``
0.95. The ratio of one run
is what counts: absolute figures depend on the machine.
"""

import argparse
from time import perf_counter

import arviz as az
import numpy as np
import nutpie
import xarray as xr
from pymc_bnn import samplers

from tests.choo import choo_network


def ess_of_log_sigma_u(idata: xr.DataTree) -> float:
    """Bulk effective sample size of ``log sigma_u = -log(w0_precision) / 2``."""
    log_sigma = (-0.5 * np.log(idata["posterior"]["w0_precision"])).rename("log_sigma_u")
    tree = xr.DataTree.from_dict({"posterior": log_sigma.to_dataset()})
    return float(az.ess(tree)["log_sigma_u"])


def ours(chains: int, cores: int, draws: int) -> tuple[float, float, int]:
    """Effective draws, seconds and divergences of interweaved Gibbs with static HMC."""
    model = choo_network()
    step = samplers.GibbsHMC(n_leapfrog=30, step_scale=0.4, thin=50, model=model)
    begin = perf_counter()
    idata = samplers.sample(
        model,
        draws=draws,
        tune=1000,
        chains=chains,
        cores=cores,
        seed=1,
        step=step,
        progressbar=False,
        quiet=True,
        compute_convergence_checks=False,
        var_names=["w0_precision"],
    )
    seconds = perf_counter() - begin
    return ess_of_log_sigma_u(idata), seconds, int(idata["sample_stats"]["diverging"].sum())


def nutpies(chains: int, cores: int, draws: int) -> tuple[float, float, int]:
    """Effective draws, seconds and divergences of nutpie."""
    compiled = nutpie.compile_pymc_model(choo_network(parametrization="noncentered"))
    options = {"chains": chains, "cores": cores, "progress_bar": False, "target_accept": 0.95}
    nutpie.sample(compiled, draws=10, tune=10, seed=1, **options)
    begin = perf_counter()
    idata = nutpie.sample(compiled, draws=draws, tune=1000, seed=1, **options)
    seconds = perf_counter() - begin
    return ess_of_log_sigma_u(idata), seconds, int(idata["sample_stats"]["diverging"].sum())


def main() -> None:
    """Run both and print effective draws per second and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument(
        "--draws", type=int, default=5_000, help="ours, per chain, of 50 sweeps each"
    )
    parser.add_argument("--nutpie-draws", type=int, default=5_000, help="nutpie's, per chain")
    given = parser.parse_args()
    rates = {}
    for name, run, draws in (("ours", ours, given.draws), ("nutpie", nutpies, given.nutpie_draws)):
        ess, seconds, divergences = run(given.chains, given.cores, draws)
        rates[name] = ess / seconds
        print(
            f"{name}: {ess:.0f} effective draws of log sigma_u in {seconds:.1f} s, "
            f"{rates[name]:.1f} per second, {divergences} divergences"
        )
    print(f"ratio ours / nutpie: {rates['ours'] / rates['nutpie']:.1f}")


if __name__ == "__main__":
    main()

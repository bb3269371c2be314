"""Trajectories of weights and log precisions agree with an independent system's posterior."""

from typing import Any

import arviz as az
import numpy as np
import pytest
from pymc_bnn import samplers
from pymc_bnn.studies.choo2000.design.network import choo_network
from xarray import DataTree

from tests.samplers.posteriors.test_reference import GROUPS, errors, log_sigma, z_score

WIDEST = 3.3
CHAINS = 8
QUIET: dict[str, Any] = {
    "chains": CHAINS,
    "cores": 1,  # processes that send each draw take twice the processor time
    "progressbar": False,
    "quiet": True,
    "compute_convergence_checks": False,
}
PRECISIONS = [f"{group}_precision" for group in GROUPS.values()]
# leapfrog steps and scale of Choo's Table 5.3; then trajectories per draw, and draws
DYNAMICS = {"centered": (100, 0.48, 20, 1200), "noncentered": (300, 0.08, 10, 320)}


@pytest.fixture(scope="module")
def starts(choo8: dict[str, Any]) -> list[dict[str, np.ndarray]]:
    """Points of a well-mixed run, far apart, with weights in both forms."""
    model = choo_network()
    idata = samplers.sample(
        model,
        draws=200,
        tune=200,
        seed=1,
        step=samplers.GibbsHMC(n_leapfrog=30, step_scale=0.4, thin=10, model=model),
        **QUIET,
    )
    points = []
    for chain in range(CHAINS):
        last = idata["posterior"].isel(chain=chain, draw=-1)
        point = {name: last[name].values for name in (*PRECISIONS, *model.groups)}
        for group in model.groups:
            point[f"{group}_raw"] = point[group] * np.sqrt(point[f"{group}_precision"])
        points.append(point)
    return points


@pytest.fixture(scope="module", params=DYNAMICS)
def idata(request: pytest.FixtureRequest, starts: list[dict[str, np.ndarray]]) -> DataTree:
    n_leapfrog, scale, thin, draws = DYNAMICS[request.param]
    model = choo_network(parametrization=request.param)
    free = {variable.name for variable in model.free_RVs}
    idata = samplers.sample(
        model,
        draws=draws,
        tune=0,
        seed=2,
        step=samplers.SplitLeapfrog(n_leapfrog, scale, thin=thin, model=model),
        initvals=[{k: v for k, v in start.items() if k in free} for start in starts],
        var_names=PRECISIONS,
        **QUIET,
    )
    u = log_sigma(idata, "u").transpose("chain", "draw").values
    assert float(az.ess(u, method="bulk")) > 500
    return idata


@pytest.mark.parametrize("symbol", ["u", "a"])
def test_quartiles_of_the_hidden_scales_agree(
    symbol: str, idata: DataTree, choo8: dict[str, Any]
) -> None:
    """Their tails are left alone: the reference's plain run explores those too little."""
    reference = choo8["log_sigma"][f"log_sigma_{symbol}"]
    for level in (0.25, 0.5, 0.75):
        expected, mcse = reference[f"q{100 * level:02.0f}"], errors(reference, level)[1]
        z = z_score(log_sigma(idata, symbol), "quantile", expected, mcse, prob=level)
        assert z < WIDEST, (level, z)


@pytest.mark.parametrize("symbol", ["v", "b", "delta"])
def test_moments_and_quartiles_of_the_other_scales_agree(
    symbol: str, idata: DataTree, choo8: dict[str, Any]
) -> None:
    reference = choo8["log_sigma"][f"log_sigma_{symbol}"]
    draws = log_sigma(idata, symbol)
    assert z_score(draws, "mean", reference["mean"], reference["mcse_mean"]) < WIDEST
    assert z_score(draws, "sd", reference["sd"], errors(reference, 0.5)[0]) < WIDEST
    for level in (0.25, 0.5, 0.75):
        expected, mcse = reference[f"q{100 * level:02.0f}"], errors(reference, level)[1]
        z = z_score(draws, "quantile", expected, mcse, prob=level)
        assert z < WIDEST, (level, z)

"""Whether two networks in one model mix as well as with ``pm.sample`` alone.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.two_networks --csv docs/two_networks.csv

The model of cars on the page on networks as parts: a network for the mean, a linear one for the
logarithm of the noise, and offsets of groups. Both samplers have their defaults, but for 500 draws
after 300 of warm-up in each of two chains, on one core. Of each kind of quantities the slowest
counts, by bulk effective draws of ArviZ. Ratios are of geometric means over seeds, with 95%
intervals of the t distribution; above 1 ours is better. Seconds are of one processor, compiling
not included. The last row has the percentages of draws whose trajectories diverged.

Length and search of the trajectories were chosen by seeds 101 to 109, by which no row of the table
is computed.
"""

import argparse
import logging
import warnings
from time import process_time
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
import pymc as pm
import xarray as xr
from pymc_bnn import models, samplers, studies
from scipy.stats import t
from threadpoolctl import threadpool_limits

SEEDS = range(1, 13)
LENGTH: dict[str, Any] = {"draws": 500, "tune": 300, "chains": 2, "cores": 1}
QUIET: dict[str, Any] = {"progressbar": False, "compute_convergence_checks": False}
KINDS = ("outputs", "noise", "offsets", "precisions")


def scattered() -> pm.Model:
    """Mileage of cars, whose scatter grows with it."""
    cars = studies.load_dataset("autompg").frame
    region = cars["origin"].astype("category")
    inputs = cars[["weight", "horsepower", "year"]]
    inputs = (inputs - inputs.mean()) / inputs.std()
    mileage = ((cars["mpg"] - cars["mpg"].mean()) / cars["mpg"].std()).to_numpy()
    with pm.Model(coords={"region": region.cat.categories}) as model:
        prior = models.NormalInverseGamma()
        mean = models.network(inputs, hidden=(5,), prior=prior, name="mean")
        log_sd = models.network(inputs, hidden=(), name="log_sd")
        spread = pm.Gamma("offset_precision", 2.0, 0.2)
        offset = pm.Normal("offset", 0.0, spread**-0.5, dims="region")
        centre = mean + offset[region.cat.codes.to_numpy()]
        pm.Deterministic("some_means", centre[::20])
        pm.Normal("mileage", centre, pm.math.exp(log_sd), observed=mileage)
    return model


def effective(posterior: xr.Dataset) -> dict[str, float]:
    """Effective draws of the slowest quantity of each kind."""
    precisions = [str(name) for name in posterior if str(name).endswith("_precision")]
    of_kind = {
        "outputs": ["some_means"],
        "noise": ["log_sd_w0", "log_sd_b0"],
        "offsets": ["offset"],
        "precisions": precisions,
    }
    found = {kind: az.ess(posterior[names]) for kind, names in of_kind.items()}
    return {kind: min(float(v.min()) for v in ess.values()) for kind, ess in found.items()}


def run(name: str, model: pm.Model, seed: int) -> dict[str, Any]:
    """Effective draws and seconds of one run."""
    begun = process_time()
    if name == "ours":
        idata = samplers.sample(model, seed=seed, quiet=True, **LENGTH, **QUIET)
    else:
        with model:
            idata = pm.sample(random_seed=seed, **LENGTH, **QUIET)
    seconds = process_time() - begun
    divergent = 100.0 * float(idata["sample_stats"]["diverging"].mean())
    row = {"sampler": name, "seed": seed, "seconds": seconds, "divergent": divergent}
    return row | effective(idata["posterior"].dataset)


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Geometric means over seeds, ratios with intervals, and mean percentages of divergences."""
    ours, theirs = (
        runs[runs["sampler"] == name].set_index("seed").sort_index()
        for name in ("ours", "pm.sample")
    )
    rows = []
    for kind in KINDS:
        row = {"kind": kind, "ours": _mean(ours[kind]), "pm.sample": _mean(theirs[kind])}
        for name, per in (("draw", 1.0), ("second", theirs["seconds"] / ours["seconds"])):
            logs = np.log(ours[kind] / theirs[kind] * per)
            reach = t.ppf(0.975, len(logs) - 1) * logs.std(ddof=1) / np.sqrt(len(logs))
            row |= {
                f"ratio per {name}": np.exp(logs.mean()),
                f"low per {name}": np.exp(logs.mean() - reach),
                f"high per {name}": np.exp(logs.mean() + reach),
            }
        rows.append(row)
    means = {name: one["divergent"].mean() for name, one in (("ours", ours), ("pm.sample", theirs))}
    rows.append({"kind": "divergent"} | means)
    return pd.DataFrame(rows)


def _mean(values: pd.Series) -> float:
    return float(np.exp(np.log(values).mean()))


def main() -> None:
    """Print a table, and write it where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", help="file to write")
    given = parser.parse_args()
    logging.getLogger("pymc").setLevel(logging.ERROR)
    model = scattered()
    runs = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # divergences, which effective draws stand beside
        for name in ("ours", "pm.sample"):
            run(name, model, 0)  # compiles
        for seed in SEEDS:
            for name in ("ours", "pm.sample"):
                runs.append(run(name, model, seed))
                print(runs[-1], flush=True)
    table = summary(pd.DataFrame(runs))
    print(table.to_string(index=False))
    if given.csv:
        table.to_csv(given.csv, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()

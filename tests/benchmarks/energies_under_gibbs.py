"""What E-BFMI says where Gibbs draws move the energy between trajectories.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.energies_under_gibbs --csv docs/energies_under_gibbs.csv

A precision with a gamma prior scales some normal weights, without data: its distribution is the
prior. An iteration draws the precision given the weights, and weights by a trajectory that forgets
where it began. The more weights, the slower the precision, and with it the energy, which is mostly
the logarithm of the precision times half the weights. Each row is a number of weights and a length
of four chains, over many runs: E-BFMI (the smallest of a run's chains), effective draws, how many
runs pass what is asked of R-hat and effective draws of the energy and the log precision, and among
those the share whose probability of the upper 5% tail of the precision is off by more than 1.96 of
its own standard errors.
"""

import argparse
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
import xarray as xr
from pymc_bnn.samplers.diagnosis.findings import BFMI, ESS, RHAT
from scipy.stats import gamma

SHAPE, RATE, CHAINS = 2.0, 1.0, 4
LIMIT = np.log(gamma.ppf(0.95, SHAPE, scale=1 / RATE))


def run(weights: int, draws: int, runs: int) -> xr.Dataset:
    """Log precision and energy, of dimensions chain, draw and run."""
    rng = np.random.default_rng(weights)
    size = CHAINS, draws, runs
    half = weights / 2
    precision = rng.gamma(SHAPE, size=(CHAINS, runs)) / RATE
    log_precision, energy = np.empty(size), np.empty(size)
    for draw in range(draws):
        squares = 2 * rng.gamma(half, size=precision.shape) / precision
        precision = rng.gamma(SHAPE + half, size=precision.shape) / (RATE + squares / 2)
        kinetic, moved = rng.gamma(half, size=(2, *precision.shape))
        log_precision[:, draw] = np.log(precision)
        energy[:, draw] = kinetic + moved + RATE * precision - (SHAPE + half) * np.log(precision)
    dims = ("chain", "draw", "run")
    return xr.Dataset({"log precision": (dims, log_precision), "energy": (dims, energy)})


def row(weights: int, draws: int, runs: int) -> dict[str, Any]:
    """Means over the runs, and how often a tail is off."""
    drawn = run(weights, draws, runs)
    energy = drawn["energy"]
    bfmi = ((energy.diff("draw") ** 2).sum("draw") / energy.var("draw") / draws).min("chain")
    tail = (drawn["log precision"] > LIMIT).astype(float)
    ess, rhat = az.ess(drawn), az.rhat(drawn)
    passed = (ess.to_array().min("variable") >= ESS) & (rhat.to_array().max("variable") <= RHAT)
    mean = tail.mean(("chain", "draw"))
    z = (mean - 0.05) / az.mcse(tail.to_dataset(name="tail"), method="mean")["tail"]
    low = passed & (bfmi < BFMI)
    off = np.abs(z.values) > 1.96
    return {
        "weights": weights,
        "draws": draws,
        "runs": runs,
        "E-BFMI": float(bfmi.median()),
        "draws of the energy": float(ess["energy"].median()),
        "draws of the log precision": float(ess["log precision"].median()),
        "runs that pass": int(passed.sum()),
        "of these E-BFMI below 0.3": int(low.sum()),
        "off": float(off[passed.values].mean()) if passed.any() else np.nan,
    }


def main() -> None:
    """Print a table, and write it where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=int, nargs="+", default=[4, 16, 64, 128])
    parser.add_argument("--draws", type=int, nargs="+", default=[1000, 8000])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--csv", help="file to write")
    given = parser.parse_args()
    rows = [row(w, draws, given.runs) for w in given.weights for draws in given.draws]
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    if given.csv:
        table.to_csv(given.csv, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()

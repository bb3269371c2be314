"""What trajectories by some cases at a time gain: energy errors, and effective draws per case seen.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.partial_gradients --csv docs/partial_gradients.csv

The robot arm of Neal (1995, 3.3) with eight tanh units, and precisions that Gibbs sampling draws.
Chains start where recommended ones ended. The step size is learnt to an acceptance of 0.8, and
trajectories take 16 passes through all cases; an accept test counts as two thirds of a pass, for
its two energies. Effective draws are those within chains, of the median output.

Errors in the energy are looked at on equal ways: with the factor that plain trajectories learnt,
divided by the batches, from the same starts.
"""

import argparse
from pathlib import Path
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
import pymc as pm
from pymc_bnn import models, samplers, studies

CASES, BATCHES, SEEDS = (200, 2000, 20_000), (1, 2, 4, 8), (0, 1, 2)
PASSES, DRAWS, TUNE = 16, 200, 120
ENERGIES = 2 / 3  # of the passes that a gradient takes
WAY, DRAWN = "way of a pass", "ESS per thousand passes"
ERROR, ACCEPTED = "energy error on equal ways", "acceptance on equal ways"
EQUAL = 60  # draws of each chain with these
LARGEST = 1000.0  # energy error, which diverging trajectories have
QUIET = {"progressbar": False, "quiet": True, "cores": 1, "chains": 2}


def starts(model: models.BNN, seed: int) -> list[dict[str, np.ndarray]]:
    """Where recommended chains are after a while."""
    idata = samplers.sample(model, draws=30, tune=100, seed=seed, **QUIET)
    last = idata["posterior"].dataset.isel(draw=-1)
    names = [variable.name for variable in model.free_RVs]
    return [{name: last[name].values[chain] for name in names} for chain in last["chain"].values]


def measure(cases: int, seed: int) -> list[dict[str, Any]]:
    """Sample one data set with each number of batches."""
    arm = studies.robot_arm(cases, seed=seed)
    model = models.normal_inverse_gamma(arm.X, arm.y, hidden=(8,))
    begun, rows = starts(model, seed), []
    for batches in BATCHES:
        idata = chains(model, seed, begun, batches, DRAWS, TUNE, target_accept=0.8)
        if batches == 1:
            factor = float(idata["sample_stats"].dataset["step_size"].mean())
        equal = chains(model, seed, begun, batches, EQUAL, 0, step_scale=factor / batches)
        errors = equal["sample_stats"].dataset["energy_error"]
        found = model.predict(idata, arm.X_test[:10], draws=["f"], quantiles=())
        f = found["predictions"].dataset["f"]
        each = [az.ess(f.sel(chain=[chain]).to_dataset(name="f"))["f"] for chain in (0, 1)]
        stats = idata["sample_stats"].dataset
        rows.append(
            {
                "cases": cases,
                "batches": batches,
                "seed": seed,
                "acceptance": float(stats["acceptance_rate"].mean()),
                ERROR: float(np.sqrt((errors.clip(-LARGEST, LARGEST) ** 2).mean())),
                ACCEPTED: float(equal["sample_stats"].dataset["acceptance_rate"].mean()),
                WAY: batches * float(stats["step_size"].mean()),
                DRAWN: 1000 * float(np.median(sum(each))) / (2 * DRAWS * (PASSES + ENERGIES)),
            }
        )
    return rows


def chains(
    model: models.BNN,
    seed: int,
    begun: list[dict[str, np.ndarray]],
    batches: int,
    draws: int,
    tune: int,
    **options: float,
) -> Any:
    """Sample with a number of batches."""
    options |= {"n_leapfrog": PASSES * batches, "partial_gradients": batches}
    with model:
        steps = [samplers.GibbsPrecision(), samplers.StaticHMC(**options)]
        return pm.sample(
            draws=draws, tune=tune, step=steps, random_seed=seed, initvals=begun,
            compute_convergence_checks=False, **QUIET,
        )  # fmt: skip


def gains(table: pd.DataFrame) -> pd.DataFrame:
    """Logarithms of ratios to plain trajectories, means over data sets with standard errors."""
    columns = {}
    for name in (WAY, DRAWN, ERROR):
        each = table.pivot_table(name, ["cases", "batches"], "seed")
        over = np.log(each.div(each.xs(1, level="batches"), level="cases"))
        columns[f"log ratio, {name}"] = over.mean(axis=1)
        columns[f"± {name}"] = over.std(axis=1, ddof=1) / np.sqrt(over.shape[1])
    by = table.groupby(["cases", "batches"])
    for name in (ERROR, ACCEPTED):
        columns[name] = by[name].mean()
    return pd.DataFrame(columns)


def main() -> None:
    """Print the gains, and keep them where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", type=Path, help="file to write")
    given = parser.parse_args()
    rows = [row for cases in CASES for seed in SEEDS for row in measure(cases, seed)]
    found = gains(pd.DataFrame(rows))
    print(found.to_string())
    if given.csv:
        found.reset_index().to_csv(given.csv, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()

"""What trajectories by some cases at a time gain: energy errors, and effective draws per case seen.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.partial_gradients --csv docs/partial_gradients.csv

The robot arm of Neal (1995, 3.3) with eight tanh units, and precisions that Gibbs sampling draws.
Chains start where recommended ones ended. The step size is learnt to an acceptance of 0.8, and
trajectories take 16 passes through all cases; an accept test counts as two thirds of a pass, for
its two energies. Effective draws are those within chains, of the median output.
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
        options = {"n_leapfrog": PASSES * batches, "partial_gradients": batches}
        with model:
            steps = [samplers.GibbsPrecision(), samplers.StaticHMC(target_accept=0.8, **options)]
            idata = pm.sample(
                draws=DRAWS, tune=TUNE, step=steps, random_seed=seed, initvals=begun,
                compute_convergence_checks=False, **QUIET,
            )  # fmt: skip
        found = model.predict(idata, arm.X_test[:10], draws=["f"], quantiles=())
        f = found["predictions"].dataset["f"]
        chains = [az.ess(f.sel(chain=[chain]).to_dataset(name="f"))["f"] for chain in (0, 1)]
        stats = idata["sample_stats"].dataset
        rows.append(
            {
                "cases": cases,
                "batches": batches,
                "seed": seed,
                "acceptance": float(stats["acceptance_rate"].mean()),
                "energy error, sd": float(stats["energy_error"].std()),
                WAY: batches * float(stats["step_size"].mean()),
                DRAWN: 1000 * float(np.median(sum(chains))) / (2 * DRAWS * (PASSES + ENERGIES)),
            }
        )
    return rows


def gains(table: pd.DataFrame) -> pd.DataFrame:
    """Logarithms of ratios to plain trajectories, means over data sets with standard errors."""
    columns = {}
    for name in (WAY, DRAWN):
        each = table.pivot_table(name, ["cases", "batches"], "seed")
        over = np.log(each.div(each.xs(1, level="batches"), level="cases"))
        columns[f"log ratio, {name}"] = over.mean(axis=1)
        columns[f"± {name}"] = over.std(axis=1, ddof=1) / np.sqrt(over.shape[1])
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

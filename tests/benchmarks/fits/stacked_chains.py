"""Whether chains weighed by stacking predict better than equal ones, on held-out cases.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.fits.stacked_chains --csv docs/stacked_chains.csv

Eight short chains of a network of eight units are fitted to 70% of a table. Each row is a split:
cases for which leave-one-out fails in some chain, what weights gain by leave-one-out, and what they
gain on the other 30%, per case, with standard errors.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from mlxtend.data import boston_housing_data
from pymc_bnn import models, samplers
from pymc_bnn.models.scores import log_predictive_density
from pymc_bnn.studies.chains.chain_stacking import stack_chains
from pymc_bnn.studies.chains.weighted_draws import weighted_draws
from pymc_bnn.studies.scores.paired_scores import difference
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale

CHAINS, DRAWS, UNITS = 8, 300, 8


def tables() -> Iterator[tuple[str, int, np.ndarray, np.ndarray]]:
    """Name, number of splits, inputs and targets."""
    yield "Friedman 1", 2, *make_friedman1(500, 8, noise=1.0, random_state=1)
    yield "Boston housing", 4, *boston_housing_data()


def row(name: str, X: np.ndarray, y: np.ndarray, split: int) -> dict[str, Any]:
    """Gains of one split."""
    X, X_test, y, y_test = train_test_split(scale(X), scale(y), test_size=0.3, random_state=split)
    model = models.normal_inverse_gamma(X, y, (UNITS,))
    quiet: Any = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
    idata = samplers.sample(model, DRAWS, DRAWS, CHAINS, precision="float32", seed=split, **quiet)
    found = stack_chains(model, idata)
    equal, stacked = (
        np.ravel(log_predictive_density(model, one, X_test, y_test))
        for one in (idata, weighted_draws(idata, found.weights))
    )
    gap = difference(stacked, equal)
    return {
        "table": name,
        "split": split,
        "cases": found.cases,
        "failing": found.failing,
        "largest weight": max(found.weights),
        "gain": found.gain / found.cases,
        "gain se": found.gain_se / found.cases,
        "held out": gap.mean,
        "held out se": gap.se,
        "used": found.better,
    }


def main() -> None:
    """Print a table, and write it where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", help="file to write")
    given = parser.parse_args()
    rows = [
        row(name, X, y, split) for name, splits, X, y in tables() for split in range(1, splits + 1)
    ]
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    if given.csv:
        table.to_csv(given.csv, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()

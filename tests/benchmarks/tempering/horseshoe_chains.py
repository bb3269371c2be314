r"""Whether chains of a horseshoe network agree on Auto MPG, and how long that takes.

Run it from the root of the repository, a way at a time; each adds a line to the table:

    uv run python -m tests.benchmarks.tempering.horseshoe_chains ladder \
        --csv docs/horseshoe_chains.csv

Eight hidden units, four chains. The ways are the recommended steps of the horseshoe, the conjugate
horseshoe, which has the same posterior, by itself, and the same with a ladder whose temperatures
are so close to 1 that neighbours swap four times in ten. The longer ladder was run on another,
slower kind of machine, where the same seed gives other draws.
"""

import argparse
import resource
from pathlib import Path
from typing import Any

import pandas as pd
from pymc_bnn import models, samplers
from pymc_bnn.studies.chains.convergence import check_convergence
from pymc_bnn.studies.tables.datasets import load_dataset
from pymc_bnn.studies.tables.table import prepare

LADDER = [1.0, 1.105, 1.235, 1.39, 1.5625, 1.77, 2.0]
SINGLE = {"precision": "float32"}
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "recommended": ("horseshoe", {"draws": 400, "tune": 400}),
    "conjugate": ("conjugate_horseshoe", {"draws": 6000, "tune": 600, "thin": 5, **SINGLE}),
    "ladder": (
        "conjugate_horseshoe",
        {"draws": 3700, "tune": 700, "temperature": LADDER, **SINGLE},
    ),
    "longer ladder": (
        "conjugate_horseshoe",
        {"draws": 4300, "tune": 700, "temperature": LADDER, **SINGLE},
    ),
}


def seconds() -> float:
    """Processor time of this process and those that it started."""
    both = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(sum(resource.getrusage(who)[:2]) for who in both)


def measure(way: str) -> dict[str, Any]:
    """R-hat and effective draws of the worst output, and what they took."""
    variant, options = WAYS[way]
    data = prepare(load_dataset("autompg"), seed=0)
    model = models.VARIANTS[variant](data.X, data.y, hidden=(8,), likelihood=data.likelihood)
    run = {"chains": 4, "cores": 2, "seed": 1, "progressbar": False, "quiet": True}
    samplers.sample(model, **run, **options | {"draws": 3, "tune": 3})  # nothing is left to compile
    begun = seconds()
    idata = samplers.sample(model, **run, **options)
    took = seconds() - begun
    table = check_convergence(model, idata).table
    row: dict[str, Any] = {"way": way, "seconds of each of two": took / 2}
    for kind in ("network outputs", "hyperparameter"):
        here = table[table["kind"] == kind]
        row |= {f"R-hat, {kind}": here["rhat"].max(), f"ESS, {kind}": here["ess"].min()}
    return row


def main() -> None:
    """Print the line of a way, and add it to a table where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=WAYS)
    parser.add_argument("--csv", type=Path, help="file to add to")
    given = parser.parse_args()
    row = pd.DataFrame([measure(given.way)])
    print(row.to_string(index=False))
    if given.csv:
        before = [pd.read_csv(given.csv)] if given.csv.exists() else []
        pd.concat([*before, row]).to_csv(given.csv, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()

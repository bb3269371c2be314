"""Time per leapfrog step and replica of 112 replicas of M(3), beside that of a single chain.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.tempering.replicas_in_turn --csv docs/replicas_in_turn.csv

Two processes keep both cores busy, each with a single chain and then with a ladder, whose replicas
move one after another. Everything is counted that an iteration does, but for what is recorded.
"""

import argparse
from multiprocessing import get_context
from typing import Any

import numpy as np
import pandas as pd
from pymc_bnn import samplers
from threadpoolctl import threadpool_limits

from .replicas_together import STEPS, TINY, digits, microseconds

REPLICAS = 112
PROCESSES = 2


def measure(cases: int) -> dict[str, float]:
    """Microseconds per leapfrog step of one chain, and of each replica of a ladder."""
    model = digits(cases)
    options: dict[str, Any] = {"n_leapfrog": STEPS, "step_scale": TINY, "metric": "unit"}
    with threadpool_limits(1):
        one, many = (
            samplers.StaticHMC(model.free_RVs, step_sizes="adapt", model=model, **options)
            for _ in range(2)
        )
        alone = microseconds(one, 10.0)
        ladder = np.geomspace(1, 100, REPLICAS).tolist()
        step = samplers.ReplicaExchange(ladder, steps=many, record=False, model=model)
        each = microseconds(step, 0.0) / REPLICAS
        return {"alone": (alone + microseconds(one, 10.0)) / 2, "in turn": each}


def main() -> None:
    """Print a table, and write it where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, nargs="+", default=[50, 500])
    parser.add_argument("--csv", help="file to write")
    given = parser.parse_args()
    rows = []
    for cases in given.cases:
        with get_context("spawn").Pool(PROCESSES) as pool:
            found = pd.DataFrame(pool.map(measure, [cases] * PROCESSES, chunksize=1)).mean()
        row = {"network": f"M(3), {cases} cases", "replicas": REPLICAS, **found}
        rows.append(row | {"ratio": found["in turn"] / found["alone"]})
        print(rows[-1], flush=True)
    if given.csv:
        pd.DataFrame(rows).to_csv(given.csv, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()

"""Time per leapfrog step and replica of a ladder that JAX moves as one batch.

Run it from the root of the repository, once for each device, and keep all rows in one file:

    uv run python -m tests.benchmarks.tempering.replicas_together --csv docs/replicas_together.csv

Everything is counted that an iteration does, but for what is recorded: momenta, trajectories, the
accept test, swaps. Beside it stands a single chain of :class:`StaticHMC` on one core of the same
machine, whose trajectories our own kernels run.
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pymc_bnn import models, samplers
from pymc_bnn.samplers.tempering.together.step import ReplicasTogether
from pymc_bnn.studies.baldock2019.design.images import cases
from pymc_bnn.studies.baldock2019.design.networks import NETWORKS
from pymc_bnn.studies.benchmark.machine import cpu_name
from pymc_bnn.studies.choo2000.design.network import choo_network
from threadpoolctl import threadpool_limits

RUNS = 2  # at least
STEPS = 100  # of a trajectory
TINY = 1e-5  # factor of the step sizes, so that all trajectories are followed to their end


def digits(count: int) -> models.BNN:
    """M(3) of Baldock & Marzari, 13 970 weights."""
    data = cases(count)
    return NETWORKS["M3"].build(data.X, data.y)


def large_table() -> models.BNN:
    """A network of 385 weights on a table of 100 000 rows."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((100_000, 10))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + rng.standard_normal(len(X))
    return models.gaussian(X, y, hidden=(32,))


PROBLEMS: dict[str, tuple[Callable[[], models.BNN], tuple[int, ...]]] = {
    "Choo 2-8-1, 8 cases": (lambda: choo_network(8).reparametrized("noncentered"), (16, 112)),
    "M(3), 50 cases": (lambda: digits(50), (1, 16, 112)),
    "M(3), 500 cases": (lambda: digits(500), (1, 16, 112)),
    "M(3), 2500 cases": (lambda: digits(2500), (1, 16, 112)),
    "10-32-1, 100 000 cases": (large_table, (1, 16)),
}


def microseconds(step: Any, least: float) -> float:
    """Time of a leapfrog step of all that a step method moves, the median of several runs."""
    step.setup_chain(np.random.default_rng(1), 0, 0)
    point = step.model.initial_point(0)
    point, _ = step.step(point)
    found: list[float] = []
    begun = time.perf_counter()
    while len(found) < RUNS or time.perf_counter() - begun < least:
        before = time.perf_counter()
        point, _ = step.step(point)
        found.append(time.perf_counter() - before)
    return 1e6 * float(np.median(found)) / STEPS


def device() -> str:
    """Name of what JAX runs on."""
    import jax

    [found, *_] = jax.devices()
    return cpu_name() if found.platform == "cpu" else str(found.device_kind)


def rows_of(name: str, least: float, most: int) -> list[dict[str, Any]]:
    """Rows of a network, one for each number of replicas."""
    build, counts = PROBLEMS[name]
    counts = tuple(count for count in counts if count <= most)
    model = build()
    options: dict[str, Any] = {"n_leapfrog": STEPS, "step_scale": TINY, "metric": "unit"}
    with threadpool_limits(1):
        alone = samplers.StaticHMC(model.free_RVs, step_sizes="adapt", model=model, **options)
        single = microseconds(alone, least)
    rows = []
    for count in counts:
        ladder = [1.0] if count == 1 else np.geomspace(1, 100, count).tolist()
        step = ReplicasTogether(ladder, record=False, model=model, **options)
        each = microseconds(step, least) / count
        row = {"device": device(), "network": name, "replicas": count, "together": each}
        row |= {"core": cpu_name(), "cores": os.cpu_count(), "alone": single}
        rows.append(row | {"worth": single / each})
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Print a table, and add it to a file where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="at least, of each number")
    parser.add_argument("--replicas", type=int, default=112, help="at most")
    parser.add_argument("--only", help="a part of the networks' names")
    parser.add_argument("--csv", help="file to add to")
    given = parser.parse_args()
    chosen = [name for name in PROBLEMS if (given.only or "") in name]
    table = pd.DataFrame(
        [row for name in chosen for row in rows_of(name, given.seconds, given.replicas)]
    )
    print(table.round(3).to_string(index=False))
    if given.csv:
        before = [pd.read_csv(given.csv)] if Path(given.csv).exists() else []
        table = pd.concat([*before, table.map(lambda v: v if isinstance(v, str) else float(v))])
        table.to_csv(given.csv, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()

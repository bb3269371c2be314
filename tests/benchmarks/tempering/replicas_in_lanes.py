"""Time per leapfrog step and replica on a ladder, beside that of a single chain.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.tempering.replicas_in_lanes --csv docs/replicas_in_lanes.csv

Everything is counted that ``samplers.sample`` does for a draw: Gibbs draws, interweaving, swaps,
records. Replicas run one after another, each as a single chain does, and as lanes of registers.
"""

import argparse
from typing import Any

import numpy as np
import pandas as pd
from pymc_bnn import models, samplers
from pymc_bnn.studies.benchmark.problems import robot_arm
from pymc_bnn.studies.choo2000.design.network import choo_network

RUNS = 6
QUIET: Any = {
    "chains": 1,
    "cores": 1,
    "tune": 0,
    "progressbar": False,
    "quiet": True,
    "compute_convergence_checks": False,
}


def arm(cases: int) -> models.BNN:
    """A network of 33 weights, 2-8-1."""
    X, y = robot_arm(cases)
    return models.normal_inverse_gamma(X, y[:, 0], hidden=(8,))


NETWORKS = {
    "Choo 2-8-1, 8 cases": lambda: choo_network(8),
    "robot arm 2-8-1, 24 cases": lambda: arm(24),
    "robot arm 2-8-1, 60 cases": lambda: arm(60),
}


def microseconds(model: models.BNN, draws: int, n_leapfrog: int, **options: Any) -> float:
    """Time per leapfrog step of a draw, the least of several runs."""
    found = []
    for _ in range(RUNS):
        idata = samplers.sample(model, draws, n_leapfrog=n_leapfrog, seed=1, **QUIET, **options)
        found.append(idata["posterior"].attrs["sampling_time"])
    return 1e6 * min(found) / draws / n_leapfrog


def ignore(**arguments: Any) -> None:
    """Say nothing; chains with a callback run one by one."""


def row(name: str, model: models.BNN, given: argparse.Namespace, steps: int) -> dict[str, Any]:
    """Microseconds per leapfrog step and replica, and their ratios to those of a single chain."""
    ladder = np.geomspace(1.0, 100.0, given.replicas).tolist()
    single = microseconds(model, 4 * given.draws, steps)
    found = {"network": name, "steps": steps, "replicas": given.replicas, "alone": single}
    for how, options in {"in turn": {"callback": ignore}, "in lanes": {}}.items():
        several = microseconds(model, given.draws, steps, temperature=ladder, **options)
        found[how] = several / given.replicas
        found[f"ratio {how}"] = found[how] / single
    return found


def main() -> None:
    """Print a table, and write it where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicas", type=int, default=16)
    parser.add_argument("--leapfrog", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--draws", type=int, default=60)
    parser.add_argument("--csv", help="file to write")
    given = parser.parse_args()
    rows = [
        row(name, network(), given, steps)
        for name, network in NETWORKS.items()
        for steps in given.leapfrog
    ]
    table = pd.DataFrame(rows)
    print(table.round(3).to_string(index=False))
    if given.csv:
        table.to_csv(given.csv, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()

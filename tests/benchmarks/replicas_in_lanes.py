"""Time per leapfrog step and replica on a ladder, beside that of a single chain.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.replicas_in_lanes --replicas 16 --leapfrog 100 300

Everything is counted that ``samplers.sample`` does for a draw: Gibbs draws, interweaving, swaps,
records. Replicas run one after another, each as a single chain does, and as lanes of registers.
"""

import argparse
from typing import Any

import numpy as np
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
    "Choo, 8 cases, 2-8-1": lambda: choo_network(8),
    "robot arm, 24 cases, 2-8-1": lambda: arm(24),
    "robot arm, 60 cases, 2-8-1": lambda: arm(60),
    "Choo, 8 cases, 2-20-1": lambda: choo_network(20),
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


def main() -> None:
    """Print one line for each network and length of trajectories."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicas", type=int, default=16)
    parser.add_argument("--leapfrog", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--draws", type=int, default=60)
    given = parser.parse_args()
    ladder = np.geomspace(1.0, 100.0, given.replicas).tolist()
    for name, network in NETWORKS.items():
        model = network()
        for steps in given.leapfrog:
            single = microseconds(model, 4 * given.draws, steps)
            line = f"{name}, {steps} steps: {single:.3f} alone"
            for how, options in {"in turn": {"callback": ignore}, "in lanes": {}}.items():
                several = microseconds(model, given.draws, steps, temperature=ladder, **options)
                replica = several / given.replicas
                line += f", {how} {replica:.3f}, ratio {replica / single:.2f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()

"""Time per leapfrog step and replica on a ladder, beside that of a single chain.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.replicas_in_lanes --replicas 16 --leapfrog 100 300

Everything is counted that ``samplers.sample`` does for a draw: Gibbs draws, interweaving, swaps,
records. Times are differences of a long run and a short one, so that nothing counts that is done
once; they are of the processor, of which both runs use one core.
"""

import argparse
import time

import numpy as np
from pymc_bnn import models, samplers
from pymc_bnn.studies.benchmark.problems import robot_arm
from pymc_bnn.studies.choo2000.design.network import choo_network

QUIET = {
    "chains": 1,
    "cores": 1,
    "tune": 0,
    "progressbar": False,
    "quiet": True,
    "compute_convergence_checks": False,
}


def sine(cases: int) -> models.BNN:
    """A network of 33 weights, 2-8-1."""
    X, y = robot_arm(cases)
    return models.normal_inverse_gamma(X, y[:, 0], hidden=(8,))


NETWORKS = {
    "Choo, 8 cases, 2-8-1": lambda: choo_network(8),
    "robot arm, 24 cases, 2-8-1": lambda: sine(24),
    "robot arm, 60 cases, 2-8-1": lambda: sine(60),
    "Choo, 8 cases, 2-20-1": lambda: choo_network(20),
}


def seconds(model: models.BNN, draws: int, **options: object) -> float:
    """Processor time of a run with so many draws, the least of three."""
    found = []
    for _ in range(3):
        begun = time.process_time()
        samplers.sample(model, draws, seed=1, **QUIET, **options)  # type: ignore[arg-type]
        found.append(time.process_time() - begun)
    return min(found)


def microseconds(model: models.BNN, draws: int, n_leapfrog: int, **options: object) -> float:
    """Time per leapfrog step of a draw."""
    options["n_leapfrog"] = n_leapfrog
    short, long = (seconds(model, count, **options) for count in (5, 5 + draws))
    return 1e6 * (long - short) / draws / n_leapfrog


def main() -> None:
    """Print one line for each network and length of trajectories."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicas", type=int, default=16)
    parser.add_argument("--leapfrog", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--draws", type=int, default=400)
    given = parser.parse_args()
    ladder = np.geomspace(1.0, 100.0, given.replicas).tolist()
    for name, network in NETWORKS.items():
        model = network()
        for steps in given.leapfrog:
            single = microseconds(model, 4 * given.draws, steps)
            several = microseconds(model, given.draws, steps, temperature=ladder)
            replica = several / given.replicas
            print(
                f"{name}, {steps} steps: {single:.3f} alone, {replica:.3f} per replica of "
                f"{given.replicas}, {replica / single:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()

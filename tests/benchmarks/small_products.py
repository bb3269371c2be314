"""From which size on products of a layer are faster in BLAS than in loops of our own.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.small_products --rounds 5 --docs docs

Processes that call BLAS from different sizes on take turns, as that number is compiled in. Each
times trajectories of every network within ``GibbsHMC``, on one thread. A ratio is of two processes
of the same round.
"""

import argparse
import json
import logging
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from pymc_bnn import models, samplers
from pymc_bnn.models.simd.processor import has_wide_registers
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.potential import block_products
from pymc_bnn.studies.benchmark.machine import cpu_name
from threadpoolctl import threadpool_limits

FROM = (3000, 100_000, 10_000_000)  # multiply-adds; the last is more than any product has
NETWORKS = {  # cases, inputs, hidden units
    "200 cases, 2-16-1": (200, 2, (16,)),
    "300 cases, 8-8-1": (300, 8, (8,)),
    "300 cases, 8-16-16-1": (300, 8, (16, 16)),
    "1000 cases, 8-32-1": (1000, 8, (32,)),
    "1000 cases, 20-32-32-1": (1000, 20, (32, 32)),
    "500 cases, 64-35-1": (500, 64, (35,)),
    "500 cases, 256-40-40-40-1": (500, 256, (40, 40, 40)),
}
SECONDS, REPEATS = 0.1, 9


def time_networks(blas_from: int) -> dict[str, float]:
    """Microseconds per leapfrog step of each network, the least of several."""
    block_products.BLAS_FROM = blas_from
    with threadpool_limits(1):
        return {name: time_network(*sizes) for name, sizes in NETWORKS.items()}


def time_network(cases: int, inputs: int, hidden: tuple[int, ...]) -> float:
    """Microseconds per leapfrog step."""
    X = np.random.default_rng(1).normal(size=(cases, inputs))
    model = models.normal_inverse_gamma(X, X[:, 0], hidden=hidden)
    steps = max(10, int(4e6 / (cases * inputs * hidden[0])))
    step = samplers.GibbsHMC(steps, 1e-4, collapse=False, interweave=False, model=model)
    step.setup_chain(np.random.default_rng(1), 0, 1)
    point, _ = step.step(initial_point(model))
    return min(_seconds(step, point) for _ in range(REPEATS)) * 1e6 / steps


def _seconds(step: samplers.GibbsHMC, point: dict) -> float:
    calls, begin = 0, perf_counter()
    while (now := perf_counter()) < begin + SECONDS or not calls:
        step.step(point)
        calls += 1
    return (now - begin) / calls


def in_a_process(blas_from: int) -> dict[str, float]:
    """Times of another process."""
    command = [sys.executable, "-m", __spec__.name, "--only", str(blas_from)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def table(rounds: list[dict[int, dict[str, float]]]) -> pd.DataFrame:
    """Medians of the rounds, and ratios to calling BLAS from the first size on."""
    rows = []
    for name in NETWORKS:
        for blas_from in FROM:
            times = np.array([one[blas_from][name] for one in rounds])
            ratios = times / [one[FROM[0]][name] for one in rounds]
            row = {"network": name, "BLAS from": blas_from, "microseconds": np.median(times)}
            row |= {"ratio": np.median(ratios), "lowest": ratios.min(), "highest": ratios.max()}
            rows.append(row)
    machine = {"processor": cpu_name(), "512-bit registers": has_wide_registers()}
    return pd.DataFrame(rows).assign(**machine)


def main() -> None:
    """Measure, print, and write a table."""
    command = argparse.ArgumentParser(description=__doc__)
    command.add_argument("--rounds", type=int, default=5)
    command.add_argument("--docs", type=Path)
    command.add_argument("--only", type=int, help="time with BLAS from this size on")
    given = command.parse_args()
    logging.getLogger("pymc").setLevel(logging.ERROR)
    if given.only:
        print(json.dumps(time_networks(given.only)))
        return
    rounds = [{one: in_a_process(one) for one in FROM} for _ in range(given.rounds)]
    found = table(rounds)
    print(found.to_string())
    if given.docs:
        found.to_csv(given.docs / "small_products.csv", index=False, float_format="%.3g")


if __name__ == "__main__":
    main()

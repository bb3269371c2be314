"""From which size on products of a layer are faster in BLAS than in loops of our own.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.small_products --rounds 5 --docs docs

Processes that choose in other ways take turns, network by network, as the choice is compiled in.
Each times trajectories within ``GibbsHMC``, on one thread and by seconds of the processor, so that
other work on the machine matters less. A ratio is of two processes of the same round.
"""

import argparse
import json
import logging
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from pymc_bnn import models, samplers
from pymc_bnn.models.simd.processor import has_wide_registers
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.potential import block_products, blocks
from pymc_bnn.studies.benchmark.machine import cpu_name
from threadpoolctl import threadpool_limits

NETWORKS = {  # cases, inputs, hidden units
    "300 cases, 10-8-1": (300, 10, (8,)),
    "1000 cases, 8-16-1": (1000, 8, (16,)),
    "768 cases, 64-35-1": (768, 64, (35,)),
    "300 cases, 64-75-1": (300, 64, (75,)),
    "500 cases, 400-100-1": (500, 400, (100,)),
    "300 cases, 784-200-1": (300, 784, (200,)),
    "5000 cases, 20-32-32-1": (5000, 20, (32, 32)),
    "5000 cases, 20-32-1": (5000, 20, (32,)),
    "20000 cases, 20-32-1": (20_000, 20, (32,)),
    "100000 cases, 20-32-1": (100_000, 20, (32,)),
}
SECONDS, LEAST_STEPS = 0.05, 60  # long trajectories: their ends are in double precision


@dataclass(frozen=True)
class Choice:
    """What goes to BLAS, in blocks of another size than loops.

    Attributes
    ----------
    precision : {"float64", "float32"}
        Of the pass through the network.
    blas_from : int
        Multiply-adds of a product from which BLAS computes it.
    loops_below : int
        Weights of a layer below which it does not.
    """

    precision: str
    blas_from: int = block_products.BLAS_FROM
    loops_below: int = 0

    def take(self) -> None:
        """Compile what is compiled from now on with this choice."""
        block_products.BLAS_FROM = self.blas_from
        block_products.SINGLE_LOOPS_BELOW = self.loops_below
        blocks.LOOPS_BELOW[self.precision] = self.loops_below


NEVER = 10_000_000  # more weights than any layer has
CHOICES = (  # the first of each precision is what the other is held against
    *(Choice("float64", blas_from) for blas_from in (3000, 100_000)),
    *(Choice("float32", loops_below=below) for below in (0, NEVER)),
)


def prepare(cases: int, inputs: int, hidden: tuple[int, ...], precision: str) -> tuple:
    """Return a step, a point of its chain, and its number of leapfrog steps."""
    X = np.random.default_rng(1).normal(size=(cases, inputs))
    model = models.normal_inverse_gamma(X, X[:, 0], hidden=hidden)
    steps = max(LEAST_STEPS, int(4e6 / (cases * inputs * hidden[0])))
    step = samplers.GibbsHMC(
        steps, 1e-4, collapse=False, interweave=False, precision=precision, model=model
    )
    step.setup_chain(np.random.default_rng(1), 0, 1)
    return step, step.step(initial_point(model))[0], steps


def time_network(step: samplers.GibbsHMC, point: dict, steps: int) -> float:
    """Microseconds of the processor for a leapfrog step."""
    calls, begin = 0, process_time()
    while (now := process_time()) < begin + SECONDS or not calls:
        step.step(point)
        calls += 1
    return (now - begin) / calls * 1e6 / steps


def serve(choice: Choice) -> None:
    """Time each network that standard input names, with one choice."""
    choice.take()
    with threadpool_limits(1):
        ready = {name: prepare(*sizes, choice.precision) for name, sizes in NETWORKS.items()}
        print(flush=True)
        for line in sys.stdin:
            print(time_network(*ready[line.strip()]), flush=True)


class Process:
    """A process that serves one choice."""

    def __init__(self, choice: Choice):
        command = [sys.executable, "-m", __spec__.name, "--only", json.dumps(asdict(choice))]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def answer(self) -> str:
        """Wait until it is ready, or has timed a network."""
        assert self.process.stdout
        return self.process.stdout.readline()

    def time(self, name: str) -> float:
        """Microseconds for a leapfrog step of a network."""
        assert self.process.stdin
        print(name, file=self.process.stdin, flush=True)
        return float(self.answer())


def table(times: dict[str, dict[Choice, list[float]]]) -> pd.DataFrame:
    """Medians of the rounds, and ratios to the first choice of the same precision."""
    rows = []
    for name, of_choices in times.items():
        for choice, own in of_choices.items():
            first, double = (
                np.array(next(of_choices[one] for one in CHOICES if one.precision == precision))
                for precision in (choice.precision, "float64")
            )
            row = {"network": name, "precision": choice.precision, "BLAS from": choice.blas_from}
            row |= {"loops below": choice.loops_below, "microseconds": np.median(own)}
            row |= _range("", own / first)
            rows.append(row | _range("of double, ", own / double))
    machine = {"processor": cpu_name(), "512-bit registers": has_wide_registers()}
    return pd.DataFrame(rows).assign(**machine)


def _range(what: str, ratios: np.ndarray) -> dict[str, float]:
    found = (np.median(ratios), ratios.min(), ratios.max())
    return dict(zip((f"{what}ratio", f"{what}lowest", f"{what}highest"), found, strict=True))


def main() -> None:
    """Measure, print, and put the rows of this kind of processor into the table."""
    command = argparse.ArgumentParser(description=__doc__)
    command.add_argument("--rounds", type=int, default=5)
    command.add_argument("--docs", type=Path)
    command.add_argument("--only", help="serve one choice")
    given = command.parse_args()
    logging.getLogger("pymc").setLevel(logging.ERROR)
    if given.only:
        serve(Choice(**json.loads(given.only)))
        return
    processes = {choice: Process(choice) for choice in CHOICES}
    for process in processes.values():
        process.answer()
    times: dict = {name: {choice: [] for choice in CHOICES} for name in NETWORKS}
    for _ in range(given.rounds):
        for name, of_choices in times.items():
            for choice, process in processes.items():
                of_choices[choice].append(process.time(name))
    found = table(times)
    print(found.to_string())
    if given.docs:
        path = given.docs / "small_products.csv"
        kept = pd.read_csv(path)
        kept = kept[kept["512-bit registers"] != has_wide_registers()]
        pd.concat([kept, found]).to_csv(path, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()

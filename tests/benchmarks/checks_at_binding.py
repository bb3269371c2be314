"""Seconds that the checks at binding add to a warm start.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.checks_at_binding --pairs 15

A process that has imported everything and built a model forks one that binds the recommended
steps and draws ten times, and one that does the same without the checks, in turns. Both take their
code from the disk cache. What they differ by is what the checks add. A difference of two starts
varies much, so the time within the checks is printed too, less that of what a step would otherwise
do a moment later: load its kernel and compile its parameters. Printed are medians over pairs, as
other work on the machine makes single ones much longer, with the interval that holds the median in
95 of 100 runs whatever the distribution.
"""

import argparse
import logging
import os
import pkgutil
import time
from typing import Any
from unittest import mock

import numpy as np
import pymc as pm
from pymc_bnn import models
from pymc_bnn.models import BNN
from pymc_bnn.samplers.recommended import recommended_steps
from scipy import stats

CHECKS = (
    "hamiltonian.check_potential",
    "gibbs_hmc.check_hierarchy",
    "gibbs_precision.check_conditionals",
)
SHARED = ("compiled.interrupts._compile", "potential.parameters.ParameterGraph.__call__")


def start(model: BNN) -> float:
    """Bind and run the recommended steps, and return the processor seconds it took."""
    begun = time.process_time()
    with model:
        pm.sample(
            draws=5,
            tune=5,
            chains=1,
            step=recommended_steps(model),
            progressbar=False,
            quiet=True,
            compute_convergence_checks=False,
            random_seed=1,
        )
    return time.process_time() - begun


class Spent:
    """Processor seconds within the checks, less those within what they share with a step."""

    def __init__(self) -> None:
        self.seconds, self.within = 0.0, 0

    def note(self, target: str, sign: int) -> None:
        """Add the time within a function, or take it off where a check calls it."""
        original = pkgutil.resolve_name(target)

        def timed(*args: Any, **kwargs: Any) -> Any:
            begun = time.process_time()
            self.within += sign == 1
            try:
                return original(*args, **kwargs)
            finally:
                self.seconds += sign * (self.within > 0) * (time.process_time() - begun)
                self.within -= sign == 1

        mock.patch(target, timed).start()


def in_a_fork(model: BNN, checked: bool) -> tuple[float, float]:
    """Start in a process of its own, and return all seconds and those within the checks."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        spent = Spent()
        for check in CHECKS:
            if checked:
                spent.note(f"pymc_bnn.samplers.steps.{check}", 1)
            else:
                mock.patch(f"pymc_bnn.samplers.steps.{check}").start()
        for shared in SHARED if checked else ():
            spent.note(f"pymc_bnn.samplers.{shared}", -1)
        os.write(writer, f"{start(model)} {spent.seconds}".encode())
        os._exit(0)
    os.wait()
    os.close(writer)
    with os.fdopen(reader) as answer:
        total, within = map(float, answer.read().split())
    return total, within


def median(seconds: np.ndarray) -> str:
    """Words for a median and the interval that holds it in 95 of 100 runs."""
    rank = int(stats.binom(len(seconds), 0.5).ppf(0.025))
    low, high = np.sort(seconds)[[rank - 1, len(seconds) - rank]]
    return f"{np.median(seconds):.2f} s ({low:.2f} to {high:.2f})"


def main() -> None:
    """Print one line for each variant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variants", nargs="+", default=sorted(models.VARIANTS))
    parser.add_argument("--pairs", type=int, default=15)
    given = parser.parse_args()
    logging.disable()
    X = np.random.default_rng(0).normal(size=(60, 3))
    for name in given.variants:
        model = models.VARIANTS[name](X, X[:, 0], hidden=(8,))
        in_a_fork(model, True)
        pairs = np.empty((given.pairs, 2, 2))
        for pair in range(given.pairs):
            for checked in (pair % 2, 1 - pair % 2):
                pairs[pair, checked] = in_a_fork(model, bool(checked))
        print(
            f"{name}: {median(pairs[:, 1, 0] - pairs[:, 0, 0])} added to "
            f"{np.median(pairs[:, 0, 0]):.1f} s, {median(pairs[:, 1, 1])} within the checks",
            flush=True,
        )


if __name__ == "__main__":
    main()

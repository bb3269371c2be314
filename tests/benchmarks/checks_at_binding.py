"""Seconds that the checks at binding add to a warm start.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.checks_at_binding --pairs 15

A process that has imported everything and built a model forks one that binds the recommended
steps and draws ten times, and one that does the same without the checks, in turns. Both take their
code from the disk cache. What they differ by is what the checks add: much of the time spent within
them is spent on what a step would otherwise do a moment later. Printed are medians over pairs, as
other work on the machine makes single ones much longer, with the interval that holds the median in
95 of 100 runs whatever the distribution.
"""

import argparse
import logging
import os
import time
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


def in_a_fork(model: BNN, checked: bool) -> float:
    """Start in a process of its own."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        for check in () if checked else CHECKS:
            mock.patch(f"pymc_bnn.samplers.steps.{check}").start()
        os.write(writer, str(start(model)).encode())
        os._exit(0)
    os.wait()
    os.close(writer)
    with os.fdopen(reader) as answer:
        return float(answer.read())


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
        pairs = np.empty((given.pairs, 2))
        for pair in range(given.pairs):
            for checked in (pair % 2, 1 - pair % 2):
                pairs[pair, checked] = in_a_fork(model, bool(checked))
        added = pairs[:, 1] - pairs[:, 0]
        rank = int(stats.binom(given.pairs, 0.5).ppf(0.025))
        low, high = np.sort(added)[[rank - 1, given.pairs - rank]]
        print(
            f"{name}: {np.median(added):.2f} s ({low:.2f} to {high:.2f}), beside "
            f"{np.median(pairs[:, 0]):.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()

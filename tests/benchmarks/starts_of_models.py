"""How soon a step is built for models without a network's kernel, and how fast it then is.

Run it from the root of the repository, on an idle machine:

    uv run python -m tests.benchmarks.starts_of_models --csv docs/starts_of_models.csv

`StaticHMC` is built for plain PyMC models whose graph becomes a tape, and for two with a network of
8 units in them whose likelihood has no kernel, and, in another process, for the same ones where no
tape may be long enough, so that PyTensor has numba compile the graph. All code is compiled anew but
for what every such step shares: a step of one normal variable is built first. *Microseconds* are of
a leapfrog, the least of 30 draws of 100 leapfrogs.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
from pymc_bnn import models, samplers
from pymc_bnn.samplers.potential.tape import graph_tape

CASES, GROUPS, LEAPFROGS = 120, 8, 100
QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
RNG = np.random.default_rng(1)
X, GROUP = RNG.normal(size=(CASES, 3)), RNG.integers(0, GROUPS, CASES)
COUNTS, CLASSES = RNG.poisson(3, CASES), RNG.integers(0, 4, CASES)


def groups() -> None:
    """Offsets of groups with an unknown scale."""
    offsets = pm.Normal("offsets", 0, pm.HalfNormal("scale"), shape=GROUPS)
    pm.Normal("y", offsets[GROUP], pm.HalfNormal("noise"), observed=X[:, 0])


def counts() -> None:
    """Overdispersed counts in groups."""
    rates = pm.Normal("rates", shape=GROUPS)
    means, alpha = pm.math.exp(rates[GROUP]), pm.Gamma("alpha", 2, 1)
    pm.NegativeBinomial("y", mu=means, alpha=alpha, observed=COUNTS)


def mixture() -> None:
    """Three normal components of unknown shares."""
    shares, means = pm.Dirichlet("shares", np.ones(3)), pm.Normal("means", shape=3)
    pm.NormalMixture("y", shares, means, pm.HalfNormal("noise"), observed=X[:, 0])


def classes() -> None:
    """Four classes in groups."""
    logits = pm.Normal("logits", shape=(GROUPS, 4))
    pm.Categorical("y", logit_p=logits[GROUP], observed=CLASSES)


def ordered() -> None:
    """Four ordered classes in groups."""
    cuts = pm.distributions.transforms.ordered
    at = pm.Normal("cuts", shape=3, transform=cuts, initval=[-1, 0, 1])
    effects = pm.Normal("effects", shape=GROUPS)
    pm.OrderedLogistic("y", eta=effects[GROUP], cutpoints=at, observed=CLASSES)


def walk() -> None:
    """A random walk of unknown steps that is observed with noise."""
    start = pm.Normal.dist(0, 1)
    path = pm.GaussianRandomWalk("path", sigma=pm.HalfNormal("step"), init_dist=start, shape=CASES)
    pm.Normal("y", path, 1.0, observed=X[:, 0])


def tails() -> None:
    """A line with heavy tails."""
    slopes, tail = pm.Normal("slopes", shape=3), pm.Gamma("tail", 2, 0.1)
    mean = pm.math.dot(X, slopes)
    pm.StudentT("y", nu=tail, mu=mean, sigma=pm.HalfNormal("noise"), observed=X[:, 0])


def part() -> None:
    """A network in a model, under noise with heavy tails."""
    tail, noise = pm.Gamma("tail", 2, 0.1), pm.HalfNormal("noise")
    pm.StudentT("y", nu=tail, mu=models.network(X), sigma=noise, observed=X[:, 0])


def graded() -> pm.Model:
    """A network of ordered classes."""
    return models.gaussian(X, CLASSES, hidden=(8,), likelihood="ordered")


PLAIN = groups, counts, mixture, classes, ordered, walk, tails
MODELS: dict[str, Callable[[], pm.Model | None]] = {
    one.__name__: one for one in (*PLAIN, part, graded)
}


def measured(name: str) -> tuple[float, float]:
    """Seconds to build a step of a model, and microseconds of a leapfrog, in this process."""
    with pm.Model() as shared:
        pm.Normal("x")
    samplers.StaticHMC(n_leapfrog=LEAPFROGS, step_sizes="adapt", model=shared)
    with pm.Model() as plain:
        model = MODELS[name]() or plain
    begun = perf_counter()
    step = samplers.StaticHMC(n_leapfrog=LEAPFROGS, step_sizes="adapt", model=model)
    seconds = perf_counter() - begun
    idata = samplers.sample(model, 30, 30, 1, cores=1, step=[step], seed=1, **QUIET)
    each = idata["sample_stats"]["perf_counter_diff"] / idata["sample_stats"]["n_steps"]
    return seconds, 1e6 * float(each.min())


def elsewhere(name: str, way: str) -> tuple[float, float]:
    """The same in a process with no compiled code."""
    with TemporaryDirectory() as empty:
        flags = {"PYTENSOR_FLAGS": f"base_compiledir={empty}"}
        command = [sys.executable, "-m", "tests.benchmarks.starts_of_models", "--one", name, way]
        ran = subprocess.run(
            command, env={**os.environ, **flags}, capture_output=True, text=True, check=True
        )
    seconds, microseconds = map(float, ran.stdout.split()[-2:])
    return seconds, microseconds


def main() -> None:
    """Print a table, and write it where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", help="file to write")
    parser.add_argument("--one", nargs=2, help="a model, and tape or graph, in this process")
    given = parser.parse_args()
    if given.one:
        if given.one[1] == "graph":
            graph_tape.LARGEST_ALONE = graph_tape.LARGEST_LAYERS = 0
        print(*measured(given.one[0]))
        return
    found = []
    for name in MODELS:
        row: dict[str, Any] = {"model": name}
        for way in ("tape", "graph"):
            seconds, microseconds = elsewhere(name, way)
            row |= {f"seconds, {way}": seconds, f"microseconds, {way}": microseconds}
        found.append(row)
        print(row, flush=True)
    if given.csv:
        pd.DataFrame(found).to_csv(given.csv, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()

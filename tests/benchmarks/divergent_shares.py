"""From which share of divergent transitions on tails are missed, in funnels of known tails.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.divergent_shares --csv docs/divergent_shares.csv

In Neal's funnel, v of standard deviation 3 and x of variance exp(v), steps of any length are too
long deep in the neck, and trajectories that come there diverge and are rejected. Each row is a
step size, with the share of transitions that diverge and how far the probabilities of v below its
1% and 5% quantiles are off, in the standard errors that 400 effective draws have.
"""

import argparse
from typing import Any

import numba
import numpy as np
import pandas as pd
from scipy.stats import norm

SD, TIME, CHAINS = 3.0, 3.0, 4
DRAWS = 400  # effective ones, which the error is compared with
TAILS = np.array([0.01, 0.05])
DIVERGES = 1000.0


@numba.njit
def kick(q, p, step):  # type: ignore[no-untyped-def]
    """Shift momenta by a force, and return the potential energy."""
    scale = np.exp(-q[0])
    squares = (q[1:] ** 2).sum() * scale
    p[0] -= step * (q[0] / SD**2 - 0.5 * squares + 0.5 * (q.size - 1))
    p[1:] -= step * q[1:] * scale
    return 0.5 * ((q[0] / SD) ** 2 + squares + (q.size - 1) * q[0])


@numba.njit
def chain(rng, size, step, transitions, limits):  # type: ignore[no-untyped-def]
    """Count transitions that diverge, and draws of v below each limit."""
    q = rng.normal(0.0, 1.0, size + 1)
    diverging, below = 0, np.zeros(limits.size)
    for _ in range(transitions):
        jittered = step * rng.uniform(0.9, 1.1)
        p, end = rng.normal(0.0, 1.0, size + 1), q.copy()
        begin = kick(end, p, 0.0) + 0.5 * (p**2).sum()
        for _ in range(max(1, round(TIME / step))):
            kick(end, p, 0.5 * jittered)
            end += jittered * p
            kick(end, p, 0.5 * jittered)
        error = kick(end, p, 0.0) + 0.5 * (p**2).sum() - begin
        diverging += not error < DIVERGES
        if np.log(rng.random()) < -error:
            q = end
        below += q[0] < limits
    return diverging, below


def row(size: int, step: float, work: float) -> dict[str, Any]:
    """Divergent transitions and errors of tails, of some chains together."""
    transitions = round(work * step / TIME)
    limits = SD * norm.ppf(TAILS)
    runs = [
        chain(np.random.default_rng(seed), size, step, transitions, limits)
        for seed in range(CHAINS)
    ]
    found = np.array([below / transitions for _, below in runs])
    unit = np.sqrt(TAILS * (1 - TAILS) / DRAWS)
    error = (found.mean(axis=0) - TAILS) / unit
    noise = found.std(axis=0, ddof=1) / np.sqrt(CHAINS) / unit
    return {
        "x": size,
        "step": step,
        "transitions": CHAINS * transitions,
        "share": sum(diverging for diverging, _ in runs) / transitions / CHAINS,
        "1% tail": error[0],
        "1% tail se": noise[0],
        "5% tail": error[1],
        "5% tail se": noise[1],
    }


def main() -> None:
    """Print a table, and write it where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 4, 9, 30])
    parser.add_argument("--steps", type=float, nargs="+", default=[0.4, 0.2, 0.1, 0.05, 0.025])
    parser.add_argument("--work", type=float, default=4e6, help="leapfrog steps of a chain")
    parser.add_argument("--csv", help="file to write")
    given = parser.parse_args()
    rows = [row(size, step, given.work) for size in given.sizes for step in given.steps]
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    if given.csv:
        table.to_csv(given.csv, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()

"""The network M(3) of Baldock & Marzari (2019) on 500 images: down to its data, and at its walls.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.tempering.digits_in_a_box --folder docs

First: how many steps of Algorithm 3 does it take, from the paper's starts, until the energy of an
image is below a thousandth? Then that of all 500 is below log 2, which the energy of an image that
is classified wrongly is not, so that all are classified rightly. Then: which is faster, walls
that reflect or walls that reject? Both chains begin at the end of a chain that walls reflect, have
unit masses as in the paper, and learn their step size. What counts is how far weights move in a
second of the processor: the mean square of a trajectory's changes, in units of each weight's wall.
"""

import argparse
import logging
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pymc_bnn import models, samplers
from pymc_bnn.studies.tables.datasets import mnist_images

from ..choosing_trajectories import Clock

FACTOR = 50.0
TRAJECTORY = 100
LOW = 1e-3
EACH, CASES = 50, 500
QUIET = {"chains": 1, "cores": 1, "progressbar": False, "quiet": True}


def stratified(each: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Some images of each digit, in units of the standard deviation of all pixels."""
    images, digits = mnist_images()
    rng = np.random.default_rng(seed)
    chosen = [rng.choice(np.flatnonzero(digits == d), each, replace=False) for d in range(10)]
    rows = np.concatenate(chosen)
    return ((images - images.mean()) / images.std())[rows].reshape(len(rows), -1), digits[rows]


def network(walls: str) -> models.BNN:
    """M(3): three hidden layers of 40 logistic units."""
    prior = models.Box(FACTOR, walls)
    return models.BNN(*stratified(EACH), (40, 40, 40), "logistic", prior, "categorical")


def start(model: models.BNN, seed: int) -> dict[str, np.ndarray]:
    """Weights as the paper draws them."""
    rng = np.random.default_rng(seed)
    return {
        value.name: model.priors[group].initial(model.groups[group], rng)
        for group, value in zip(model.groups, model.value_vars, strict=True)
    }


Point = dict[str, np.ndarray]


def descend(model: models.BNN, chains: int, steps: int) -> tuple[pd.DataFrame, list[Point]]:
    """Say how fast Algorithm 3 gets to the data, and where it ends."""
    starts = [start(model, seed) for seed in range(chains)]
    begun = time.process_time()
    found = samplers.minimize(model, steps, start=starts, chains=chains, of="likelihood")
    seconds = time.process_time() - begun
    rows = []
    for chain, energies in enumerate(found.energies):
        low = np.flatnonzero(energies < LOW * CASES)
        row = {"descent": chain, "steps": energies.size - 1}
        row |= {"energy of an image": energies[-1] / CASES}
        row |= {"steps to 0.001": low[0] if low.size else np.nan}
        rows.append(row | {"milliseconds a step": 1e3 * seconds / sum(found.steps)})
    return pd.DataFrame(rows), list(found.points)


def run(walls: str, begin: Point, tune: int, draws: int) -> tuple[dict[str, Any], Point]:
    """Say how far a chain moves in a second, and where it ends."""
    model = network(walls)
    step = samplers.StaticHMC(
        n_leapfrog=TRAJECTORY, step_sizes="adapt", metric="unit", target_accept=0.65, model=model
    )
    names = [value.name for value in model.value_vars]
    initvals = dict(zip(names, begin.values(), strict=True))
    clock = Clock()
    options = {"initvals": initvals, "seed": 1, "callback": clock, **QUIET}
    idata = samplers.sample(model, draws, tune, step=step, **options)
    posterior, stats = idata["posterior"], idata["sample_stats"]
    walls_at = {name: model.priors[name].wall(group) for name, group in model.groups.items()}
    jumps = np.concatenate(
        [
            (np.diff(posterior[name].values[0], axis=0) / wall).reshape(draws - 1, -1)
            for name, wall in walls_at.items()
        ],
        axis=1,
    )
    squares = (jumps**2).mean(axis=1)
    seconds = clock.seconds / (draws - 1)
    row = {
        "walls": walls,
        "mean square jump": squares.mean(),
        "± mean square jump": squares.std(ddof=1) / np.sqrt(squares.size),
        "seconds of a trajectory": seconds,
        "mean square jump a second": squares.mean() / seconds,
        "acceptance": float(stats["acceptance_rate"].mean()),
        "step size": float(stats["step_size"][0, -1]),
        "steps taken": float(stats["n_steps"].mean()),
    }
    return row, {name: posterior[name].values[0, -1] for name in walls_at}


def main() -> None:
    """Print both tables, and keep them where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--descents", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--tune", type=int, default=150)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--folder", type=Path, help="folder to write tables into")
    given = parser.parse_args()
    logging.disable()
    descents, lowest = descend(network("reflect"), given.descents, given.steps)
    print(descents.to_string(), flush=True)
    _, reached = run("reflect", lowest[0], 2 * given.tune, given.draws)
    both = [run(walls, reached, given.tune, given.draws)[0] for walls in ("reflect", "reject")]
    moved = pd.DataFrame(both)
    print(moved.to_string())
    if given.folder:
        descents.to_csv(given.folder / "descents_in_a_box.csv", index=False, float_format="%.3g")
        moved.to_csv(given.folder / "walls.csv", index=False, float_format="%.3g")


if __name__ == "__main__":
    main()

"""The network M(3) of Baldock & Marzari (2019) on 500 images: down to its data, and at its walls.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.tempering.digits_in_a_box

First: how many steps of Algorithm 3 does it take until all images are classified rightly, and until
the energy of an image is below a thousandth, from the paper's starts? Then: which is faster, walls
that reflect or walls that reject? Both chains begin at the end of a chain that walls reflect, have
unit masses as in the paper, and learn their step size. What counts is how far weights move in a
second: the mean square of what a trajectory changes, in units of each weight's wall.
"""

import argparse
import logging
import time

import numpy as np
from pymc_bnn import models, samplers
from pymc_bnn.studies.tables.datasets import mnist_images

FACTOR = 50.0
TRAJECTORY = 100
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
    return models.BNN(*stratified(50), (40, 40, 40), "logistic", prior, "categorical")


def start(model: models.BNN, seed: int) -> dict[str, np.ndarray]:
    """Weights as the paper draws them."""
    rng = np.random.default_rng(seed)
    return {
        value.name: model.priors[group].initial(model.groups[group], rng)
        for group, value in zip(model.groups, model.value_vars, strict=True)
    }


def descend(model: models.BNN, chains: int, steps: int) -> list[dict[str, np.ndarray]]:
    """Print how fast Algorithm 3 gets to the data, and return where it ends."""
    starts = [start(model, seed) for seed in range(chains)]
    begun = time.perf_counter()
    found = samplers.minimize(model, steps, start=starts, chains=chains, of="likelihood")
    seconds = time.perf_counter() - begun
    for chain, energies in enumerate(found.energies):
        low = np.flatnonzero(energies < 1e-3 * 500)
        first = f"after {low[0]} steps" if low.size else "not reached"
        print(
            f"descent {chain}: energy of an image {energies[-1] / 500:.2g} after "
            f"{energies.size - 1} steps; below 0.001 {first}",
            flush=True,
        )
    print(f"{seconds / sum(found.steps) * 1e3:.1f} ms a step", flush=True)
    return list(found.points)


def run(walls: str, begin: dict[str, np.ndarray], tune: int, draws: int) -> dict[str, np.ndarray]:
    """Print how far a chain moves in a second, and return where it ends."""
    model = network(walls)
    step = samplers.StaticHMC(
        n_leapfrog=TRAJECTORY, step_sizes="adapt", metric="unit", target_accept=0.65, model=model
    )
    names = [value.name for value in model.value_vars]
    initvals = dict(zip(names, begin.values(), strict=True))
    idata = samplers.sample(model, draws, tune, step=step, initvals=initvals, seed=1, **QUIET)
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
    seconds = stats["perf_counter_diff"].values[0]
    error = squares.std() / np.sqrt(squares.size)
    print(
        f"{walls}: mean square jump {squares.mean():.2e} ± {error:.0e} a trajectory of "
        f"{seconds.mean():.2f} s, {squares.mean() / seconds.mean():.2e} a second; acceptance "
        f"{float(stats['acceptance_rate'].mean()):.2f}, step size "
        f"{float(stats['step_size'][0, -1]):.1e}, steps taken "
        f"{float(stats['n_steps'].mean()):.0f} of {TRAJECTORY}",
        flush=True,
    )
    return {name: posterior[name].values[0, -1] for name in walls_at}


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--descents", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--tune", type=int, default=150)
    parser.add_argument("--draws", type=int, default=100)
    given = parser.parse_args()
    logging.disable()
    lowest = descend(network("reflect"), given.descents, given.steps)
    reached = run("reflect", lowest[0], 2 * given.tune, given.draws)
    for walls in ("reflect", "reject"):
        run(walls, reached, given.tune, given.draws)


if __name__ == "__main__":
    main()

"""Runs of the report's samplers: compiled once in a process, for all seeds and data sets."""

from functools import lru_cache
from time import process_time
from typing import NamedTuple

import numpy as np

from ....models import BNN
from ....samplers import AnnealedHMC, AnnealedMetropolis
from ....samplers.steps.annealed_hmc import check_phases
from ..design.networks import data_set, give_data, logistic_network
from ..design.schedules import Cell, Schedule, iterations
from .predicting import Weights

SEED_OF_STARTS = 1992
RAW, LEVEL, MIRRORED = "_raw", "_scale_level", "_reflected__"
SCALES = {"w0": "w0", "b0": "b0", "w1": "w1", "b1": "w1"}  # whose scale a group has


class Run(NamedTuple):
    """A run from a start that is drawn from the prior.

    Attributes
    ----------
    levels : dict of str to ndarray
        Levels of weights and scales after each iteration, or each thinned one; uniform a priori.
    temperature, accepted : ndarray
        Of each.
    seconds : float
        Of the processor, without compilation.
    """

    levels: dict[str, np.ndarray]
    temperature: np.ndarray
    accepted: np.ndarray
    seconds: float


@lru_cache(maxsize=4)
def compiled(
    kind: str, hidden: int, cases: int, leapfrogs: int, thin: int
) -> tuple[BNN, AnnealedHMC]:
    """Declare a network and compile a sampler for it."""
    model = logistic_network(data_set(cases, 0), hidden)
    with model:
        if kind == "metropolis":
            return model, AnnealedMetropolis(thin=thin)
        return model, AnnealedHMC(n_leapfrog=leapfrogs, thin=thin)


def run(
    kind: str,
    network: tuple[int, int],
    number: int,
    schedule: Schedule,
    cell: Cell,
    leapfrogs: int,
    seed: list[int],
    thin: int = 1,
) -> Run:
    """Run a sampler through a schedule.

    Parameters
    ----------
    kind : {"hamiltonian", "metropolis"}
        The sampler.
    network : tuple of int
        Hidden units and training cases.
    number : int
        Data set.
    schedule : Schedule
        Phases.
    cell : Cell
        Step sizes.
    leapfrogs : int
        Of a trajectory.
    seed : list of int
        Of the start and of all that follows; the same for all cells.
    thin : int
        Iterations of which one is recorded.
    """
    model, step = compiled(kind, *network, leapfrogs, thin)
    give_data(model, data_set(network[1], number))
    step.phases = check_phases(schedule)
    step.step_scale, step.jitter_spread = cell.step_size, cell.spread
    count = iterations(schedule) // thin
    step.setup_chain(np.random.default_rng([*seed, SEED_OF_STARTS]), count, 0)
    point = start(model, np.random.default_rng(seed))
    points, statistics = [], []
    begin = process_time()
    for _ in range(count):
        point, (found,) = step.step(point)
        points.append(point)
        statistics.append((found["temperature"], found["trajectory_accepted"]))
    seconds = process_time() - begin
    temperature, accepted = np.array(statistics, dtype=float).T
    levels = {
        name.removesuffix(MIRRORED): folded(np.array([one[name] for one in points]))
        for name in point
    }
    return Run(levels, temperature, accepted, seconds)


def start(model: BNN, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Draw a start from the prior, under which all coordinates are uniform on (0, 1)."""
    return {name: rng.random(shape) for name, shape in shapes(model).items()}


@lru_cache(maxsize=4)
def shapes(model: BNN) -> dict[str, tuple[int, ...]]:
    """Shapes of the coordinates, which are the same for all data sets.

    They are kept, as PyMC compiles each time it is asked for them, which takes half as long as a
    run of experiment 1.
    """
    return {name: np.shape(value) for name, value in model.initial_point(0).items()}


def folded(coordinates: np.ndarray) -> np.ndarray:
    """Levels between 0 and 1 for which mirrored coordinates stand.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.neal1992.runs.chains import folded
    >>> folded(np.array([0.25, 1.25, 2.25, -0.25]))
    array([0.25, 0.75, 0.25, 0.25])
    """
    return 1.0 - np.abs(np.mod(coordinates, 2.0) - 1.0)


def weights(levels: dict[str, np.ndarray]) -> Weights:
    """Weights of the levels of each draw (Eq. 28)."""
    found = {}
    for name, owner in SCALES.items():
        a, s = levels[name + RAW], levels[owner + LEVEL]
        unit = (s / (1.0 - s)).reshape(-1, *(1,) * (a.ndim - 1))
        found[name] = unit * np.log(a / (1.0 - a))
    return found

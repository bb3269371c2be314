"""Geweke's (2004) joint distribution test of a step method.

Parameters and data are drawn from their joint distribution in two ways: from the prior, and by
chains that start there and alternate the step under test with fresh data given its parameters. Any
function of both has the same mean under both, if and only if the step leaves the posterior of every
data set invariant.
"""

from collections.abc import Sequence

import numpy as np
from pymc_bnn import models
from pymc_bnn.samplers.dynamics.momentum import FRESH
from pymc_bnn.samplers.pymc_steps import BlockedStep

from tests.samplers.table.invariance import measure, stacked
from tests.samplers.table.joint import Joint, Point
from tests.samplers.table.networks import network_of

WIDEST = 4.5  # false alarms below 1 in 1000 for a hundred statistics
LENGTH = 30  # iterations of a piece of a chain


def tiny_network(
    prior: models.Prior | dict[str, models.Prior] | None = None,
    parametrization: str = "centered",
    units: int = 2,
    likelihood: models.Likelihood | None = None,
    skip: bool = False,
    activation: str = "tanh",
    layers: int = 1,
) -> models.BNN:
    """Network of 1-2-1 units, or more layers, on 4 cases, with priors that have moments."""
    return models.BNN(
        np.array([[-1.5], [-0.4], [0.3], [1.2]]),
        np.zeros(4),
        hidden=(units,) * layers,
        activation=activation,
        prior=prior or models.NormalInverseGamma(sd=1.0, alpha=6.0),
        likelihood=likelihood or models.GaussianNoise(sd=0.5, alpha=8.0),
        parametrization=parametrization,
        skip=skip,
    )


def set_up(steps: Sequence[BlockedStep], iterations: int, rng: np.random.Generator) -> None:
    """Begin a chain of each step, after warm-up."""
    for step, child in zip(steps, rng.spawn(len(steps)), strict=True):
        step.setup_chain(child, tune=0, draws=iterations)
        step.stop_tuning()


def move(steps: Sequence[BlockedStep], point: Point) -> Point:
    """Move a point by all steps in turn."""
    for step in steps:
        point, _ = step.step(point)
    return point


def forgets(step: BlockedStep) -> bool:
    """Whether a step begins each iteration from its point alone, with nothing of the last."""
    stochastic = hasattr(step, "potential")  # by which it judges what diverges
    return not stochastic and getattr(step, "momentum_kind", FRESH) == FRESH


def z_scores_of_one_iteration(
    model: models.BNN, steps: Sequence[BlockedStep], iterations: int, seed: int
) -> dict[str, float]:
    """Standardised mean changes from parameters and data drawn jointly, for each statistic.

    No chain has to mix here, which heavy tails would make it do slowly.
    """
    rng, targets = np.random.default_rng(seed), model["y"].get_value()
    set_up(steps, iterations, rng)
    scores = measure(Joint(network_of(model)), lambda p: [move(steps, p)], iterations, rng)
    model["y"].set_value(targets)
    return scores


def z_scores(
    model: models.BNN, steps: Sequence[BlockedStep], iterations: int, seed: int
) -> dict[str, float]:
    """Standardised mean differences between a chain's draws and where it began, per statistic.

    The chain begins anew after every 30 iterations, each time from a joint draw. The differences
    of the pieces are independent and, if the step is right, about symmetric, so that they tell
    their own standard error, also where a statistic is rarely large and the chain leaves slowly
    what it rarely comes to. An error over a chain's length does neither. All pieces go in step, and
    draw their data at once, unless a step goes on from its own last iteration.
    """
    rng, data_rng = np.random.default_rng(seed).spawn(2)
    joint, pieces = Joint(network_of(model)), iterations // LENGTH
    starts, data = joint.draw(pieces, data_rng)
    set_up(steps, iterations, rng)
    targets = model["y"].get_value()
    together = pieces if all(map(forgets, steps)) else 1  # how many pieces go in step
    seen, chain = [], []
    for first in range(0, pieces, together):
        points = [
            {name: np.asarray(starts[name][piece]) for name in joint.names}
            for piece in range(first, first + together)
        ]
        for _ in range(LENGTH):
            seen.append(joint.draw_targets(stacked(points, starts), data_rng))
            for i, y in enumerate(seen[-1]):
                joint.set_data({"y": y})
                points[i] = move(steps, points[i])
            chain += points
    model["y"].set_value(targets)
    late, scores = joint.statistics(stacked(chain, starts), {"y": np.concatenate(seen)}), {}
    for name, before in joint.statistics(starts, data).items():
        change = late[name].reshape(-1, LENGTH, together).mean(axis=1).ravel() - before
        scores[name] = float(change.mean() / (change.std(ddof=1) / np.sqrt(pieces)))
    return scores

"""Steps leave the joint distribution of a network's parameters and ordered classes invariant."""

from collections.abc import Callable

import numpy as np
import pytest
from pymc_bnn import models
from pymc_bnn.samplers import NUTS, GibbsPrecision, StaticHMC, evidence, recommended_steps
from pymc_bnn.samplers.potential.agreement import density_of
from pymc_bnn.samplers.pymc_steps import BlockedStep
from scipy.special import expit, softmax

from tests.samplers.geweke import WIDEST, move, set_up
from tests.samplers.table.invariance import measure
from tests.samplers.table.joint import Joint
from tests.samplers.table.networks import network_of
from tests.samplers.table.scales import Arrays

REPLICATES = 2000
SHARES = "class_shares_simplex__"
ALPHA = 4.0

STEPS: dict[str, Callable[[models.BNN], list[BlockedStep]]] = {
    "GibbsPrecision, StaticHMC": lambda model: [
        GibbsPrecision(model=model),
        StaticHMC(None, 6, 0.4, step_sizes="adapt", model=model),
    ],
    "NUTS on everything": lambda model: [
        NUTS(list(model.value_vars), step_scale=0.4, max_treedepth=5, model=model)
    ],
}


class JointOfOrdered(Joint):
    """The joint distribution of parameters and ordered classes, from sums of plain differences."""

    def draw(self, replicates: int, rng: np.random.Generator) -> tuple[Arrays, Arrays]:
        """Points and classes; PyMC's simplex transform is logarithms less their mean."""
        points, _ = super().draw(replicates, rng)
        model = self.network.model
        classes = len(model.coords["output"])
        logs = np.log(rng.dirichlet(np.full(classes, ALPHA), size=replicates))
        points[SHARES] = (logs - logs.mean(axis=1, keepdims=True))[:, :-1]
        return points, {"y": self.draw_targets(points, rng)}

    def probabilities(self, points: Arrays, f: np.ndarray) -> np.ndarray:
        """Of each class, shape (replicates, cases, classes)."""
        logs = points[SHARES]
        shares = softmax(np.column_stack([logs, -logs.sum(axis=1)]), axis=1)
        below = np.cumsum(shares, axis=1)[:, None, :-1]
        reached = expit(np.log(below / (1 - below)) - f)
        return np.diff(reached, axis=-1, prepend=0.0, append=1.0)

    def draw_targets(self, points: Arrays, rng: np.random.Generator) -> np.ndarray:
        """Classes given parameters."""
        if SHARES not in points:  # the base draws them before there are any
            return np.zeros(0)
        shares = self.probabilities(points, self.outputs(self.weights(points)))
        uniform = rng.random((*shares.shape[:2], 1))
        return (np.cumsum(shares, axis=-1)[..., :-1] < uniform).sum(axis=-1)

    def log_likelihood(self, points: Arrays, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Log probability of all classes of each replicate."""
        shares = self.probabilities(points, f)
        return np.log(np.take_along_axis(shares, y[..., None], axis=-1)).sum(axis=(1, 2))

    def statistics(self, points: Arrays, data: Arrays) -> Arrays:
        """Those of any network, and shares of classes."""
        found = super().statistics(points, data)
        logs, f = points[SHARES], self.outputs(self.weights(points))[..., 0]
        found |= {f"share {k}": np.tanh(logs[:, k]) for k in range(logs.shape[1])}
        found |= {"shares apart": np.tanh(logs[:, 0] - logs[:, 1])}
        return found | {"products": np.tanh(data["y"] * f).mean(axis=1)}


@pytest.fixture(scope="module")
def model() -> models.BNN:
    return models.BNN(
        np.array([[-1.5], [-0.4], [0.3], [1.2]]),
        np.arange(4) % 3,
        hidden=(2,),
        prior=models.NormalInverseGamma(sd=1.0, alpha=6.0),
        likelihood=models.Ordered(alpha=ALPHA),
    )


@pytest.mark.parametrize("name", STEPS)
def test_step_leaves_the_joint_distribution_of_ordered_classes_invariant(
    name: str, model: models.BNN
) -> None:
    steps, rng = STEPS[name](model), np.random.default_rng(1)
    set_up(steps, REPLICATES, rng)
    joint = JointOfOrdered(network_of(model))
    scores = measure(joint, lambda point: [move(steps, point)], REPLICATES, rng)
    assert max(map(abs, scores.values())) < WIDEST, scores
    assert min(abs(scores["log likelihood"]), abs(scores["share 0"])) > 0  # they have moved


def test_trajectories_move_all_that_is_not_conjugate(model: models.BNN) -> None:
    gibbs, trajectories = recommended_steps(model)
    moved = [variable.name for variable in (*gibbs.vars, *trajectories.vars)]
    assert sorted(moved) == sorted(variable.name for variable in model.value_vars)


def test_gradients_are_finite_where_a_class_has_next_to_no_share(model: models.BNN) -> None:
    density = density_of(model)
    point = {name: 0.1 + np.asarray(value) for name, value in model.initial_point(0).items()}
    for shares in ([0.0, -60.0], [60.0, 0.0], [-30.0, -30.0]):
        found = density({**point, SHARES: np.array(shares)})
        assert np.isfinite([found.total, *map(np.sum, found.gradient.values())]).all()


def test_evidence_is_that_of_draws_from_the_prior(model: models.BNN) -> None:
    """Of three classes on four cases, which draws from the prior predict often enough."""
    rng = np.random.default_rng(5)
    joint = JointOfOrdered(network_of(model))
    points, _ = joint.draw(200_000, rng)
    y = np.broadcast_to(model["y"].get_value(), (200_000, 4))
    each = joint.log_likelihood(points, joint.outputs(joint.weights(points)), y)
    exact, error = np.log(np.exp(each).mean()), np.exp(each).std() / np.exp(each).mean() / 447
    found = evidence(
        model, draws=600, seed=5, cores=1, n_leapfrog=10, progressbar=False, quiet=True,
        compute_convergence_checks=False,
    )  # fmt: skip
    assert error < 0.01
    assert abs(found.log_evidence - exact) < 4 * np.hypot(found.standard_error, error), found
    assert found.standard_error < 0.1

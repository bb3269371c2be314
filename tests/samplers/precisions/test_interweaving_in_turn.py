"""Moves of interweaving that change each other's densities are made one after the other."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.steps.gibbs_precision import GibbsPrecision

REPEATS = 4000


def entangled() -> pm.Model:
    """Precisions of which one has a rate that the weights of the other one set."""
    with pm.Model() as model:
        first = pm.Gamma("first", 2.0, 2.0)
        w = pm.Normal("w", 0.0, first**-0.5, shape=2)
        second = pm.Gamma("second", 5.0, 5.0 * pm.math.exp(2.0 * w[0]))
        pm.Normal("v", 0.0, second**-0.5, shape=3)
    return model


@pytest.fixture(scope="module")
def step() -> GibbsPrecision:
    return samplers.GibbsPrecision(model=entangled())


def test_moves_of_entangled_precisions_are_made_in_turn(step: GibbsPrecision) -> None:
    [block] = step._blocks
    assert block.interweaving is not None
    assert block.interweaving.in_turn


def test_entangled_precisions_keep_their_joint_distribution(step: GibbsPrecision) -> None:
    rng = np.random.default_rng(3)
    step.rng = np.random.default_rng(4)
    changes = []
    for _ in range(REPEATS):
        first = rng.gamma(2.0, 1 / 2.0)
        w = rng.normal(size=2) / np.sqrt(first)
        second = rng.gamma(5.0, 1 / (5.0 * np.exp(2.0 * w[0])))
        v = rng.normal(size=3) / np.sqrt(second)
        before = {"first_log__": np.log(first), "w": w, "second_log__": np.log(second), "v": v}
        before = {name: np.asarray(value) for name, value in before.items()}
        after, _ = step.step(before)
        changes.append([of(after) - of(before) for of in QUANTITIES])
    mean, error = np.mean(changes, axis=0), np.std(changes, axis=0) / np.sqrt(REPEATS)
    assert np.all(np.abs(mean) < 4.0 * error), mean / error


QUANTITIES = (
    lambda p: float(p["first_log__"]),
    lambda p: float(p["second_log__"]),
    lambda p: np.tanh(p["w"][0]),
    lambda p: np.tanh(p["w"][1]) ** 2,
    lambda p: np.log(np.sum(p["v"] ** 2)),
    lambda p: float(p["second_log__"]) * np.tanh(p["w"][0]),
)


def test_moves_of_a_network_are_made_together() -> None:
    X = np.linspace(-1, 1, 5)[:, None]
    step = samplers.GibbsPrecision(model=models.normal_inverse_gamma(X, X[:, 0], hidden=(2,)))
    [block] = step._blocks
    assert block.interweaving is not None
    assert not block.interweaving.in_turn


def test_parameters_that_draws_of_a_block_change_are_evaluated_anew(step: GibbsPrecision) -> None:
    [block] = step._blocks
    assert block.interweaving is not None
    assert not block.interweaving.stay
    horseshoe = models.conjugate_horseshoe(np.eye(3), np.arange(3.0), hidden=(2,))
    blocks = samplers.GibbsPrecision(model=horseshoe)._blocks
    moving = [b for b in blocks if b.interweaving is not None and b.interweaving.units.size]
    assert len(moving) == 2
    point, rng = horseshoe.initial_point(0), np.random.default_rng(1)
    for block in moving:
        assert block.interweaving is not None
        assert block.interweaving.stay
        before = block.statistics.remaining(point)[:2]
        point, _ = block(point, rng)
        moved = block.interweaving.units
        for old, new in zip(before, block.statistics.remaining(point)[:2], strict=True):
            np.testing.assert_array_equal(old[moved], new[moved])

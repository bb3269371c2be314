"""Trajectories by some cases at a time: reversible, preserving volume, and accepted by all."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.dynamics.leapfrog import Trajectory
from pymc_bnn.samplers.dynamics.partial_gradients import batch_of
from pymc_bnn.samplers.potential.agreement import DisagreementError, density_of

from tests.samplers.geweke import WIDEST, tiny_network, z_scores_of_one_iteration

BATCHES = 3
X = np.linspace(-1.0, 1.0, 16).reshape(8, 2)  # batches of 3, 3 and 2


def network(**options: Any) -> models.BNN:
    return models.gaussian(X, np.sin(3 * X[:, 0]), hidden=(2,), **options)


@pytest.fixture(scope="module")
def step() -> samplers.StaticHMC:
    steps = 2 * BATCHES
    return samplers.StaticHMC(n_leapfrog=steps, partial_gradients=BATCHES, model=network())


def trajectory(step: samplers.StaticHMC) -> Callable[..., Trajectory]:
    """Trajectories from a position and a momentum."""
    conditional, point = step.conditional, step.model.initial_point()
    parameters = conditional.parameters(point)
    data = conditional.data(step._rest, point, parameters)
    return lambda q, p, sizes, n: step._run(
        q, p, sizes, n, parameters.mean, parameters.precision, data
    )


def start(step: samplers.StaticHMC) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.random.default_rng(4).normal(size=(2, step.conditional.layout.size)))


def test_batches_come_there_and_back_again() -> None:
    assert [batch_of(i, 3) for i in range(14)] == [0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]


@pytest.mark.parametrize("turns", [1, 2])
def test_trajectories_reverse(turns: int, step: samplers.StaticHMC) -> None:
    (q, p), run = start(step), trajectory(step)
    sizes = 0.02 * np.exp(0.3 * np.random.default_rng(1).normal(size=q.size))
    n = turns * 2 * BATCHES
    end = run(q, p, sizes, n)
    back = run(end.position, -end.momentum, sizes, n)
    assert np.abs(end.position - q).max() > 0.01
    np.testing.assert_allclose(back.position, q, atol=1e-11)
    np.testing.assert_allclose(-back.momentum, p, atol=1e-11)
    half = run(q, p, sizes, BATCHES)  # there only
    there = run(half.position, -half.momentum, sizes, BATCHES)
    assert np.abs(there.position - q).max() > 1e-6


def test_volume_is_preserved(step: samplers.StaticHMC) -> None:
    (q, p), run, h = start(step), trajectory(step), 1e-6
    size, sizes, state = q.size, np.full(q.size, 0.02), np.concatenate([q, p])

    def map_of(state: np.ndarray) -> np.ndarray:
        end = run(state[:size].copy(), state[size:].copy(), sizes, 2 * BATCHES)
        return np.concatenate([end.position, end.momentum])

    jacobian = [(map_of(state + h * e) - map_of(state - h * e)) / (2 * h) for e in np.eye(2 * size)]
    sign, log_volume = np.linalg.slogdet(jacobian)
    assert sign > 0
    assert log_volume == pytest.approx(0.0, abs=1e-6)


def test_energies_at_both_ends_are_those_of_all_cases(step: samplers.StaticHMC) -> None:
    (q, p), run = start(step), trajectory(step)
    end = run(q, p, np.full(q.size, 0.02), 2 * BATCHES)
    layout, point = step.conditional.layout, step.model.initial_point()
    before, after = (
        density_of(step.model)(layout.unravel(at, point)).total for at in (q, end.position)
    )
    assert end.final_potential - end.initial_potential == pytest.approx(before - after, rel=1e-9)


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_the_joint_distribution_is_left_invariant(precision: str) -> None:
    """Steps are so large that a tenth of the trajectories is rejected."""
    model = tiny_network()
    steps = [
        samplers.GibbsPrecision(model=model),
        samplers.StaticHMC(
            n_leapfrog=8, step_scale=0.7, partial_gradients=2, precision=precision, model=model
        ),
    ]
    scores = z_scores_of_one_iteration(model, steps, iterations=6000, seed=5)
    assert max(map(abs, scores.values())) < WIDEST, scores


def test_stochastic_gradients_do_not_leave_it_invariant() -> None:
    """The joint distribution of the test above, which so can tell draws that are biased."""
    model = tiny_network()
    steps = [
        samplers.GibbsPrecision(model=model),
        samplers.SGHMC(1e-2, batch_size=2, n_leapfrog=8, friction=0.1, model=model),
    ]
    scores = z_scores_of_one_iteration(model, steps, iterations=6000, seed=5)
    assert max(map(abs, scores.values())) > 2 * WIDEST, scores


def test_batches_are_renewed_with_the_data(step: samplers.StaticHMC) -> None:
    model = network()
    (q, p), sizes = start(step), np.full(step.conditional.layout.size, 0.02)
    changed = samplers.StaticHMC(n_leapfrog=6, partial_gradients=BATCHES, model=model)
    with model:
        pm.set_data({"X": X + 0.1})
    ends = [trajectory(given)(q, p, sizes, 6).position for given in (step, changed)]
    assert np.abs(ends[0] - ends[1]).max() > 1e-4


def test_a_batch_that_is_left_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from pymc_bnn.samplers.potential.cases import batches_of_cases

    class Twice(batches_of_cases.CasesInBlocks):
        def __init__(self, *given: Any):
            super().__init__(*given[:3], slice(0, None, BATCHES))

    monkeypatch.setattr(batches_of_cases, "CasesInBlocks", Twice)
    with pytest.raises(DisagreementError):
        samplers.StaticHMC(n_leapfrog=6, partial_gradients=BATCHES, model=network())


def test_a_potential_of_weights_is_refused() -> None:
    model = network()
    with model:
        pm.Potential("more", -(model["w0"].sum() ** 2))
    with pytest.raises(ValueError, match="or in more than its likelihood; leave it out"):
        samplers.StaticHMC(n_leapfrog=6, partial_gradients=BATCHES, model=model)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"partial_gradients": 0}, "partial_gradients=0: give a positive whole number"),
        ({"n_leapfrog": 9}, "n_leapfrog=9: with partial_gradients=3 give a multiple of 6"),
        ({"window": 2}, "leave window and integrator out"),
        ({"integrator": "fourth-order"}, "leave window and integrator out"),
        ({"n_leapfrog": 18, "partial_gradients": 9}, "the model has 8 cases; give no more"),
        (
            {"model": network(parametrization="noncentered")},
            "case, and its parametrization is not centred; leave it out.",
        ),
    ],
)
def test_what_cannot_be_followed_in_parts_is_refused(options: dict[str, Any], message: str) -> None:
    given = {"n_leapfrog": 6, "partial_gradients": BATCHES, "model": network(), **options}
    with pytest.raises(ValueError, match=re.escape(message)):
        samplers.StaticHMC(**given)

"""Minimisation follows Algorithm 3, ends at minima that are known, and keeps what it reached."""

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.cooling.descent import Descent
from pymc_bnn.samplers.cooling.minimizing import _say_what_falls
from pymc_bnn.samplers.tempering.log_likelihood import LogLikelihood

DESIGN = np.array([[1.0, 0.2], [0.3, -0.7], [0.9, 1.1], [-0.4, 0.8]])
TARGETS = np.array([0.9, -0.1, 1.7, 0.2])
NOISE = 0.3


def linear_model() -> pm.Model:
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1, shape=2)
        pm.Normal("y", (DESIGN * x).sum(axis=1), NOISE, observed=TARGETS)
    return model


@pytest.fixture(scope="module")
def linear() -> pm.Model:
    return linear_model()


@pytest.fixture(scope="module")
def network() -> models.BNN:
    X = np.linspace(-1, 1, 10)[:, None]
    return models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,))


def in_plain_python(q: np.ndarray, dt: float, steps: int) -> list[float]:
    """Algorithm 3 on minus the log posterior of the linear model, but for its constant."""

    def energy(q: np.ndarray) -> float:
        return float(((TARGETS - DESIGN @ q) ** 2).sum() / (2 * NOISE**2) + q @ q / 2)

    def force(q: np.ndarray) -> np.ndarray:
        return DESIGN.T @ (TARGETS - DESIGN @ q) / NOISE**2 - q

    p, first, path = np.zeros(2), dt, [energy(q)]
    for _ in range(steps):
        half = p + 0.5 * dt * force(q)
        new = q + dt * half
        if energy(new) < path[-1]:
            q, p, dt = new, half + 0.5 * dt * force(new), dt + 0.05 * first
        else:
            p, dt = np.zeros(2), 0.95 * dt
        path.append(energy(q))
    return path


def test_energies_are_those_of_the_algorithm_in_plain_python(linear: pm.Model) -> None:
    start = {"x": np.array([2.0, -3.0])}
    descent = Descent(linear, ["x"], "posterior")
    dt, _ = descent.first_step_size(descent.at(start))
    found = samplers.minimize(linear, steps=60, start=start)
    expected = np.array(in_plain_python(start["x"], dt, 60))
    [path] = found.energies
    assert path - path[0] == pytest.approx(expected - expected[0], abs=1e-9)
    rises = np.diff(path) == 0
    assert 0 < rises.sum() < 60
    density = linear.compile_logp(mode="FAST_COMPILE")(found.points[0])
    assert path[-1] == pytest.approx(-float(density), abs=1e-9)


def test_minima_of_posterior_and_likelihood(linear: pm.Model) -> None:
    precision = DESIGN.T @ DESIGN / NOISE**2
    right = DESIGN.T @ TARGETS / NOISE**2
    for of, matrix in (("posterior", precision + np.eye(2)), ("likelihood", precision)):
        found = samplers.minimize(linear, steps=1000, chains=2, of=of, seed=1)
        for point in found.points:
            assert point["x"] == pytest.approx(np.linalg.solve(matrix, right), abs=1e-6)
        assert max(found.steps) < 1000  # it ends where it stands still


@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_units_of_the_parameters_do_not_matter(scale: float) -> None:
    with pm.Model() as model:
        x = pm.Normal("x", 3 * scale, scale, shape=2)
        pm.Normal("y", x / scale, 0.5, observed=[1.0, 2.0])
    found = samplers.minimize(model, steps=200, seed=2)
    expected = (3 + 4 * np.array([1.0, 2.0])) / 5
    assert found.points[0]["x"] / scale == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("beyond", [-np.inf, np.inf, np.nan])
def test_energies_that_are_not_finite_are_steps_up(beyond: float) -> None:
    with pm.Model() as model:
        x = pm.Normal("x", 0, 100)
        pm.Potential("wall", pt.switch(x < 2, 10 * x, beyond))
    found = samplers.minimize(model, steps=300, start={"x": 0.0})
    assert 1.9 < found.points[0]["x"] < 2
    assert np.isfinite(found.energies[0]).all()


@pytest.mark.parametrize("of", ["posterior", "likelihood"])
def test_energies_of_a_network_are_log_densities(network: models.BNN, of: str) -> None:
    found = samplers.minimize(network, steps=50, chains=2, of=of, seed=3)
    density = (
        network.compile_logp(mode="FAST_COMPILE") if of == "posterior" else LogLikelihood(network)
    )
    for point, path in zip(found.points, found.energies, strict=True):
        assert path[-1] == pytest.approx(-float(density(point)), abs=1e-8)
        assert path[-1] < path[0]


def test_precisions_are_held_unless_named(network: models.BNN) -> None:
    held = samplers.minimize(network, steps=20, start={"noise_precision": 4.0})
    assert held.points[0]["noise_precision_log__"] == pytest.approx(np.log(4.0), abs=1e-12)
    names = [variable.name for variable in network.free_RVs]
    moved = samplers.minimize(network, steps=20, start={"noise_precision": 4.0}, vars=names)
    assert abs(moved.points[0]["noise_precision_log__"] - np.log(4.0)) > 0.01


def test_same_seed_same_points_and_chains_differ(network: models.BNN) -> None:
    first, again = (samplers.minimize(network, steps=20, chains=2, seed=5) for _ in range(2))
    for one, other in zip(first.points, again.points, strict=True):
        for name, value in one.items():
            np.testing.assert_array_equal(value, other[name])
    assert not np.array_equal(first.points[0]["w0"], first.points[1]["w0"])


def test_ctrl_c_returns_what_there_is(network: models.BNN, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, run = samplers.minimize(network, steps=60, chains=3, seed=5), Descent.run
    begun = 0

    def interrupted(self: Descent, *arguments: Any) -> Iterator:
        nonlocal begun
        begun += 1
        for count, part in enumerate(run(self, *arguments)):
            if (begun, count) == (2, 1):
                raise KeyboardInterrupt
            yield part

    monkeypatch.setattr(Descent, "run", interrupted)
    found = samplers.minimize(network, steps=60, chains=3, seed=5)
    assert found.steps == (60, 20, 0)
    np.testing.assert_array_equal(found.points[0]["w0"], whole.points[0]["w0"])
    for i in range(3):
        reached = whole.energies[i][: found.steps[i] + 1]
        np.testing.assert_array_equal(found.energies[i], reached)


def test_a_density_without_maximum_is_named(caplog: pytest.LogCaptureFixture) -> None:
    with pm.Model() as model:
        tau = pm.HalfCauchy("tau", 5)
        x = pm.Normal("x", 0, tau, shape=8)
        pm.Normal("y", x, 10.0, observed=np.arange(8.0))
    with caplog.at_level(logging.WARNING, "pymc"):
        samplers.minimize(model, steps=500, seed=1)
        assert "still falls" in caplog.text
        caplog.clear()
        samplers.minimize(model, steps=500, seed=1, vars=["x"])
        assert caplog.text == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"steps": 0}, "steps=0"),
        ({"of": "prior"}, "of"),
        ({"start": [{"x": np.zeros(2)}], "chains": 2}, "start has 1 point"),
        ({"vars": []}, r"vars=\[\]: name a variable"),
        ({"seed": "a"}, "seed='a'"),
    ],
)
def test_what_is_refused(linear: pm.Model, arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        samplers.minimize(linear, **arguments)


def test_energies_hold_potentials_that_do_not_fall() -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    model = models.gaussian(X, X[:, 0] > 0, hidden=(2,), likelihood="bernoulli")
    with model:
        pm.Potential("added", -3.0 - pm.Normal("z") ** 2)
    found = samplers.minimize(model, steps=5, of="likelihood", vars=list(model.groups), seed=1)
    expected = -LogLikelihood(model)(found.points[0])
    assert found.energies[0][-1] == pytest.approx(expected, rel=1e-9)
    assert expected > 3.0


def test_a_likelihood_that_is_not_there_is_refused() -> None:
    with pm.Model() as model:
        pm.Normal("x")
    with pytest.raises(ValueError, match="nothing in the model is observed"):
        samplers.minimize(model, of="likelihood")


def test_without_compiled_loops_the_path_is_the_same(
    linear: pm.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = {"x": np.array([2.0, -3.0])}
    expected = samplers.minimize(linear, steps=30, start=start)
    monkeypatch.setattr("pymc_bnn.samplers.compiled.engine.HAS_INTERNALS", False)
    found = samplers.minimize(linear_model(), steps=30, start=start)
    assert found.energies[0] == pytest.approx(expected.energies[0], abs=1e-9)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ({"z": 1.0}, "unknown variable in {} 'z'"),
        ({"x": np.ones(3)}, r"{}: x has shape \(3,\)"),
    ],
)
def test_starts_of_other_models_are_refused(
    linear: pm.Model, start: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words.format("start")):
        samplers.minimize(linear, start=start)
    words = words.format("initvals")
    with pytest.raises(ValueError, match=words):
        samplers.sample(linear, initvals=start)


def test_units_without_a_slope_are_named(caplog: pytest.LogCaptureFixture) -> None:
    model = models.gaussian(DESIGN, TARGETS, hidden=(3,), activation="step")
    with caplog.at_level(logging.WARNING, logger="pymc"):
        samplers.minimize(model, steps=3, seed=1)
    assert "no slope to weights into step units" in caplog.text


@pytest.mark.parametrize("size", [2, 6, 9, 12])
def test_few_steps_that_still_fall_are_named(size: int, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "pymc"):
        _say_what_falls([np.arange(size, 0.0, -1.0), np.zeros(1)])
    assert "The energy of chain(s) 0 still falls, by 1 nats" in caplog.text

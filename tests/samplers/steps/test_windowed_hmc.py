"""StaticHMC with windows: exact, plain for windows of one state, and safe where energy ends."""

import numpy as np
import pymc as pm
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.dynamics.windowed import Windows

from ..geweke import tiny_network

pytestmark = pytest.mark.usefixtures("quick_graphs")


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_window_of_one_draws_what_plain_hmc_draws(
    precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the kernel for windows makes the draws, with the same seed."""
    network = tiny_network()
    options = {"n_leapfrog": 9, "step_scale": 0.9, "jitter": "uniform", "precision": precision}

    def draws() -> list[dict]:
        step = samplers.StaticHMC(window=1, model=network, **options)
        step.setup_chain(np.random.default_rng(7), tune=0, draws=200)
        step.stop_tuning()
        point, chain = initial_point(network), []
        for _ in range(200):
            point, [statistics] = step.step(point)
            kept = {name: statistics[name] for name in ("acceptance_rate", "trajectory_accepted")}
            chain.append({**{name: point[name] for name in network.groups}, **kept})
        return chain

    plain = draws()
    monkeypatch.setattr(samplers.StaticHMC, "_has_windows", lambda step: True)
    windowed = draws()
    assert 20 < sum(draw["trajectory_accepted"] for draw in plain) < 200
    for a, b in zip(plain, windowed, strict=True):
        for name in network.groups:
            np.testing.assert_array_equal(a[name], b[name])
        assert a["acceptance_rate"] == pytest.approx(b["acceptance_rate"], rel=1e-9)


class TwoWeights:
    """Posterior of a 1-1-1 network without biases, known on a grid, and a step for it."""

    def __init__(self):
        X = np.array([[-1.0], [0.5], [1.5]])
        y, sd = np.array([-1.0, 0.2, 1.2]), 1.5
        self.model = models.BNN(X, y, (1,), prior=models.Gaussian(sd), biases=False)
        self.step = samplers.StaticHMC(n_leapfrog=5, window=2, model=self.model)
        self.point = initial_point(self.model)
        noise = np.exp(-0.5 * self.point["noise_precision_log__"])
        self.axis = np.linspace(-6, 6, 601)
        w0, w1 = np.meshgrid(self.axis, self.axis, indexing="ij")
        logp = -0.5 * (w0**2 + w1**2) / sd**2
        for x, target in zip(X[:, 0], y, strict=True):
            logp -= 0.5 * ((target - w1 * np.tanh(w0 * x)) / noise) ** 2
        weight = np.exp(logp - logp.max()).ravel()
        self.cumulative = np.cumsum(weight) / weight.sum()

    def draw(self, rng: np.random.Generator, size: int) -> np.ndarray:
        """Draw exactly, but for the width of the grid."""
        cells = np.searchsorted(self.cumulative, rng.random(size))
        corners = np.column_stack(np.unravel_index(cells, (601, 601)))
        return self.axis[corners] + 0.02 * (rng.random((size, 2)) - 0.5)

    def moved(self, w: np.ndarray) -> np.ndarray:
        """Apply one transition."""
        names = ("w0", "w1")
        given = {name: np.reshape(x, (1, 1)) for name, x in zip(names, w, strict=True)}
        point, _ = self.step.step({**self.point, **given})
        return np.array([point[name].item() for name in names])


@pytest.fixture(scope="module")
def two_weights() -> TwoWeights:
    return TwoWeights()


def functions(w: np.ndarray) -> np.ndarray:
    """Functions of the weights whose means a transition must not change."""
    f = w[:, 1:] * np.tanh(w[:, :1] * np.array([-1.0, 0.5, 2.0]))
    return np.column_stack([w, w**2, abs(w), w[:, 0] * w[:, 1], f, f**2, w[:, 0] > 1.0])


@settings(deadline=None, max_examples=6, derandomize=True, phases=[Phase.generate])
@given(n=st.integers(1, 12), step_scale=st.floats(0.3, 1.0), data=st.data())
def test_a_transition_leaves_the_posterior_of_a_network_invariant(
    two_weights: TwoWeights, n: int, step_scale: float, data: st.DataObject
) -> None:
    step, draws = two_weights.step, 3000
    step.n_leapfrog, step.window = n, data.draw(st.integers(2, n + 1))
    step.step_scale = step_scale
    rng = np.random.default_rng(n)
    step.setup_chain(rng.spawn(1)[0], tune=0, draws=draws)
    before = two_weights.draw(rng, draws)
    after = np.array([two_weights.moved(w) for w in before])
    assert (before != after).any(1).mean() > 0.2
    change = functions(after) - functions(before)
    z = change.mean(0) / (change.std(0) / np.sqrt(draws))
    assert abs(z).max() < 4.5, z


def test_the_start_has_any_place_in_its_window(
    two_weights: TwoWeights, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, offsets = two_weights.step, []
    step.n_leapfrog, step.window = 4, 3
    step.setup_chain(np.random.default_rng(11), tune=0, draws=300)
    run = step._run
    monkeypatch.setattr(step, "_run", lambda *given: (offsets.append(given[5]), run(*given))[1])
    for _ in range(300):
        two_weights.moved(np.ones(2))
    counts = np.bincount(offsets, minlength=3)
    assert abs(counts - 100).max() < 4.2 * np.sqrt(300 * 2 / 9)


@pytest.fixture(scope="module")
def wall() -> samplers.StaticHMC:
    """Step for a normal variable whose energy is infinite from 3 on."""
    with pm.Model() as model:
        x = pm.Normal("x", initval=0.0)
        pm.Potential("wall", pm.math.switch(x < 3.0, 0.0, -np.inf))
    return samplers.StaticHMC(
        ["x"], 8, 0.5, step_sizes="adapt", window=3, metric="unit", model=model
    )


def run_towards(wall: samplers.StaticHMC, momentum: float, offset: int) -> Windows:
    point = initial_point(wall.model)
    parameters = wall.conditional.parameters(point)
    data = wall.conditional.data(wall._rest, point, parameters)
    uniforms = np.full(5, 0.5)
    q, p = np.zeros(1), np.array([momentum])
    given = parameters.mean, parameters.precision, data
    return Windows(*wall._run(q, p, np.array([0.5]), 8, 3, offset, uniforms, *given))


def test_what_lies_beyond_infinite_energy_has_no_weight(wall: samplers.StaticHMC) -> None:
    free = run_towards(wall, 0.5, 1)
    assert (free.steps, free.diverging) == (8, False)
    assert np.isfinite(free.log_weights).all()
    forward = run_towards(wall, 6.5, 0)
    assert forward.diverging
    assert forward.steps < 8
    assert forward.log_weights[1] == -np.inf
    assert forward.acceptance == 0.0
    backward = run_towards(wall, -6.5, 2)
    assert backward.diverging
    assert np.isfinite(backward.log_weights).all()  # the accept window lies the other way


def test_a_divergence_in_a_window_is_reported_and_not_drawn(wall: samplers.StaticHMC) -> None:
    rng = np.random.default_rng(8)
    wall.setup_chain(rng, tune=0, draws=300)
    wall.stop_tuning()
    wall.adaptation.factor._log_bar = np.log(1.7)  # large steps: some cross the wall
    point, seen = initial_point(wall.model), []
    for _ in range(300):
        point, [statistics] = wall.step(point)
        assert point["x"] < 3.0
        seen.append(statistics)
    diverging = sum(statistics["diverging"] for statistics in seen)
    assert 0 < diverging < 300
    assert seen[-1]["divergences"] == diverging


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 0}, "window=0: give a whole number from 1 to 11"),
        ({"window": 12}, "window=12"),
        ({"window": 2.5}, "window=2.5"),
        ({"metric": "diag"}, "metric='diag' needs step_sizes"),
        ({"metric": "full", "step_sizes": "adapt"}, "unknown metric 'full'"),
    ],
)
def test_bad_windows_and_metrics_are_refused(
    options: dict, message: str, two_weights: TwoWeights
) -> None:
    with pytest.raises(ValueError, match=message):
        samplers.StaticHMC(n_leapfrog=10, model=two_weights.model, **options)

"""The kernel for windows of states: its windows, choices, and dynamics."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.dynamics.leapfrog import Trajectory, compile_leapfrog
from pymc_bnn.samplers.dynamics.windowed import Windows, compile_windowed
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.step_sizes.metric import METRICS

from ..geweke import tiny_network

pytestmark = pytest.mark.usefixtures("quick_graphs")

seeds = st.integers(0, 2**32 - 1)


class Dynamics:
    """Trajectories of the weights of a small network at fixed hyperparameters."""

    def __init__(self, precision: str = "float64"):
        model = tiny_network()
        model["y"].set_value(np.array([[1.0], [-0.5], [0.3], [2.0]]))
        self.conditional = Conditional(model, model.groups, precision)
        self.rest = self.conditional.compile_rest(gradient=True)
        self.size = self.conditional.layout.size
        point = initial_point(model)
        parameters = self.conditional.parameters(point)
        data = self.conditional.data(self.rest, point, parameters)
        self.given = parameters.mean, parameters.precision, data
        self.windowed: dict[str, Callable] = {}

    @cached_property
    def leapfrog(self) -> Callable:
        return compile_leapfrog(self.conditional, self.rest)

    def state(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        return tuple(np.random.default_rng(seed).normal(size=(2, self.size)))

    def metric(self, seed: int, size: float, kind: str = "diag") -> np.ndarray:
        rng = np.random.default_rng(seed)
        scales = size * np.exp(0.3 * rng.normal(size=self.size))
        if kind != "dense":
            return scales
        return np.diag(scales) + 0.5 * size * np.tril(rng.normal(size=2 * scales.shape), -1)

    def follow(self, q: np.ndarray, p: np.ndarray, metric: np.ndarray, n: int) -> Trajectory:
        return Trajectory(*self.leapfrog(q, p, metric, n, *self.given))

    def windows(
        self,
        q: np.ndarray,
        p: np.ndarray,
        metric: np.ndarray,
        n: int,
        window: int,
        offset: int = 0,
        uniforms: np.ndarray | None = None,
    ) -> Windows:
        kind = "dense" if metric.ndim == 2 else "diag"
        if uniforms is None:
            uniforms = np.full(2 * window - 1, 0.5)
        if kind not in self.windowed:
            self.windowed[kind] = compile_windowed(self.rest, kind)
        run = self.windowed[kind]
        return Windows(*run(q, p, metric, n, window, offset, uniforms, *self.given))


@pytest.fixture(scope="module")
def dynamics() -> Dynamics:
    return Dynamics()


@settings(deadline=None, max_examples=30, derandomize=True, phases=[Phase.generate])
@given(seed=seeds, n=st.integers(1, 40))
def test_one_state_is_the_end_of_a_plain_trajectory(dynamics: Dynamics, seed: int, n: int) -> None:
    """Bit for bit, in positions and energies."""
    q, p = dynamics.state(seed)
    metric = dynamics.metric(seed, 0.1)
    end = dynamics.follow(q, p, metric, n)
    found = dynamics.windows(q, p, metric, n, 1)
    np.testing.assert_array_equal(found.positions, [q, end.position])
    np.testing.assert_array_equal(found.potentials, [end.initial_potential, end.final_potential])
    error = end.final_potential - end.initial_potential
    error += 0.5 * (end.momentum @ end.momentum - p @ p)
    assert found.log_weights == pytest.approx([0.0, -error], abs=1e-10)
    assert found.acceptance == pytest.approx(min(1.0, np.exp(-error)))
    assert found.steps == n


def path(
    dynamics: Dynamics, q: np.ndarray, p: np.ndarray, metric: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, momenta and energies of all states of a trajectory, by its parts."""
    ends = [dynamics.follow(q, p, metric, k) for k in range(1, n + 1)]
    positions = np.array([q, *(end.position for end in ends)])
    momenta = np.array([p, *(end.momentum for end in ends)])
    potentials = np.array([ends[0].initial_potential, *(end.final_potential for end in ends)])
    return positions, momenta, potentials + 0.5 * (momenta**2).sum(1)


@settings(deadline=None, max_examples=40, derandomize=True, phases=[Phase.generate])
@given(seed=seeds, n=st.integers(1, 20), data=st.data())
def test_every_state_of_a_window_sees_the_same_windows(
    dynamics: Dynamics, seed: int, n: int, data: st.DataObject
) -> None:
    """And their weights are the sums that they stand for."""
    window = data.draw(st.integers(1, n + 1))
    q, p = dynamics.state(seed)
    metric = dynamics.metric(seed, 0.05)
    positions, momenta, energies = path(dynamics, q, p, metric, n)
    weights = np.exp(energies[0] - energies)
    sums = np.array([weights[:window].sum(), weights[n + 1 - window :].sum()])
    for offset in range(window):
        found = dynamics.windows(positions[offset], momenta[offset], metric, n, window, offset)
        assert found.steps == n
        assert found.start_energy == pytest.approx(energies[offset], rel=1e-9)
        np.testing.assert_allclose(np.exp(found.log_weights), sums / weights[offset], rtol=1e-7)


@pytest.mark.parametrize(("n", "window"), [(9, 4), (6, 5), (5, 6)])
def test_states_are_chosen_in_proportion_to_their_weights(
    dynamics: Dynamics, n: int, window: int
) -> None:
    q, p = dynamics.state(3)
    metric = dynamics.metric(3, 0.35)
    positions, momenta, energies = path(dynamics, q, p, metric, n)
    weights = np.exp(energies.min() - energies)
    assert weights.min() < 0.5
    rng, draws, offset = np.random.default_rng(4), 20_000, window // 2
    counts = np.zeros((2, n + 1))
    for uniforms in rng.random((draws, 2 * window - 1)):
        found = dynamics.windows(
            positions[offset], momenta[offset], metric, n, window, offset, uniforms
        )
        for choice, position in enumerate(found.positions):
            counts[choice, abs(positions - position).sum(1).argmin()] += 1
            chosen = abs(positions - position).sum(1).argmin()
            error = energies[chosen] - energies[offset]
            assert found.errors[choice] == pytest.approx(error, abs=1e-8)
    members = np.zeros((2, n + 1))
    members[0, :window] = weights[:window]
    members[1, n + 1 - window :] = weights[n + 1 - window :]
    expected = members / members.sum(1, keepdims=True)
    spread = np.sqrt(draws * expected * (1 - expected))
    assert np.all(abs(counts - draws * expected) <= 4.2 * spread)


@pytest.mark.parametrize("kind", ["diag", "dense"])
def test_windows_reverse(dynamics: Dynamics, kind: str) -> None:
    """From the last state, with its momentum turned around, a trajectory ends at its start."""
    q, p = dynamics.state(5)
    metric = dynamics.metric(5, 0.05, kind)
    kick, drift = METRICS[kind]
    there = dynamics.windows(q, p, metric, 12, 1)
    # the momentum at the end, by the same updates in Python
    position, momentum, rows = q.copy(), p.copy(), metric.reshape(-1)
    for _ in range(12):
        kick(momentum, gradient(dynamics, position), 0.5, q.size, rows)
        drift(position, momentum, 1.0, q.size, rows)
        kick(momentum, gradient(dynamics, position), 0.5, q.size, rows)
    np.testing.assert_allclose(there.positions[1], position, atol=1e-10)
    back = dynamics.windows(position, -momentum, metric, 12, 1)
    assert abs(position - q).max() > 0.1
    np.testing.assert_allclose(back.positions[1], q, atol=1e-10)
    np.testing.assert_allclose(back.log_weights[1], -there.log_weights[1], atol=1e-9)


@pytest.mark.parametrize("kind", ["diag", "dense"])
def test_energy_error_is_of_second_order(dynamics: Dynamics, kind: str) -> None:
    q, p = dynamics.state(9)
    errors = []
    for n in (100, 200, 400):
        metric = dynamics.metric(9, 0.5 / n, kind)
        errors.append(abs(dynamics.windows(q, p, metric, n, 1).errors[1]))
    ratios = np.array(errors[:-1]) / errors[1:]
    np.testing.assert_allclose(ratios, 4.0, rtol=0.1)


def gradient(dynamics: Dynamics, q: np.ndarray) -> np.ndarray:
    """Gradient of the potential, from what a tiny leapfrog step does to a momentum."""
    h = 1e-9
    end = dynamics.follow(q, np.zeros(q.size), np.full(q.size, h), 1)
    return -end.momentum / h


def test_single_precision_weighs_with_energies_of_double_precision(dynamics: Dynamics) -> None:
    single = Dynamics("float32")
    q, p = dynamics.state(6)
    metric = dynamics.metric(6, 1e-9)  # states that hardly differ: exact errors are tiny
    found = single.windows(q, p, metric, 6, 3, 1)
    assert abs(found.errors).max() < 1e-7
    np.testing.assert_allclose(found.log_weights, np.log(3.0), atol=1e-7)
    assert found.potentials[0] == pytest.approx(
        dynamics.windows(q, p, metric, 6, 3, 1).potentials[0], rel=1e-8
    )

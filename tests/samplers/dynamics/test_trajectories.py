"""Trajectories of any network: they reverse, and their energy error is of second order."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pymc_bnn import models
from pymc_bnn.samplers.dynamics.leapfrog import Trajectory, compile_leapfrog

from ..block import Block, interpreted

pytestmark = pytest.mark.usefixtures("quick_graphs")

LIKELIHOODS = ("gaussian_noise", "bernoulli", "categorical")
SMOOTH = [
    *(("tanh", likelihood) for likelihood in LIKELIHOODS),
    ("logistic", "gaussian_noise"),
    ("softplus", "categorical"),
]

_RUNS: dict[str, Callable] = {}  # one kernel serves networks of all sizes

sizes = st.builds(
    dict,
    cases=st.integers(1, 40),
    inputs=st.integers(1, 5),
    hidden=st.lists(st.integers(1, 9), max_size=3),
    outputs=st.integers(1, 4),
    biases=st.booleans(),
)


class Dynamics:
    """Hamiltonian dynamics of a network's weights at random hyperparameters."""

    def __init__(
        self,
        activation: str,
        likelihood: str,
        seed: int,
        *,
        cases: int,
        inputs: int,
        hidden: list[int],
        outputs: int,
        biases: bool,
    ):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(cases, inputs)), rng.normal(size=(cases, outputs))
        noise = models.GaussianNoise(sd=1.0, alpha=10.0, per_output=True)
        classes = {"bernoulli": 2, "categorical": outputs + 1}.get(likelihood)
        model = models.BNN(
            X,
            y if classes is None else rng.integers(classes, size=cases),
            hidden,
            activation,
            models.NormalInverseGamma(),
            noise if classes is None else likelihood,
            biases,
            classes=None if classes is None else tuple(range(classes)),
        )
        self.block = Block(model)
        conditional = self.block.conditional
        assert conditional.fused
        key = f"{activation}-{likelihood}"
        if key not in _RUNS:
            _RUNS[key] = compile_leapfrog(conditional, self.block.rest)
        self.run = _RUNS[key]
        self.start = self.block.point(seed)
        with interpreted():
            self.parameters = conditional.parameters(self.start)
        self.data = conditional.data(self.block.rest, self.start, self.parameters)
        self.position = self.block.layout.ravel(self.start)
        self.momentum = rng.normal(size=self.position.size)

    def follow(self, q: np.ndarray, p: np.ndarray, steps: np.ndarray, n: int) -> Trajectory:
        """Follow the dynamics for ``n`` steps."""
        mean, precision = self.parameters.mean, self.parameters.precision
        return Trajectory(*self.run(q, p, steps, n, mean, precision, self.data))

    def energy_error(self, time: float, n: int) -> float:
        """Change of the total energy over a time that takes ``n`` steps."""
        p = self.momentum
        end = self.follow(self.position, p, np.full(p.size, time / n), n)
        gained = 0.5 * (end.momentum @ end.momentum - p @ p)
        return end.final_potential - end.initial_potential + gained


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
# a failure is as clear without minutes of looking for a smaller one
@settings(deadline=None, max_examples=20, derandomize=True, phases=[Phase.generate])
@given(sizes=sizes, n=st.integers(1, 60), seed=st.integers(0, 2**32 - 1))
def test_trajectory_of_any_network_reverses(
    likelihood: str, sizes: dict, n: int, seed: int
) -> None:
    dynamics = Dynamics("tanh", likelihood, seed, **sizes)
    q, p = dynamics.position, dynamics.momentum
    # rounding grows along a trajectory, beyond all bounds along an unstable one
    steps = 2e-3 * np.exp(np.random.default_rng(seed).normal(size=q.size) * 0.3)
    end = dynamics.follow(q, p, steps, n)
    here = dynamics.block.evaluate(dynamics.start)
    assert end.steps == n
    assert end.initial_potential == pytest.approx(here.energy + here.quadratic, rel=1e-12)
    back = dynamics.follow(end.position, -end.momentum, steps, n)
    np.testing.assert_allclose(back.position, q, atol=1e-10)
    np.testing.assert_allclose(-back.momentum, p, atol=1e-10)
    assert back.final_potential == pytest.approx(end.initial_potential, rel=1e-10)


@pytest.mark.parametrize(("activation", "likelihood"), SMOOTH)
def test_energy_error_is_of_second_order(activation: str, likelihood: str) -> None:
    dynamics = Dynamics(
        activation, likelihood, 8, cases=21, inputs=3, hidden=[5, 4], outputs=2, biases=True
    )
    time, numbers = 0.2, (50, 100, 200, 400)
    errors = [abs(dynamics.energy_error(time, n)) for n in numbers]
    slope = np.polyfit(np.log(time / np.array(numbers)), np.log(errors), 1)[0]
    assert slope == pytest.approx(2.0, abs=0.1)

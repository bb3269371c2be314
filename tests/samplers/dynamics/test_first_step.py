"""Steps ask the trajectories that they will run for energy and gradient, and refuse wrong ones."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled import engine
from pymc_bnn.samplers.dynamics import leapfrog
from pymc_bnn.samplers.potential.agreement import DisagreementError, density_of, random_points
from pymc_bnn.samplers.potential.graphs import graph_rest
from pymc_bnn.samplers.step_sizes.metric import METRICS, Metric

STEPS: dict[str, Callable[[pm.Model], Any]] = {
    "StaticHMC": lambda m: samplers.StaticHMC(None, 3, step_sizes="adapt", model=m),
    "StaticHMC, windows": lambda m: samplers.StaticHMC(
        None, 3, step_sizes="adapt", window=2, model=m
    ),
    "StaticHMC, dense": lambda m: samplers.StaticHMC(
        None, 3, step_sizes="adapt", metric="dense", model=m
    ),
    "NUTS": lambda m: samplers.NUTS(model=m),
    "NUTS, dense": lambda m: samplers.NUTS(metric="dense", model=m),
    "XHMC": lambda m: samplers.XHMC(model=m),
}


ONE_OF_EACH_TRAJECTORY = ("StaticHMC", "StaticHMC, windows", "XHMC")


class Errors:
    """Of a compiled potential: what is added to its energy, and to one component of its slope."""

    def __init__(self) -> None:
        self.energy = pytensor.shared(np.array(0.0), name="error of the energy")
        self.slope = pytensor.shared(np.array(0.0), name="error of the slope")

    def set(self, energy: float = 0.0, slope: float = 0.0) -> None:
        """Change them in what was compiled before, too."""
        self.energy.set_value(np.array(energy))
        self.slope.set_value(np.array(slope))


@pytest.fixture
def errors(monkeypatch: pytest.MonkeyPatch) -> Errors:
    found, differentiate = Errors(), graph_rest.differentiate

    def wrong(energy: Any, q: Any) -> tuple[Any, Any]:
        energy, slope = differentiate(energy, q)
        one = np.eye(3)[1]
        return energy + found.energy, slope + found.slope * pt.constant(one)

    for module in (graph_rest, leapfrog):
        monkeypatch.setattr(module, "differentiate", wrong)
    return found


def bumps() -> pm.Model:
    """A normal prior, and a potential that is none."""
    with pm.Model() as model:
        x = pm.Normal("x", 0.0, 1.0, shape=3)
        pm.Potential("bumps", (np.array([1.0, 2.0, 3.0]) * pt.cos(x)).sum())
    return model


@pytest.mark.parametrize(
    ("name", "compiled"),
    [*((name, True) for name in STEPS), *((name, False) for name in ONE_OF_EACH_TRAJECTORY)],
)
def test_a_trajectory_of_another_potential_is_refused(
    name: str, compiled: bool, errors: Errors, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(engine, "HAS_INTERNALS", False)
    step = STEPS[name](bumps())
    if compiled:
        assert len(step._run.__wrapped__.signatures) == 1  # it was checked as it will run
    for size in (1e-5, 1e12):
        errors.set(slope=size)
        with pytest.raises(DisagreementError, match=r"HMC|NUTS: the gradient by x is off by"):
            step._check_agreement()
    errors.set(energy=1e-3)
    with pytest.raises(DisagreementError, match=r": the energy of x, bumps is off by 0\.001 from"):
        step._check_agreement()
    errors.set()
    step._check_agreement()


@pytest.mark.parametrize("name", ["StaticHMC, windows", "NUTS"])
def test_a_trajectory_that_moves_wrongly_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kick, drift = METRICS["diag"]

    def too_far(momentum: Any, gradient: Any, factor: float, size: int, metric: Any) -> None:
        kick(momentum, gradient, 1.001 * factor, size, metric)

    monkeypatch.setattr(engine, "HAS_INTERNALS", False)
    monkeypatch.setitem(METRICS, "diag", Metric(too_far, drift))
    with pytest.raises(DisagreementError, match="the gradient by x is off by"):
        STEPS[name](bumps())


@pytest.mark.parametrize("name", ONE_OF_EACH_TRAJECTORY)
def test_potential_is_as_exact_as_that_of_the_graph(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "HAS_INTERNALS", False)
    with pm.Model() as model:
        pm.Normal("far", 1e5, 1.0)
        pm.Normal("narrow", 0.0, 1e-6)
        pm.Normal("wide", 0.0, 1e6)
        pm.StudentT("edged", 3.0, sigma=1e-4)
    step = STEPS[name](model)
    potential, density = step._potential(), density_of(model)
    for point in random_points(model):
        energy, gradient = potential(point)
        expected = density(point)
        constant = step.conditional.parameters(point).log_constant
        assert constant - energy == pytest.approx(expected.total, rel=1e-12)
        for variable, where in step.conditional.layout.slices.items():
            slope = expected.gradient[variable].ravel()
            np.testing.assert_allclose(-gradient[where], slope, rtol=1e-9, atol=1e-9)


def test_single_precision_is_checked_to_its_precision() -> None:
    X = np.linspace(-1, 1, 8)[:, None]
    model = models.normal_inverse_gamma(X, X[:, 0], hidden=(2,))
    step = samplers.StaticHMC(n_leapfrog=3, precision="float32", model=model)
    kernel = step._potential()
    density = density_of(model)
    for point in random_points(model):
        expected = step.conditional.layout.ravel(density(point).gradient)
        off = np.max(np.abs(kernel(point)[1] + expected))
        assert 1e-9 < off < 1e-4 * (1 + np.max(np.abs(expected)))


@pytest.mark.parametrize(("location", "sd"), [(1.7e9, 1.0), (1e6, 1e-3), (1e9, 1e-4)])
@pytest.mark.parametrize("step", [samplers.NUTS, samplers.XHMC])
def test_models_far_from_zero_are_taken(location: float, sd: float, step: Callable) -> None:
    with pm.Model():
        x = pm.Normal("x", location, sd)
        pm.Normal("y", x, sd, observed=location + sd * np.linspace(-1, 1, 5))
        assert step().agrees


def test_points_without_a_slope_are_left_out() -> None:
    """Where a probability is 1, the graph as written has an undefined slope."""
    X = np.array([[900.0], [-800.0], [700.0]])
    with pm.Model():
        b = pm.Normal("b", 1.0, 1.0, shape=1)
        pm.Bernoulli("y", p=pm.math.sigmoid(X @ b), observed=[1, 0, 1])
        assert samplers.NUTS().agrees

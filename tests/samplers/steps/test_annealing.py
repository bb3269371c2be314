"""Phases of annealing leave the density of their temperature invariant (Neal 1992)."""

from collections.abc import Callable
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.models.priors.reflection import Reflected
from pymc_bnn.samplers.steps.annealed_hmc import check_phases
from scipy import stats

from ..dynamics.test_momentum import known

REPLICATES = 2000
WIDEST = 4.0  # false alarms below 1 in 1000 for the statistics of both steps at all phases
DUMMIES, THIN = 3, 4
STEPS: dict[str, Callable[..., Any]] = {
    "hamiltonian": lambda **given: samplers.AnnealedHMC(
        n_leapfrog=3, step_size=1.2, jitter="uniform", **given
    ),
    "Metropolis": lambda **given: samplers.AnnealedMetropolis(
        step_size=1.2, jitter="log-normal", **given
    ),
}


@pytest.fixture(scope="module", params=STEPS)
def step(request: pytest.FixtureRequest) -> Any:
    build = STEPS[request.param]
    return build(phases=[(1, 0.0, 1.0)], dummies=DUMMIES, thin=THIN, model=known())


def draw(temperature: float, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Draw of the density to the power 1 / T: of variance T, and logits of draws of a beta one."""
    ends = np.log(rng.gamma(1 / temperature, size=(2, 2)))
    return {"x": np.sqrt(temperature) * rng.normal(size=2), "y": ends[0] - ends[1]}


def statistics(step: Any, point: dict[str, np.ndarray]) -> list[float]:
    x, y = point["x"], point["y"]
    squares, reserve = step.momentum @ step.momentum, step.reserve[0]
    return [
        x.sum(),
        np.tanh(y).sum(),
        float(np.log1p(x**2).sum()),
        float(np.log1p(y**2).sum()),
        float(np.tanh(x * y).sum()),
        float(np.log1p(y**2) @ np.log1p(x**2)),
        np.sqrt(squares),
        np.sqrt(reserve),
        np.sqrt(squares * reserve),
        reserve * np.log1p(y**2).sum(),
    ]


@pytest.mark.parametrize(("persistence", "temperature"), [(0.9, 5.0), (0.5, 0.4)])
def test_an_iteration_leaves_the_tempered_density_invariant(
    step: Any, persistence: float, temperature: float
) -> None:
    """With the momenta and the dummies' energy, of which the next iteration keeps a part."""
    rng = np.random.default_rng(7)
    step.phases = check_phases([(10**9, persistence, temperature)])
    step.setup_chain(rng.spawn(1)[0], 10**9, 0)
    changes, moved = [], 0
    for _ in range(REPLICATES):
        point = draw(temperature, rng)
        step.momentum = np.sqrt(temperature) * rng.normal(size=4)
        step.reserve = temperature * rng.gamma(0.5 * DUMMIES, size=1)
        before = statistics(step, point)
        end, _ = step.step(point)
        moved += not np.array_equal(end["x"], point["x"])
        changes.append(np.subtract(statistics(step, end), before))
    found = np.array(changes)
    scores = found.mean(axis=0) / found.std(axis=0) * np.sqrt(REPLICATES)
    assert moved > REPLICATES / 4
    assert np.abs(scores).max() < WIDEST, scores


@pytest.mark.parametrize("name", STEPS)
def test_dummies_are_as_many_as_variables_by_default(name: str) -> None:
    """And their energy is that of so many components."""
    step = STEPS[name](thin=THIN, model=known())
    step.setup_chain(np.random.default_rng(8), 0, 0)
    assert step.dummies == step.conditional.layout.size == 4
    point, reserves = {"x": np.zeros(2), "y": np.zeros(2)}, []
    for _ in range(2000):
        point, _ = step.step(point)
        reserves.append(float(step.reserve[0]))
    assert stats.kstest(reserves, "gamma", (2.0,)).pvalue > 1e-4


def test_warm_up_has_to_be_as_long_as_the_phases() -> None:
    step = samplers.AnnealedHMC(None, [(10, 0.0, 5.0)], 2, 0.1, thin=3, model=known())
    with pytest.raises(ValueError, match=r"tune=3: the phases take 10 iterations.*give tune=4"):
        step.setup_chain(np.random.default_rng(1), 3, 10)


QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "cores": 1, "chains": 1}


def test_temperature_falls_by_phases() -> None:
    step = samplers.AnnealedHMC(
        None, [(10, 0.0, 50.0), (40, 0.9, 1.0)], 5, 0.2, None, dummies=60, model=known()
    )
    with step.model:
        idata = pm.sample(
            100, tune=60, step=step, random_seed=1, discard_tuned_samples=False, **QUIET
        )
    warm_up = idata["warmup_sample_stats"]["temperature"].values[0]
    assert warm_up[:10].mean() == pytest.approx(50, rel=0.25)
    assert np.all(np.diff(warm_up[[10, 20, 30, 40]]) < 0)
    assert idata["sample_stats"]["temperature"].mean() == pytest.approx(1.0, abs=0.1)


WALLS: dict[str, Callable[..., Any]] = {  # with the default jitter, whose factors have no mean
    "hamiltonian": lambda: samplers.AnnealedHMC(step_size=0.3, n_leapfrog=10, thin=50),
    "Metropolis": lambda: samplers.AnnealedMetropolis(step_size=0.3, thin=100),
}


@pytest.mark.parametrize("name", WALLS)
def test_long_steps_between_walls_keep_the_digits_of_a_coordinate(name: str) -> None:
    """A coordinate of many copies has no fractional digits, and is folded to a wall."""
    with pm.Model():
        pm.Uniform("x", -1, 1, default_transform=Reflected(-1, 1))
        idata = pm.sample(2000, tune=0, step=WALLS[name](), random_seed=1, **QUIET)
    x = idata["posterior"]["x"].values
    assert not np.isin(x, [-1.0, 1.0]).any()
    for moment, exact in ((x, 0.0), (x**2, 1 / 3), (x**4, 1 / 5)):
        assert abs(moment.mean() - exact) < WIDEST * az.mcse(moment, method="mean")


def test_logistic_weights_stay_numbers_where_nothing_is_rejected() -> None:
    X, y = np.array([[0.5], [1.0]]), np.array([0, 1])
    model = models.logistic(X, y, hidden=(), likelihood="bernoulli", parametrization="noncentered")
    step = samplers.AnnealedMetropolis(step_size=0.3, thin=100, model=model)
    idata = samplers.sample(model, 500, 0, step=step, seed=1, temperature=np.inf, **QUIET)
    assert all(np.isfinite(idata["posterior"][name]).all() for name in model.groups)


@pytest.mark.parametrize("step", [samplers.AnnealedHMC, samplers.AnnealedMetropolis])
@pytest.mark.parametrize("shape", [None, 0])
def test_a_block_of_nothing_is_refused(step: type, shape: int | None) -> None:
    with pm.Model() as model:
        if shape is None:
            pm.Normal("y", 0, tau=pm.Gamma("tau", 1, 1), observed=[1.0, 2.0])
        else:
            pm.Normal("x", shape=shape)
    with pytest.raises(ValueError, match=rf"^{step.__name__} has nothing to move, .*$"):
        step(model=model)

"""Steps leave logistic priors and integrated noise invariant, and stand no undefined energy."""

from collections.abc import Callable
from functools import partial
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from scipy import stats

REPLICATES = 3000
WIDEST = 4.3  # false alarms below 1 in 1000 for the statistics of this file
X = np.array([[-1.5], [-0.4], [0.3], [1.2]])
NOISE = models.GaussianNoise(sd=0.5, alpha=8.0, integrate=True)
CASES: dict[str, tuple[str | None, Callable[[models.BNN], Any]]] = {
    "kernel": (None, lambda m: samplers.StaticHMC(None, 6, 0.8, model=m)),
    "reflected": (
        "noncentered",
        lambda m: samplers.StaticHMC(None, 6, 0.03, step_sizes="adapt", model=m),
    ),
    "reflected, trees": (
        "noncentered",
        lambda m: samplers.NUTS(None, 0.8, 4, step_scale=0.03, model=m),
    ),
    "centered": ("centered", lambda m: samplers.NUTS(list(m.value_vars), 0.8, 4, model=m)),
}


def network(parametrization: str | None) -> models.BNN:
    """Linear, so that gradients are large near the walls; with normal weights for the kernel."""
    if parametrization is None:
        return models.gaussian(X, np.zeros(4), hidden=(2,), likelihood=NOISE)
    prior = {"w0": models.Logistic(), "b0": models.Logistic(scale_of="w0")}
    return models.BNN(
        X, np.zeros(4), (), prior=prior, likelihood=NOISE, parametrization=parametrization
    )


@pytest.fixture(scope="module")
def line() -> models.BNN:
    return network("noncentered")


def draw_prior(model: models.BNN, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """A point of value variables, in plain NumPy."""
    if not any("level" in name for name in model.named_vars):
        return {name: rng.normal(size=group.shape) for name, group in model.groups.items()}
    level = rng.uniform()
    point = {"w0_scale_level_reflected__": np.asarray(level)}
    for name, group in model.groups.items():
        raw = rng.uniform(size=group.shape)
        centered = level / (1 - level) * np.log(raw / (1 - raw))
        free = model.parametrization == "noncentered"
        point |= {f"{name}_raw_reflected__": raw} if free else {name: centered}
    return {v.name: point[v.name] for v in model.value_vars}


def output(model: models.BNN, point: dict[str, np.ndarray]) -> np.ndarray:
    weights = {}
    for name in model.groups:
        if (key := f"{name}_raw_reflected__") in point:
            level, raw = point["w0_scale_level_reflected__"], point[key]
            weights[name] = level / (1 - level) * np.log(raw / (1 - raw))
        else:
            weights[name] = point[name]
    if "w1" not in weights:
        return X @ weights["w0"] + weights["b0"]
    return np.tanh(X @ weights["w0"] + weights["b0"]) @ weights["w1"] + weights["b1"]


def statistics(model: models.BNN, point: dict[str, np.ndarray], y: np.ndarray) -> list[float]:
    f = output(model, point)
    found = [float(np.tanh(value).mean()) for value in point.values()]
    found += [float(np.minimum(value**2, 4).mean()) for value in point.values()]
    squares = ((y - f) ** 2).sum()
    return [*found, float(np.tanh(f * y).mean()), float(np.log(0.1 + squares))]


@pytest.mark.parametrize("case", CASES)
def test_an_iteration_leaves_the_joint_distribution_invariant(case: str) -> None:
    parametrization, build = CASES[case]
    model, rng = network(parametrization), np.random.default_rng(1)
    step = build(model)
    step.setup_chain(rng.spawn(1)[0], tune=0, draws=REPLICATES)
    step.stop_tuning()
    changes, moved = [], 0
    for _ in range(REPLICATES):
        point = draw_prior(model, rng)
        precision = rng.gamma(4.0, 1 / (4.0 * 0.25))
        y = output(model, point) + rng.normal(size=(4, 1)) * precision**-0.5
        model["y"].set_value(y)
        end, _ = step.step(point)
        moved += any(np.any(end[name] != point[name]) for name in point)
        changes.append(np.subtract(statistics(model, end, y), statistics(model, point, y)))
    found = np.array(changes)
    scores = found.mean(axis=0) / found.std(axis=0) * np.sqrt(REPLICATES)
    assert moved > REPLICATES / 4
    assert abs(scores).max() < WIDEST, scores


Y = np.array([-1.4, 0.1, 0.2, 1.9])
ANNEALED: dict[str, tuple[int, Callable[..., Any]]] = {
    "hamiltonian": (
        8,
        partial(samplers.AnnealedHMC, n_leapfrog=8, step_size=0.05, jitter="uniform"),
    ),
    "Metropolis": (80, partial(samplers.AnnealedMetropolis, step_size=0.2)),
}


def moments(s: np.ndarray, w: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    return [s, w, b, s**2, w**2, b**2, w * b]


def by_quadrature() -> np.ndarray:
    """Moments of the levels of the scale, the weight and the bias, over a grid."""
    levels = (np.arange(100) + 0.5) / 100
    s, w, b = np.meshgrid(levels, levels, levels, indexing="ij", sparse=True)
    unit = s / (1 - s)
    weight, bias = unit * np.log(w / (1 - w)), unit * np.log(b / (1 - b))
    squares = sum((y - weight * x - bias) ** 2 for x, y in zip(X[:, 0], Y, strict=True))
    density = (8.0 * 0.25 + squares) ** -6.0
    return np.array([(density * h).sum() for h in moments(s, w, b)]) / density.sum()


@pytest.mark.parametrize("name", ANNEALED)
def test_annealed_steps_sample_the_posterior(line: models.BNN, name: str) -> None:
    """Through phases, with walls that reflect and noise that is integrated out."""
    thin, build = ANNEALED[name]
    line["y"].set_value(Y[:, None])
    phases = [(20 * thin, 0.9, 20.0), (60 * thin, 0.9, 1.0)]
    step = build(phases=phases, thin=thin, model=line)
    assert step.dummies == 3
    quiet: dict[str, Any] = {"progressbar": False, "quiet": True, "cores": 1, "random_seed": 1}
    with line:
        idata = pm.sample(1000, tune=100, chains=2, step=step, discard_tuned_samples=False, **quiet)
    posterior = idata["posterior"].dataset.squeeze()
    draws = moments(*(posterior[v].values for v in ("w0_scale_level", "w0_raw", "b0_raw")))
    errors = [float(az.mcse(values, method="mean")) for values in draws]
    scores = (np.mean(draws, axis=(1, 2)) - by_quadrature()) / errors
    assert abs(scores).max() < WIDEST, scores
    temperature = idata["warmup_sample_stats"]["temperature"]
    assert temperature[:, 5:20].mean() > 10 > 2 > temperature[:, 90:].mean()


def test_the_prior_is_uniform_in_all_coordinates(line: models.BNN) -> None:
    """And what moves it is chosen by what the model declared."""
    [step] = samplers.recommended_steps(line)
    assert isinstance(step, samplers.NUTS)
    quiet: dict[str, Any] = {"progressbar": False, "quiet": True, "chains": 2, "cores": 1}
    idata = samplers.sample(line, 1500, 300, step=step, temperature=np.inf, seed=1, **quiet)
    for name in ("w0_scale_level", "w0_raw", "b0_raw"):
        draws = idata["posterior"][name].values.reshape(2, -1)[:, ::10].ravel()
        assert 0 <= draws.min() < draws.max() <= 1
        assert stats.kstest(draws, "uniform").pvalue > 1e-4


def test_walls_of_infinite_weights_are_never_passed_undefined() -> None:
    """A column of zeros makes infinite weights undefined, and steps are too long on purpose."""
    inputs, given = np.c_[X, 0 * X], {"likelihood": NOISE, "parametrization": "noncentered"}
    model = models.logistic(inputs, X[:, 0], hidden=(), **given)
    step = samplers.StaticHMC(
        list(model.value_vars), 5, 0.5, step_sizes="adapt", target_accept=None, model=model
    )
    step.setup_chain(np.random.default_rng(2), tune=0, draws=500)
    point = model.initial_point()
    for _ in range(500):
        point, [found] = step.step(point)
        assert np.isfinite(found["model_logp"])
    assert all(np.all((value >= 0) & (value <= 1)) for value in point.values())

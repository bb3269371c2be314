"""Hamiltonian steps sample distributions whose moments are known."""

from collections.abc import Callable

import arviz as az
import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.samplers import NUTS, XHMC, GibbsHMC, GibbsPrecision, StaticHMC
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.pymc_steps import BlockedStep
from xarray import DataArray, DataTree

WIDEST = 4.2  # false alarms below 1 in 1000 for some 40 comparisons
MEAN = np.array([1.0, -2.0, 0.5])
COVARIANCE = np.array([[4.0, 1.2, 0.0], [1.2, 1.0, 0.3], [0.0, 0.3, 0.25]])


def sample(model: pm.Model, step: object, draws: int, **options: object) -> DataTree:
    with model:
        return pm.sample(
            draws=draws,
            step=step,
            chains=2,
            cores=1,
            progressbar=False,
            quiet=True,
            compute_convergence_checks=False,
            random_seed=1,
            **{"tune": 500, **options},
        )


def check_moments(idata: DataTree, name: str, mean: np.ndarray, variance: np.ndarray) -> None:
    x = idata["posterior"][name]
    squares = (x - mean) ** 2
    tree = DataTree.from_dict({"posterior": x.to_dataset().assign(squares=squares)})
    error = az.mcse(tree, method="mean")
    means = tree["posterior"].mean(["chain", "draw"])
    z_mean = (means[name] - mean) / error[name]
    z_variance = (means["squares"] - variance) / error["squares"]
    assert np.abs(z_mean).max() < WIDEST
    assert np.abs(z_variance).max() < WIDEST


@pytest.fixture(scope="module")
def gaussian() -> pm.Model:
    with pm.Model() as model:
        pm.MvNormal("x", MEAN, cov=COVARIANCE)
    return model


STEPS: dict[str, Callable[[pm.Model], BlockedStep]] = {
    "StaticHMC": lambda model: StaticHMC(None, 15, 0.2, "adapt", "uniform", 0.3, model=model),
    "NUTS": lambda model: NUTS(model=model),
    "NUTS, dense metric": lambda model: NUTS(metric="dense", model=model),
    "XHMC": lambda model: XHMC(model=model),
    "XHMC, dense metric": lambda model: XHMC(delta=0.3, metric="dense", model=model),
    "XHMC, unit metric": lambda model: XHMC(delta=0.3, metric="unit", model=model),
    "StaticHMC, windows": lambda model: StaticHMC(
        None, 15, 0.2, "adapt", "uniform", 0.3, window=5, model=model
    ),
    "StaticHMC, whole trajectories": lambda model: StaticHMC(
        None, 15, 0.2, "adapt", "uniform", 0.3, window=16, model=model
    ),
    "StaticHMC, dense metric": lambda model: StaticHMC(
        None, 7, 0.2, "adapt", "uniform", 0.3, metric="dense", model=model
    ),
    "StaticHMC, windows and unit metric": lambda model: StaticHMC(
        None, 15, 0.2, "adapt", "uniform", 0.3, window=4, metric="unit", model=model
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_correlated_gaussian(name: str, gaussian: pm.Model) -> None:
    idata = sample(gaussian, STEPS[name](gaussian), 4000)
    check_moments(idata, "x", MEAN, np.diag(COVARIANCE))
    # windows are accepted nearly always up to the step size at which trajectories are unstable
    highest = 1.0 if "window" in name or "whole" in name else 0.99
    assert 0.7 < float(idata["sample_stats"]["acceptance_rate"].mean()) <= highest
    assert not idata["sample_stats"]["diverging"].any()


def test_a_dense_metric_mixes_where_variables_are_correlated() -> None:
    """Ten variables with correlations of 0.999 and scales from 0.1 to 10."""
    size = 10
    sd = np.geomspace(0.1, 10.0, size)
    covariance = (0.999 + 0.001 * np.eye(size)) * np.outer(sd, sd)
    with pm.Model() as model:
        pm.MvNormal("x", np.zeros(size), cov=covariance)
    effective = {}
    for metric in ("diag", "dense"):
        step = StaticHMC(
            None, 6, 0.2, "adapt", "uniform", 0.3, window=2, metric=metric, model=model
        )
        idata = sample(model, step, 2000, tune=1000)
        effective[metric] = float(az.ess(idata, method="mean")["x"].min())
        if metric == "dense":
            check_moments(idata, "x", np.zeros(size), np.diag(covariance))
            learnt = step.adaptation.scale @ step.adaptation.scale.T
            np.testing.assert_allclose(learnt, covariance, rtol=0.3)
    assert effective["dense"] > 10 * effective["diag"]
    assert effective["dense"] > 1000


@pytest.fixture(scope="module")
def regression() -> models.BNN:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(12, 2))
    y = X @ np.array([1.0, -0.5]) + 0.3 + rng.normal(size=12) * 0.4
    return models.gaussian(X, y, hidden=())


def exact(model: models.BNN, noise_sd: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of (w0, b0) given the noise: ordinary Bayesian linear regression."""
    X, y = model["X"].get_value(), model["y"].get_value()[:, 0]
    design = np.column_stack([X, np.ones(len(X))])
    covariance = np.linalg.inv(design.T @ design / noise_sd**2 + np.eye(3))
    return covariance @ design.T @ y / noise_sd**2, covariance


@pytest.mark.parametrize(
    ("neal", "window"), [(StaticHMC, 1), (StaticHMC, 4), (NUTS, None), (XHMC, None)]
)
def test_linear_network_has_its_closed_form(
    neal: type, window: int | None, regression: models.BNN
) -> None:
    """With the noise held, the posterior of the weights is Gaussian."""
    options = {} if window is None else {"n_leapfrog": 8, "window": window, "jitter": "uniform"}
    step = neal(step_sizes="neal", step_scale=0.5, model=regression, **options)
    if neal is StaticHMC:
        step.jitter_spread = 0.3
    rng = np.random.default_rng(3)
    point = {**initial_point(regression), "noise_precision_log__": np.array(-2 * np.log(0.4))}
    step.setup_chain(rng, tune=0, draws=8000)
    step.stop_tuning()
    draws = []
    for _ in range(8000):
        point, _ = step.step(point)
        draws.append(np.concatenate([point["w0"].ravel(), point["b0"]]))
    weights = DataArray(np.array(draws)[None], dims=("chain", "draw", "weight"), name="w")
    tree = DataTree.from_dict({"posterior": weights.to_dataset()})
    mean, covariance = exact(regression, 0.4)
    check_moments(tree, "w", mean, np.diag(covariance))


@pytest.mark.parametrize(
    "step",
    [
        lambda model: [
            GibbsPrecision(model=model),
            StaticHMC(n_leapfrog=10, jitter="uniform", model=model),
        ],
        lambda model: GibbsHMC(n_leapfrog=10, jitter="uniform", model=model),
        lambda model: NUTS(list(model.value_vars), model=model),
        lambda model: XHMC(list(model.value_vars), 0.2, model=model),
    ],
    ids=["GibbsPrecision, StaticHMC", "GibbsHMC", "NUTS", "XHMC"],
)
def test_linear_network_with_unknown_noise_agrees_with_quadrature(
    step: Callable, regression: models.BNN
) -> None:
    log_tau = np.linspace(-6, 10, 2001)
    y, cases = regression["y"].get_value()[:, 0], 12
    design = np.column_stack([regression["X"].get_value(), np.ones(cases)])
    logp = np.empty(log_tau.size)
    means = np.empty((log_tau.size, 3))
    likelihood = regression.likelihood
    for i, t in enumerate(log_tau):
        noise = np.exp(-t / 2)
        marginal = design @ design.T + np.eye(cases) * noise**2
        logp[i] = -0.5 * (np.linalg.slogdet(marginal)[1] + y @ np.linalg.solve(marginal, y))
        shape = likelihood.alpha / 2
        logp[i] += shape * t - shape * likelihood.sd**2 * np.exp(t)
        means[i] = exact(regression, noise)[0]
    weight = np.exp(logp - logp.max())
    weight /= weight.sum()
    idata = sample(regression, step(regression), 4000)
    mean = weight @ log_tau
    posterior = idata["posterior"].dataset.assign(t=np.log(idata["posterior"]["noise_precision"]))
    tree = DataTree.from_dict({"posterior": posterior[["t"]]})
    check_moments(tree, "t", mean, weight @ (log_tau - mean) ** 2)
    error = az.mcse(idata, var_names=["w0"], method="mean")["w0"]
    z = (idata["posterior"]["w0"].mean(["chain", "draw"]) - (weight @ means)[:2, None]) / error
    assert np.abs(z).max() < WIDEST


@pytest.mark.parametrize("step", [StaticHMC, NUTS, XHMC])
def test_trajectory_into_impossible_values_is_a_divergence(step: type) -> None:
    """A log scale that overflows makes the density zero; it must not raise an error."""
    with pm.Model() as model:
        scale = pm.HalfNormal("scale")
        pm.Normal("y", 0.0, scale, observed=[1.0, 2.0])
    kernel = step(step_sizes="adapt", step_scale=1e4, model=model)
    kernel.setup_chain(np.random.default_rng(1), tune=0, draws=1)
    kernel.stop_tuning()
    start = initial_point(model)
    point, [statistics] = kernel.step(start)
    assert statistics["diverging"]
    np.testing.assert_array_equal(point["scale_log__"], start["scale_log__"])

"""Precisions are drawn from their exact conditional distributions."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.samplers import GibbsPrecision
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.studies.choo2000.design.network import CHOO_CASES as CASES
from scipy import stats


def draws(step: GibbsPrecision, point: dict, n: int, seed: int) -> dict[str, np.ndarray]:
    """Independent draws of all precisions, given the rest of one point."""
    step.setup_chain(np.random.default_rng(seed), tune=0, draws=n)
    points = [step.step(point)[0] for _ in range(n)]
    return {v.name: np.exp([p[v.name] for p in points]) for v in step.vars}


def perturbed(model: pm.Model, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {k: v + rng.normal(size=v.shape) for k, v in initial_point(model).items()}


def test_draws_follow_choos_gamma_distributions(choo_model: models.BNN) -> None:
    """Choo (2000), Eqs. 3.11-3.12: shape (alpha + n) / 2, rate alpha sd**2 / 2 + squares / 2."""
    step = GibbsPrecision(interweave=False, model=choo_model)
    point = {name: np.asarray(value) for name, value in perturbed(choo_model, 1).items()}
    sampled = draws(step, point, 3000, 2)
    hidden = np.tanh(CASES[:, :2] @ point["w0"] + point["b0"])
    residual = hidden @ point["w1"] + point["b1"] - CASES[:, 2:]
    squares = {name: point[name] for name in ("w0", "b0", "w1", "b1")} | {"noise": residual}
    sds = {"w0": 1.0, "b0": 1.0, "w1": 0.45, "b1": 0.8, "noise": 0.1}
    for name, x in squares.items():
        shape, rate = 0.25 + x.size / 2, 0.25 * sds[name] ** 2 + (x**2).sum() / 2
        gamma = stats.gamma(shape, scale=1 / rate)
        assert stats.kstest(sampled[f"{name}_precision_log__"], gamma.cdf).pvalue > 1e-3, name


def test_draws_of_units_means_and_factors_are_exact() -> None:
    mean = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]])
    factor = np.array([1.0, 2.0, 0.5])
    with pm.Model() as model:
        tau = pm.Gamma("tau", [1.0, 2.0], [0.5, 3.0])
        pm.Normal("x", mean, factor / np.sqrt(tau)[:, None])
    point = {name: np.asarray(value) for name, value in perturbed(model, 3).items()}
    sampled = draws(GibbsPrecision(interweave=False, model=model), point, 3000, 4)["tau_log__"]
    squares = (((point["x"] - mean) / factor) ** 2).sum(axis=1)
    for j in range(2):
        gamma = stats.gamma([1.0, 2.0][j] + 1.5, scale=1 / ([0.5, 3.0][j] + squares[j] / 2))
        assert stats.kstest(sampled[:, j], gamma.cdf).pvalue > 1e-3


def test_prior_parameters_may_depend_on_other_variables() -> None:
    with pm.Model() as model:
        shape = pm.HalfNormal("shape")
        tau = pm.Gamma("tau", shape, 2.0)
        level = pm.Normal("level")
        pm.Normal("x", level, tau=tau, observed=[1.0, 2.0, 4.0])
    point = {name: np.asarray(value) for name, value in perturbed(model, 5).items()}
    sampled = draws(GibbsPrecision(model=model), point, 3000, 6)["tau_log__"]
    squares = ((np.array([1.0, 2.0, 4.0]) - point["level"]) ** 2).sum()
    gamma = stats.gamma(np.exp(point["shape_log__"]) + 1.5, scale=1 / (2.0 + squares / 2))
    assert stats.kstest(sampled, gamma.cdf).pvalue > 1e-3


def test_precision_with_nothing_to_scale_gets_its_prior() -> None:
    with pm.Model() as model:
        pm.Gamma("lonely_precision", 2.0, 3.0)
    sampled = draws(GibbsPrecision(model=model), initial_point(model), 3000, 7)
    gamma = stats.gamma(2.0, scale=1 / 3.0)
    assert stats.kstest(sampled["lonely_precision_log__"], gamma.cdf).pvalue > 1e-3


@pytest.mark.parametrize("interweave", [False, True])
def test_interweaving_keeps_a_conjugate_posterior(interweave: bool) -> None:
    """Without likelihood the weights' precision must stay at its prior, whichever moves it."""
    with pm.Model() as model:
        tau = pm.Gamma("tau", 3.0, 2.0)
        pm.Normal("x", 0.0, tau=tau, shape=4)
    step = GibbsPrecision(interweave=interweave, model=model)
    rng = np.random.default_rng(8)
    step.setup_chain(rng, tune=0, draws=1)
    results = []
    for _ in range(4000):
        true = rng.gamma(3.0, 1 / 2.0)
        point = {
            "tau_log__": np.asarray(np.log(true)),
            "x": rng.normal(size=4) / np.sqrt(true),
        }
        after, _ = step.step(point)
        scaled = after["x"] * np.exp(after["tau_log__"] / 2)
        results.append((np.exp(after["tau_log__"]), scaled[0]))
    tau_draws, raw = np.array(results).T
    assert stats.kstest(tau_draws, stats.gamma(3.0, scale=1 / 2.0).cdf).pvalue > 1e-3
    assert stats.kstest(raw, stats.norm.cdf).pvalue > 1e-3


def test_interweaving_moves_weights_and_counts_its_passes(choo_model: models.BNN) -> None:
    step = GibbsPrecision(model=choo_model)
    step.setup_chain(np.random.default_rng(9), tune=0, draws=1)
    point = {name: np.asarray(value) for name, value in perturbed(choo_model, 9).items()}
    after, [stats_of_step] = step.step(point)
    assert list(after) == list(point)
    ratio = after["w0"] / point["w0"]
    np.testing.assert_allclose(ratio, ratio[0, 0])
    assert ratio[0, 0] != 1.0
    assert stats_of_step["interweave_evaluations"] > 4

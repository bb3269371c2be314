"""Step sizes follow the curvature that Choo's formulas imply."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.studies.choo2000.design.network import CHOO_CASES as CASES


def step_sizes(step: samplers.StaticHMC, point: dict) -> np.ndarray:
    parameters = step.conditional.parameters(point)
    return step._unit_step_sizes(parameters)


def test_step_sizes_of_a_network_with_one_hidden_layer_equal_choos(
    choo_step: samplers.StaticHMC,
) -> None:
    r"""Choo (2000), Eqs. 4.30-4.34, each weight's square replaced by its prior variance."""
    rng = np.random.default_rng(1)
    start = initial_point(choo_step.model)
    point = {name: np.asarray(v + rng.normal(size=v.shape)) for name, v in start.items()}
    tau = {n: np.exp(point[f"{n}_precision_log__"]) for n in ("w0", "b0", "w1", "b1", "noise")}
    n = len(CASES)
    at_output = tau["noise"] * n
    at_hidden = tau["noise"] / tau["w1"]  # largest slope of tanh is 1, largest square is 1
    squares = (CASES[:, :2] ** 2).sum(axis=0)
    curvature = {
        "w0": tau["w0"] + np.repeat(squares, 8) * at_hidden,
        "b0": np.full(8, tau["b0"] + n * at_hidden),
        "w1": np.full(8, tau["w1"] + at_output),
        "b1": np.array([tau["b1"] + at_output]),
    }
    expected = np.concatenate([curvature[name] for name in choo_step.conditional.layout.names])
    np.testing.assert_allclose(step_sizes(choo_step, point), expected**-0.5, rtol=1e-12)


@pytest.mark.parametrize("hidden", [(), (3,), (3, 2)])
def test_estimated_curvature_bounds_the_expected_curvature_of_a_linear_network(
    hidden: tuple[int, ...],
) -> None:
    """With identity units the estimate is the prior mean of the exact second derivative."""
    X = np.random.default_rng(2).normal(size=(6, 2))
    model = models.gaussian(X, X[:, 0], hidden=hidden, activation="identity", biases=False)
    step = samplers.StaticHMC(model=model)
    point = initial_point(model)
    estimate = step_sizes(step, point) ** -2.0
    rng = np.random.default_rng(3)
    noise = np.exp(point["noise_precision_log__"])
    hessian = np.zeros(estimate.size)
    names, draws = step.conditional.layout.names, 4000
    for _ in range(draws):
        w = {name: rng.normal(size=model.groups[name].shape) for name in names}
        diagonal = []
        for i, name in enumerate(names):
            below = X
            for other in names[:i]:
                below = below @ w[other]
            above = np.eye(w[name].shape[1])
            for other in names[i + 1 :]:
                above = above @ w[other]
            exact = np.outer((below**2).sum(axis=0), (above**2).sum(axis=1))
            diagonal.append(1.0 + noise * exact.ravel())
        hessian += np.concatenate(diagonal) / draws
    np.testing.assert_allclose(estimate, hessian, rtol=0.25)


def test_raw_weights_get_the_step_sizes_of_the_weights_they_stand_for() -> None:
    X = np.random.default_rng(4).normal(size=(6, 2))
    centered = models.normal_inverse_gamma(X, X[:, 0], hidden=(3,))
    raw = centered.reparametrized("noncentered")
    steps = {model: samplers.StaticHMC(model=model) for model in (centered, raw)}
    point = initial_point(centered)
    hyper = {name: np.asarray(v + 1.0) for name, v in point.items() if "precision" in name}
    sizes = {m: step_sizes(steps[m], {**initial_point(m), **hyper}) for m in steps}
    scale = steps[raw].conditional.parameters({**initial_point(raw), **hyper}).scale
    order = np.argsort([n.removesuffix("_raw") for n in steps[raw].conditional.layout.names])
    assert len(order) == 4
    np.testing.assert_allclose(np.sort(sizes[raw] * scale), np.sort(sizes[centered]), rtol=1e-12)


def test_other_models_are_refused() -> None:
    with pm.Model() as model:
        pm.Normal("x")
    with pytest.raises(ValueError, match=r'step_sizes="neal" needs a pymc_bnn network'):
        samplers.StaticHMC(model=model)
    network = models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))
    with pytest.raises(ValueError, match="needs vars to be all weights"):
        samplers.StaticHMC(["w0"], model=network)

"""Networks that NUTS samples in another parametrization start where a user says."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.potential.constants import constant_values
from pymc_bnn.samplers.raw_starts import raw_starts
from pymc_bnn.samplers.starts import dispersed_starts
from pytensor.graph.replace import graph_replace

X = np.linspace(-1, 1, 6)[:, None]
STILL = {"tune": 0, "draws": 3, "step_scale": 1e-9, "max_treedepth": 1, "method": "nuts"}
QUIET = {"cores": 1, "progressbar": False, "quiet": True, "compute_convergence_checks": False}


def network(prior: models.Prior | None = None) -> models.BNN:
    return models.BNN(X, np.sin(X[:, 0]), (2,), prior=prior or models.NormalInverseGamma())


def test_weights_start_as_given_at_given_scales() -> None:
    starts = [{"w0": np.full((1, 2), w), "w0_precision": 4.0, "b0": [1.0, w]} for w in (5.0, -2.0)]
    idata = samplers.sample(network(), chains=2, seed=1, initvals=starts, **STILL, **QUIET)
    drawn = idata["posterior"].isel(draw=0)
    for chain, start in enumerate(starts):
        for name, value in start.items():
            found = drawn[name].isel(chain=chain).values
            np.testing.assert_allclose(found, value, atol=1e-5)


def test_raw_weights_of_units_that_differ_are_their_own() -> None:
    model = network(models.Horseshoe()).reparametrized("noncentered")
    rng = np.random.default_rng(2)
    point = model.initial_point(0)
    given = {name: rng.normal(size=group.shape) for name, group in model.groups.items()}
    found = raw_starts(model, given)
    weights = model.replace_rvs_by_values([model[name] for name in given])
    at = {value: (point | found)[value.name] for value in model.value_vars}
    numbers = constant_values(graph_replace(weights, at, strict=False))
    for name, value in zip(given, numbers, strict=True):
        np.testing.assert_allclose(value, given[name])


def test_starts_without_weights_are_left_alone() -> None:
    model = network().reparametrized("noncentered")
    assert raw_starts(model, None) is None
    assert raw_starts(model, [None, {"w0_precision": 2.0}]) == [None, {"w0_precision": 2.0}]
    with pytest.raises(ValueError, match="w0='prior': give numbers"):
        raw_starts(model, {"w0": "prior"})
    weights = np.ones((1, 2))
    with pytest.raises(ValueError, match="w0_precision='prior': give a number, as weights"):
        raw_starts(model, {"w0": weights, "w0_precision": "prior"})
    assert raw_starts(model, {"w0": None, "b0_precision": 1.0}) == {"b0_precision": 1.0}


def test_weights_start_as_given_under_jax() -> None:
    pytest.importorskip("jax")
    options = {"backend": "jax", "tune": 0, "draws": 3, "step_scale": 1e-9, "n_leapfrog": 1}
    start = {"w0": np.full((1, 2), 5.0), "w0_precision": 4.0}
    quiet = {name: value for name, value in QUIET.items() if name != "cores"}
    idata = samplers.sample(network(), chains=2, seed=1, initvals=start, **options, **quiet)
    np.testing.assert_allclose(idata["posterior"]["w0"].isel(draw=0), 5.0, atol=1e-5)


@pytest.mark.parametrize("density", ["log_likelihood", "log_prior"])
def test_densities_of_draws_that_are_not_recorded_are_refused(density: str) -> None:
    options = {"var_names": ["w0"], "idata_kwargs": {density: True}}
    with pytest.raises(ValueError, match=f"{density} cannot be computed without .*b0, .*var_names"):
        samplers.sample(network(), chains=1, **options, **QUIET)


def test_densities_are_asked_of_the_model_that_is_sampled() -> None:
    options = {"method": "nuts", "idata_kwargs": {"log_prior": ["w0"]}}
    with pytest.raises(ValueError, match=r"log_prior.*w0"):
        samplers.sample(network(), chains=1, **options, **QUIET)


def test_starts_follow_the_data() -> None:
    with pm.Model() as model:
        centre = pm.Data("centre", [0.0, 0.0])
        pm.Normal("x", centre, 0.01, shape=2)
    rng = np.random.default_rng
    assert np.abs(dispersed_starts(model, 1, rng(1))[0]["x"]).max() < 1
    model.set_data("centre", [1000.0, 2000.0])
    assert initial_point(model)["x"] == pytest.approx([1000.0, 2000.0])
    assert dispersed_starts(model, 1, rng(1))[0]["x"] == pytest.approx([1000.0, 2000.0], abs=1)


def test_what_a_user_computes_from_weights_is_recorded() -> None:
    model = network(models.Horseshoe())
    with model:
        pm.Deterministic("effect", model["w0"].sum())
    idata = samplers.sample(model, chains=1, seed=1, **STILL, **QUIET)
    assert "w0_raw" in idata["posterior"]
    expected = idata["posterior"]["w0"].sum(["input", "hidden_0"])
    np.testing.assert_allclose(idata["posterior"]["effect"], expected)

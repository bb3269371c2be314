"""Connections from inputs to outputs, past hidden layers."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from scipy import stats
from xarray import DataTree

SEED = 5
X = np.random.default_rng(SEED).normal(size=(7, 3))


def network(**arguments: object) -> models.BNN:
    return models.normal_inverse_gamma(X, X[:, 0], hidden=(4,), skip=True, **arguments)


def drawn(model: models.BNN) -> DataTree:
    with model:
        idata = pm.sample_prior_predictive(draws=5, random_seed=SEED)
    idata["posterior"] = idata["prior"]
    return idata


@pytest.mark.parametrize("likelihood", ["gaussian_noise", "heteroscedastic_noise"])
def test_densities_on_arrays_are_those_of_the_graph(likelihood: str) -> None:
    model = network(likelihood=likelihood)
    idata = drawn(model)
    with model:
        pymcs = pm.compute_log_likelihood(idata, progressbar=False)["log_likelihood"]["y_obs"]
    ours = model.log_likelihood(idata, X, X[:, 0])
    np.testing.assert_allclose(ours.squeeze(), pymcs.squeeze(), rtol=1e-9)


def test_inputs_add_to_what_units_say() -> None:
    model = network()
    idata = drawn(model)
    found = model.predict(idata, X)["predictions"]["f"]
    idata["posterior"] = idata["posterior"].dataset.assign(skip=0 * idata["posterior"]["skip"])
    units = model.predict(idata, X)["predictions"]["f"]
    direct = X @ idata["prior"]["skip"].values
    np.testing.assert_allclose(found - units, direct, atol=1e-12)


def test_the_description_keeps_them(tmp_path: object) -> None:
    model = network()
    idata = drawn(model)
    assert models.load(idata).groups == model.groups
    for other in (model.reparametrized("noncentered"), model.with_data(2 * X, X[:, 1])):
        assert other.skip
        assert other.groups == model.groups
    plain = models.normal_inverse_gamma(X, X[:, 0], hidden=(4,))
    assert "skip" not in plain.groups
    assert "skip" not in plain.to_dict()


def test_ard_has_precisions_of_inputs_for_both_ways() -> None:
    model = models.ard(X, X[:, 0], hidden=(4,), skip=True)
    for name in ("w0_precision", "skip_precision"):
        assert model.named_vars_to_dims[name] == ("input",)


def test_the_limiting_covariance_has_a_linear_part() -> None:
    """Against functions drawn from the prior, whose products have known errors."""
    prior = {"w0": models.Gaussian(), "b0": models.Gaussian(), "w1": models.Scaled()}
    prior |= {"b1": models.Gaussian(sd=0.1), "skip": models.Gaussian(sd=0.7)}
    model = models.BNN(X, X[:, 0], hidden=(50,), prior=prior, skip=True)
    f = models.draw_functions(model, X[:3], draws=4000, seed=SEED).values[..., 0]
    products = f[:, :, None] * f[:, None, :]
    error = products.std(axis=0) / np.sqrt(len(f))
    covariance = models.limiting_covariance(model, X[:3])
    widest = stats.norm.isf(0.5e-3 / 6)  # 3.8: of six numbers; false alarms in 1 of 1000
    assert np.abs((products.mean(axis=0) - covariance) / error).max() < widest


def test_a_network_as_a_part_has_them_too() -> None:
    with pm.Model() as model:
        mean = models.network(X, hidden=(4,), skip=True, name="mean")
        other = models.network(X, 2, hidden=(3,), skip=True, name="other")
        pm.Deterministic("both", pm.math.concatenate([mean[:, None], other], axis=1))
    assert model.named_vars_to_dims["mean_skip"] == ("mean_input", "mean_output")
    values = model.initial_point(0)
    values = {name: np.full_like(value, 0.3) for name, value in values.items()}
    [both] = model.replace_rvs_by_values([model["both"]])
    found = model.compile_fn(both, inputs=model.value_vars)(values)
    units = np.tanh(0.3 * X.sum(axis=1) + 0.3)
    direct = 0.3 * X.sum(axis=1)
    np.testing.assert_allclose(found[:, 0], 0.3 * 4 * units + 0.3 + direct)
    np.testing.assert_allclose(found[:, 2], 0.3 * 3 * units + 0.3 + direct)

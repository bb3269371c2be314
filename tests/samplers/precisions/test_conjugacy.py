"""Conjugate precisions are found in any model, and others are refused by name."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers import GibbsPrecision, NotConjugateError
from pymc_bnn.samplers.precisions.conjugacy import (
    conjugate_names,
    conjugate_precision,
    conjugate_precisions,
)

X = np.random.default_rng(0).normal(size=(5, 2))


@pytest.mark.parametrize(
    ("prior", "units"),
    [
        (models.NormalInverseGamma(), {"w0": 1, "b0": 1, "w1": 1, "b1": 1}),
        (models.ARD(by="source"), {"w0": 2, "b0": 1, "w1": 3, "b1": 1}),
        (models.ARD(by="target"), {"w0": 3, "b0": 1, "w1": 1, "b1": 1}),
        (models.Gaussian(), {}),
    ],
)
def test_all_precisions_of_a_network_are_found(
    prior: models.priors.base.Prior, units: dict[str, int]
) -> None:
    model = models.BNN(X, X[:, 0], hidden=(3,), prior=prior)
    found = {p.variable.name: p for p in conjugate_precisions(model)}
    assert set(found) == {"noise_precision", *(f"{group}_precision" for group in units)}
    for group, n in units.items():
        child = found[f"{group}_precision"].children[0]
        assert child.variable.name == group
        assert len(np.unique(child.unit)) == n


def test_scale_factors_and_units_are_read_off_the_graph() -> None:
    factors = np.array([[1.0, 2.0, 3.0], [0.5, 1.0, 4.0]])
    with pm.Model() as model:
        tau = pm.Gamma("tau", 0.5, 0.5, shape=2)
        pm.Normal("x", 0, factors / np.sqrt(tau)[:, None])
    [precision] = conjugate_precisions(model)
    [child] = precision.children
    np.testing.assert_array_equal(child.unit, [0, 0, 0, 1, 1, 1])
    np.testing.assert_allclose(child.factor, factors.ravel())


def refused(model: pm.Model, name: str, reason: str) -> None:
    with pytest.raises(
        NotConjugateError, match=rf"'{name}' is not a conjugate precision: {reason}"
    ):
        conjugate_precision(model, model[name])
    assert model.rvs_to_values[model[name]].name not in conjugate_names(model)


def test_precision_of_raw_weights_is_refused_by_name() -> None:
    model = models.normal_inverse_gamma(X, X[:, 0], hidden=(3,), parametrization="noncentered")
    refused(model, "w0_precision", "the mean of 'y_obs' depends on it")
    with pytest.raises(NotConjugateError, match="w0_precision"):
        GibbsPrecision(model=model)
    assert conjugate_names(model) == {"noise_precision_log__"}


def test_other_kinds_of_scales_are_refused_by_name() -> None:
    with pm.Model() as model:
        half = pm.HalfNormal("half")
        student = pm.Gamma("student", 2, 2)
        added = pm.Gamma("added", 2, 2)
        squared = pm.Gamma("squared", 2, 2)
        pushed = pm.Gamma("pushed", 2, 2)
        raw = pm.Gamma("raw", 2, 2, default_transform=None)
        pm.Normal("x0", 0, tau=half)
        pm.StudentT("x1", 3, 0, lam=student)
        pm.Normal("x2", 0, tau=added + 1)
        pm.Normal("x3", 0, tau=squared**2)
        pm.Normal("x4", 0, tau=pushed)
        pm.Normal("x5", 0, tau=raw)
        pm.Potential("push", -pushed)
    refused(model, "half", "its prior is HalfNormal, not Gamma")
    refused(model, "student", "'x1' is StudentT, not Normal")
    refused(model, "added", "the variance of 'x2' is not proportional to 1 over it")
    refused(model, "squared", "the variance of 'x3' is not proportional to 1 over it")
    refused(model, "pushed", "the potential 'push' depends on it")
    refused(model, "raw", "it is not sampled on the log scale")


def test_unknown_variable_is_refused_with_the_nearest_name() -> None:
    model = models.normal_inverse_gamma(X, X[:, 0], hidden=(3,))
    with pytest.raises(ValueError, match="w0_precision"):
        GibbsPrecision(["w0_precison"], model=model)


def test_model_without_precisions_is_refused() -> None:
    with pm.Model() as model:
        pm.Normal("x")
    with pytest.raises(ValueError, match="no gamma precision in the model; leave the step out"):
        GibbsPrecision(model=model)


def test_precisions_of_nothing_are_not_conjugate_and_do_no_harm() -> None:
    with pm.Model() as model:
        none = pm.Gamma("none", 2.0, 2.0, shape=0)
        some = pm.Gamma("some", 2.0, 2.0)
        pm.Normal("no", 0.0, tau=none, shape=(0,))
        pm.Normal("x", 0.0, tau=some)
    assert conjugate_names(model) == {"some_log__"}
    idata = samplers.sample(
        model, draws=20, tune=20, chains=1, cores=1, seed=1, progressbar=False, quiet=True
    )
    assert idata["posterior"]["none"].shape == (1, 20, 0)
    assert idata["posterior"]["x"].std() > 0

"""Logistic weights: what is declared, which scales are shared, and the prior that comes of it."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.samplers.potential.agreement import density_of
from scipy import stats

X = np.random.default_rng(0).normal(size=(6, 2))
OWN = models.Logistic()
REPORT = {"w0": OWN, "b0": OWN, "w1": OWN, "b1": models.Logistic(scale_of="w1")}
DRAWS = 4000


@pytest.mark.parametrize("parametrization", ["centered", "noncentered"])
def test_weights_over_their_scale_are_logistic(parametrization: str) -> None:
    model = models.BNN(X, X[:, 0], (3,), prior=REPORT, parametrization=parametrization)
    with model:
        prior = pm.sample_prior_predictive(draws=DRAWS, random_seed=1)["prior"].dataset
    owner = {"w0": "w0", "b0": "b0", "w1": "w1", "b1": "w1"}
    for name, group in model.groups.items():
        level = prior[f"{owner[name]}_scale_level"].values.reshape(-1)
        assert stats.kstest(level, "uniform").pvalue > 1e-4
        scale = (level / (1 - level)).reshape(-1, *(1,) * len(group.shape))
        weights = prior[name].values.reshape(-1, *group.shape)
        assert stats.kstest((weights / scale).ravel(), "logistic").pvalue > 1e-4
    np.testing.assert_allclose(prior["w1_scale"].values.reshape(-1), level / (1 - level))
    if parametrization == "noncentered":
        raw = prior["b1_raw"].values
        expected = prior["w1_scale"].values[..., None] * np.log(raw / (1 - raw))
        np.testing.assert_allclose(prior["b1"].values, expected, rtol=1e-12)
    assert models.load(pm.sample_prior_predictive(draws=2, model=model)).priors == model.priors


def test_one_scale_serves_all_groups_or_those_of_a_layer() -> None:
    one = models.logistic(X, X[:, 0], (3,), prior=models.Logistic(scale_of="w0"))
    of_layers = {f"{k}{i}": models.Logistic(scale_of=f"w{i}") for i in range(2) for k in "wb"}
    two = models.logistic(X, X[:, 0], (3,), prior=of_layers)
    for model, scales in ((one, ["w0"]), (two, ["w0", "w1"])):
        found = [v.name for v in model.free_RVs if v.name.endswith("level")]
        assert found == [f"{name}_scale_level" for name in scales]


@pytest.mark.parametrize("scale_of", [None, "w0"])
def test_a_scale_of_its_own_starts_moderate_however_it_is_named(scale_of: str | None) -> None:
    prior = models.Logistic(scale_of=scale_of)
    group = models.logistic(X, X[:, 0], (3,), prior=prior).groups["w0"]
    found = prior.initial_values(group, np.random.default_rng(1), 1.0, "centered")
    assert list(found) == ["w0_scale_level"]
    assert found["w0_scale_level"] < 0.5


def test_connections_past_layers_have_scales_and_give_them() -> None:
    shared = {"w0": OWN, "w1": OWN, "skip": models.Logistic(scale_of="w0")}
    given = {"w0": OWN, "w1": OWN, "skip": OWN}
    for prior, scales in ((shared, ["w0", "w1"]), (given, ["w0", "w1", "skip"])):
        options = {"prior": prior, "skip": True, "biases": False}
        model = models.logistic(X, X[:, 0], (3,), parametrization="noncentered", **options)
        found = [v.name for v in model.free_RVs if v.name.endswith("level")]
        assert found == [f"{name}_scale_level" for name in scales]
        assert np.isfinite(density_of(model)(model.initial_point()).total)
        with pm.Model() as part:
            models.network(X, hidden=(3,), name="mean", **options)
        assert [v.name for v in part.free_RVs if v.name.endswith("level")] == [
            f"mean_{name}_scale_level" for name in scales
        ]
    with pytest.raises(ValueError, match=r"scale_of='skip'\) for w0: skip is no group before it"):
        models.logistic(X, X[:, 0], (3,), skip=True, prior=models.Logistic(scale_of="skip"))


def test_networks_of_a_model_have_scales_of_their_own() -> None:
    with pm.Model() as model:
        for name in ("mean", "spread"):
            prior = models.Logistic(scale_of="w0")
            models.network(X, hidden=(2,), prior=prior, name=name, parametrization="noncentered")
    found = [v.name for v in model.free_RVs if v.name.endswith("level")]
    assert found == ["mean_w0_scale_level", "spread_w0_scale_level"]


@pytest.mark.parametrize("given", ["w1", "w7", "b0"])
def test_a_scale_that_is_not_declared_before_is_refused(given: str) -> None:
    prior = {"w0": models.Logistic(scale_of=given), "b0": models.Gaussian()}
    with pytest.raises(ValueError, match=rf"Logistic\(scale_of='{given}'\) for w0: {given} is no"):
        models.BNN(X, X[:, 0], (), prior=prior)
    with pytest.raises(ValueError, match=r"scale_of='all'\): give the name of a group"):
        models.Logistic(scale_of="all")


def test_copies_are_the_same_and_edges_have_no_density() -> None:
    model = models.logistic(X, X[:, 0], (2,), parametrization="noncentered")
    density, point = density_of(model), model.initial_point()
    rng = np.random.default_rng(0)
    inside = {
        n: rng.uniform(0.1, 0.9, np.shape(v)) if "reflected" in n else v for n, v in point.items()
    }
    mirrored = {n: 4 - v if "reflected" in n else v for n, v in inside.items()}
    assert density(mirrored).total == pytest.approx(density(inside).total, rel=1e-12)
    for edge in (0.0, 1.0, 2.0, -3.0):
        at = {**inside, "w1_raw_reflected__": np.full((2, 1), edge)}
        with np.errstate(all="ignore"):
            assert not np.isfinite(density(at).total)

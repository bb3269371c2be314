"""A model can be rebuilt from its draws, however these were made and kept."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytensor
import pytest
import xarray as xr
from pymc.model.fgraph import clone_model
from pymc_bnn import models, samplers
from pymc_bnn.models.description import as_bytes, attach, description_of
from pymc_bnn.models.loading import describe

RNG = np.random.default_rng(31)
X = pd.DataFrame(RNG.normal(size=(8, 2)), columns=["age", "weight"])
CLASSES = np.array(["no", "yes", "maybe", "no", "yes", "maybe", "no", "yes"])


def build(**arguments: Any) -> models.BNN:
    return models.BNN(X, pd.Series(RNG.normal(size=8), name="speed"), **arguments)


@pytest.fixture(scope="module")
def sampled() -> tuple[models.BNN, xr.DataTree]:
    """A regression and draws of it from plain PyMC with a step method of its own."""
    model = models.normal_inverse_gamma(X, pd.Series(X["age"] ** 2, name="speed"), hidden=(3,))
    # of a module, and so begun before graphs are interpreted for each of its tests
    with model, pytensor.config.change_flags(cxx="", mode="FAST_COMPILE"):
        idata = pm.sample(
            draws=5,
            tune=5,
            chains=1,
            step=pm.Metropolis(),
            compute_convergence_checks=False,
            progressbar=False,
            random_seed=1,
        )
    return model, idata


def assert_same_model(one: models.BNN, other: models.BNN) -> None:
    assert one.to_dict() == other.to_dict()
    assert one.coords == other.coords
    for name in ("X", "y"):
        np.testing.assert_array_equal(one[name].get_value(), other[name].get_value())


def test_draws_of_plain_pymc_carry_the_model(sampled: tuple[models.BNN, xr.DataTree]) -> None:
    model, idata = sampled
    assert_same_model(models.load(idata), model)


def test_saved_draws_give_the_same_model_and_predictions(
    sampled: tuple[models.BNN, xr.DataTree], tmp_path: Path
) -> None:
    model, idata = sampled
    before = model.predict(idata, X, seed=1)
    idata.to_zarr(tmp_path / "fit.zarr", consolidated=False)
    with xr.open_datatree(tmp_path / "fit.zarr", engine="zarr", consolidated=False) as opened:
        loaded = models.load(opened)
        assert_same_model(loaded, model)
        after = loaded.predict(opened, X, seed=1)
    for group in ("predictions", "summary"):
        xr.testing.assert_identical(after[group].dataset, before[group].dataset)


def test_the_attribute_survives_saving(
    sampled: tuple[models.BNN, xr.DataTree], tmp_path: Path
) -> None:
    model, idata = sampled
    attached = attach(idata.copy(), model.to_dict())
    attached.to_zarr(tmp_path / "fit.zarr", consolidated=False)
    with xr.open_datatree(tmp_path / "fit.zarr", engine="zarr", consolidated=False) as opened:
        assert description_of(opened) == model.to_dict()


@pytest.mark.parametrize(
    ("likelihood", "y"),
    [
        ("categorical", CLASSES),
        ("categorical", np.arange(8) % 4),
        ("bernoulli", CLASSES == "yes"),
        ("bernoulli", pd.Series(np.where(CLASSES == "no", "no", "yes"), dtype="category")),
        (models.GaussianNoise(per_output=True), pd.DataFrame(RNG.normal(size=(8, 2)))),
    ],
    ids=["text", "numbers", "booleans", "categories", "several outputs"],
)
def test_every_kind_of_target_is_rebuilt(likelihood: Any, y: Any) -> None:
    model = models.gaussian(X, y, hidden=(2,), likelihood=likelihood)
    data = {name: model[name].get_value() for name in ("X", "y", "description")}
    idata = xr.DataTree.from_dict(
        {
            "constant_data": xr.Dataset(
                {"X": (("obs", "input"), data["X"]), "description": ("bytes", data["description"])}
            ),
            "observed_data": xr.Dataset(
                {"y_obs": (("obs", "output")[: data["y"].ndim], data["y"])}
            ),
        }
    )
    assert_same_model(models.load(idata), model)


@pytest.mark.parametrize(
    "arguments",
    [
        {"hidden": (), "biases": False},
        {"activation": "softplus", "parametrization": "noncentered"},
        {"prior": models.ARD(sd=0.3, alpha=2.5, by="target")},
        {"prior": models.RegularizedHorseshoe(ard=True)},
        {"prior": models.ConjugateHorseshoe(ard=True, by="source")},
        {"likelihood": models.GaussianNoise(sd=0.2, alpha=3.0, per_output=True)},
    ],
    ids=lambda a: ", ".join(a),
)
def test_every_setting_is_described(arguments: dict[str, Any]) -> None:
    model = build(**arguments)
    idata = attach(xr.DataTree(), model.to_dict())
    described = description_of(idata)
    assert described == model.to_dict()
    for name, value in arguments.items():
        rebuilt = {"hidden": list(value)} if name == "hidden" else {}
        rebuilt |= {"likelihood": value.to_dict()} if name == "likelihood" else {}
        rebuilt |= (
            {"prior": dict.fromkeys(model.groups, value.to_dict())} if name == "prior" else {}
        )
        assert described[name] == rebuilt.get(name, value)


def test_description_is_bytes_of_json() -> None:
    encoded = as_bytes({"hidden": [8], "outputs": ["Größe"]})
    assert encoded.dtype == np.uint8
    constants = xr.Dataset({"description": ("byte", encoded.astype(np.float64))})
    idata = xr.DataTree.from_dict({"constant_data": constants})
    assert description_of(idata) == {"hidden": [8], "outputs": ["Größe"]}


@pytest.mark.parametrize(
    "idata",
    [
        xr.DataTree(),
        xr.DataTree.from_dict({"constant_data": xr.Dataset({"X": ("obs", [1.0])})}),
        xr.DataTree.from_dict({"posterior": xr.Dataset({"w0": ("draw", [1.0])})}),
    ],
    ids=["empty", "other constants", "posterior only"],
)
def test_draws_of_another_model_are_refused(idata: xr.DataTree) -> None:
    with pytest.raises(ValueError, match="idata holds no pymc_bnn model: it has neither") as error:
        models.load(idata)
    assert "\n" not in str(error.value)


def test_draws_beside_other_cases_are_not_loaded() -> None:
    """As those that PyMC puts there when it predicts, and is told to extend the draws."""
    X = np.linspace(-1, 1, 6)[:, None]
    model = models.gaussian(X, X[:, 0] ** 2, hidden=(2,))
    with model:
        drawn = pm.sample_prior_predictive(draws=4, random_seed=1)
    drawn["posterior"] = drawn["prior"]
    attach(drawn, model.to_dict())
    assert models.load(drawn).hidden == (2,)
    with model:
        model.set_data("y", np.zeros((6, 1)))
        pm.sample_posterior_predictive(drawn, extend_inferencedata=True, progressbar=False)
    with pytest.raises(ValueError, match="are not the cases that the model was fitted to"):
        models.load(drawn)


def test_draws_without_their_data_are_refused_by_the_name_of_the_group(
    sampled: tuple[models.BNN, xr.DataTree],
) -> None:
    idata = sampled[1].copy()
    del idata["observed_data"]
    with pytest.raises(ValueError, match="it lacks the group observed_data"):
        models.load(idata)


def test_a_model_of_other_cases_has_no_density_of_the_training_cases(
    sampled: tuple[models.BNN, xr.DataTree],
) -> None:
    model, idata = sampled
    x, y = model.training_data()
    same, other = (models.normal_inverse_gamma(x, 1.0 * scale * y, hidden=(3,)) for scale in (1, 2))
    xr.testing.assert_equal(same.log_likelihood(idata), model.log_likelihood(idata))
    with pytest.raises(ValueError, match="other cases than those beside the draws"):
        other.log_likelihood(idata)
    assert other.log_likelihood(idata, x, y).equals(model.log_likelihood(idata, x, y))
    del (bare := idata.copy())["observed_data"]
    assert other.log_likelihood(bare).shape == model.log_likelihood(idata).shape


def drawn(model: pm.Model, described: bool) -> xr.DataTree:
    """Draws of a model with its data beside them, as our function or as PyMC's leaves them."""
    with model:
        idata = pm.sample_prior_predictive(draws=2, random_seed=1)
    return describe(idata, model) if described else idata


@pytest.mark.parametrize("described", [True, False])
def test_draws_of_what_was_made_of_a_network_are_not_those_of_the_network(described: bool) -> None:
    network = models.normal_inverse_gamma(X, pd.Series(X["age"], name="speed"), hidden=())
    fixed = pm.do(network, {"w0_precision": np.float64(4.0)})
    seen = pm.observe(network, {"w0_precision": np.float64(2.0)})
    copied = copy.deepcopy(network)
    assert isinstance(copied, models.BNN)
    assert_same_model(copied, network)
    with copied:
        pm.HalfNormal("far")
    with network:
        pm.Deterministic("twice", 2.0 * network["w0"])
    own = network["description"].get_value()
    unknown = network.copy()  # of which PyMC makes a model that does not say what is added
    np.testing.assert_array_equal(network["description"].get_value(), own)
    said = "a value of w0_precision" if described else "w0_precision had given values"
    for changed, why in ((fixed, said), (seen, said), (copied, "far"), (unknown, "class Model")):
        with pytest.raises(ValueError, match=f"cannot be loaded.*{why}"):
            models.load(drawn(changed, described))
    assert_same_model(models.load(drawn(network, described)), network)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of first steps that are too large
def test_draws_say_that_their_network_was_changed() -> None:
    network = models.normal_inverse_gamma(X, pd.Series(X["age"], name="speed"), hidden=())
    fixed = pm.do(network, {name: np.float64(4.0) for name in ("w0_precision", "b0_precision")})
    run: dict[str, Any] = {"chains": 1, "cores": 1, "progressbar": False, "quiet": True}
    idata = samplers.sample(fixed, draws=5, tune=5, seed=1, n_leapfrog=2, **run)
    with pytest.raises(ValueError, match="a value of b0_precision, a value of w0_precision"):
        models.load(idata)


def test_models_that_only_look_like_a_network_keep_their_draws() -> None:
    names = ("description", "X", "y")
    with pm.Model() as model:
        mean = sum(pm.Data(name, np.zeros(2)) for name in names)
        pm.Normal("y_obs", mean, observed=np.zeros(2))
    assert describe(xr.DataTree(), model).attrs == {}


def test_draws_of_an_unchanged_copy_by_pymc_are_those_of_the_network() -> None:
    network = models.normal_inverse_gamma(X, pd.Series(X["age"], name="speed"), hidden=())
    for same in (clone_model(network), pm.do(network, {"X": 2.0 * X.to_numpy()})):
        loaded = models.load(drawn(same, True))
        np.testing.assert_array_equal(loaded["X"].get_value(), same["X"].get_value())


def test_a_copy_loses_nothing() -> None:
    def fresh() -> models.BNN:
        return models.gaussian(X, pd.Series(X["age"], name="speed"), hidden=())

    started, extended, between = fresh(), fresh(), fresh()
    assert isinstance(fresh().copy(), models.BNN)
    extended.add_coord("extra", [1, 2])
    assert "extra" in extended.copy().coords
    with between:
        pm.set_data({"X": X[:5]})
    assert between.copy()["X"].get_value().shape == (5, 2)
    started.set_initval(started["w0"], np.full((2, 1), 7.0))
    with pytest.raises(
        NotImplementedError, match="initial_values"
    ):  # of PyMC, which does not copy them
        started.copy()

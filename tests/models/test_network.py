"""A network is the density it says it is, under the names that samplers and reports rely on."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr
from pymc_bnn import models
from pytensor.compile.mode import Mode

from .density import log_density
from .drawing import hand_made_draws

RNG = np.random.default_rng(5)
X = RNG.normal(size=(12, 3))
Y = RNG.normal(size=(12, 2))
CLASSES = np.arange(12) % 3
TARGETS = {"one": Y[:, 0], "two": Y, "binary": CLASSES == 1, "classes": CLASSES}

NIG = models.NormalInverseGamma(sd=0.1, alpha=0.3)  # numbers that float32 cannot hold

COMBINATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "linear gaussian": ("one", {"hidden": (), "prior": models.Gaussian(sd=0.1)}),
    "scaled softmax relu": (
        "classes",
        {
            "hidden": (3,),
            "prior": models.Scaled(),
            "likelihood": "categorical",
            "activation": "relu",
            "parametrization": "noncentered",
        },
    ),
    "hierarchical logistic": (
        "binary",
        {"hidden": (4, 3), "prior": NIG, "likelihood": "bernoulli", "activation": "logistic"},
    ),
    "hierarchical, noncentered": (
        "one",
        {"hidden": (4,), "prior": NIG, "parametrization": "noncentered"},
    ),
    "ard by source, noise per output": (
        "two",
        {
            "hidden": (3, 2),
            "prior": models.ARD(sd=0.7, alpha=1.1),
            "likelihood": models.GaussianNoise(sd=0.3, alpha=0.7, per_output=True),
            "parametrization": "noncentered",
        },
    ),
    "ard by target, softplus": (
        "classes",
        {
            "hidden": (3,),
            "prior": models.ARD(by="target"),
            "likelihood": "categorical",
            "activation": "softplus",
        },
    ),
    "horseshoe": (
        "two",
        {"hidden": (3,), "prior": models.Horseshoe(), "parametrization": "noncentered"},
    ),
    "horseshoe per unit, three layers": (
        "binary",
        {
            "hidden": (2, 2, 2),
            "prior": models.Horseshoe(ard=True),
            "likelihood": "bernoulli",
            "biases": False,  # the interpreter adds 32 terms at most
        },
    ),
    "regularized horseshoe, no biases": (
        "one",
        {"hidden": (2,), "prior": models.RegularizedHorseshoe(), "biases": False},
    ),
    "regularized horseshoe per unit": (
        "one",
        {
            "hidden": (3,),
            "prior": models.RegularizedHorseshoe(ard=True),
            "parametrization": "noncentered",
            "activation": "identity",
        },
    ),
    "horseshoes per source unit": (
        "one",
        {
            "hidden": (3,),
            "prior": {
                "w0": models.Horseshoe(ard=True, by="source"),
                "w1": models.RegularizedHorseshoe(ard=True, by="source"),
            },
            "biases": False,
        },
    ),
    "conjugate horseshoe": (
        "two",
        {"hidden": (3,), "prior": models.ConjugateHorseshoe()},
    ),
    "conjugate horseshoe per unit, noncentered": (
        "two",
        {
            "hidden": (3,),
            "prior": {
                "w0": models.ConjugateHorseshoe(ard=True),
                "b0": models.ConjugateHorseshoe(ard=True, by="source"),
                "w1": models.ConjugateHorseshoe(ard=True, by="source"),
                "b1": models.Gaussian(),
            },
            "parametrization": "noncentered",
        },
    ),
    "a prior for each group": (
        "one",
        {
            "hidden": (2,),
            "prior": {
                "w0": models.ARD(),
                "b0": models.Gaussian(sd=0.3),
                "w1": models.Scaled(),
                "b1": models.Horseshoe(),
            },
        },
    ),
}


def combination(name: str) -> tuple[models.BNN, np.ndarray]:
    target, arguments = COMBINATIONS[name]
    return models.BNN(X, TARGETS[target], **arguments), TARGETS[target]


def random_point(model: models.BNN, seed: int) -> tuple[dict, dict]:
    """Random values of all free variables, and the transformed point that stands for them."""
    rng = np.random.default_rng(seed)
    values, point, start = {}, {}, model.initial_point()
    for variable, value_variable in model.rvs_to_values.items():
        if variable in model.observed_RVs:
            continue
        shape = start[value_variable.name].shape
        unbounded = rng.normal(size=shape)
        positive = value_variable.name.endswith("_log__")
        values[variable.name] = np.exp(unbounded) if positive else unbounded
        point[value_variable.name] = unbounded
    return values, point


@pytest.mark.parametrize("name", COMBINATIONS)
def test_log_density_equals_the_equations(name: str, python_mode: Mode) -> None:
    model, y = combination(name)
    logp = model.compile_logp(jacobian=False, mode=python_mode)
    y = y[:, None] if y.ndim == 1 and not model.likelihood.classifies else y
    for seed in range(3):
        values, point = random_point(model, seed)
        assert logp(point) == pytest.approx(log_density(model, X, y, values), rel=1e-12)


@pytest.fixture(scope="module")
def regression() -> models.BNN:
    frame = pd.DataFrame(X, columns=["age", "height", "weight"])
    return models.normal_inverse_gamma(frame, pd.Series(Y[:, 0], name="speed"), hidden=(4,))


def test_compiled_log_density_and_gradient_equal_the_interpreted_ones(
    regression: models.BNN, python_mode: Mode
) -> None:
    point = random_point(regression, 1)[1]
    fast, slow = (
        regression.logp_dlogp_function(ravel_inputs=True, mode=mode)
        for mode in ("NUMBA", python_mode)
    )
    q = np.concatenate([np.ravel(point[v.name]) for v in regression.value_vars])
    for ours, expected in zip(fast(q), slow(q), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-11)


def test_all_variables_are_float64(regression: models.BNN) -> None:
    variables = [*regression.free_RVs, *regression.observed_RVs, *regression.deterministics]
    assert {v.dtype for v in variables} == {"float64"}
    assert {v.dtype for v in regression.initial_point().values()} == {np.dtype("float64")}


def test_names_and_dims_are_the_contract(regression: models.BNN) -> None:
    assert [v.name for v in regression.free_RVs] == [
        "w0_precision",
        "w0",
        "b0_precision",
        "b0",
        "w1_precision",
        "w1",
        "b1_precision",
        "b1",
        "noise_precision",
    ]
    assert [v.name for v in regression.observed_RVs] == ["y_obs"]
    dims = regression.named_vars_to_dims
    assert dims["X"] == ("obs", "input")
    assert dims["y"] == dims["y_obs"] == ("obs", "output")
    assert dims["w0"] == ("input", "hidden_0")
    assert dims["b0"] == ("hidden_0",)
    assert dims["w1"] == ("hidden_0", "output")
    assert dims["b1"] == ("output",)


def test_column_names_become_coordinates(regression: models.BNN) -> None:
    assert regression.coords["input"] == ("age", "height", "weight")
    assert regression.coords["hidden_0"] == (0, 1, 2, 3)
    assert regression.coords["output"] == ("speed",)


def test_coordinates_of_a_dataarray_become_coordinates() -> None:
    labelled = xr.DataArray(X, dims=("case", "sensor"), coords={"sensor": ["a", "b", "c"]})
    model = models.gaussian(labelled, CLASSES, likelihood="categorical")
    assert model.coords["input"] == ("a", "b", "c")
    assert model.coords["output"] == (0, 1, 2)


def test_two_classes_need_one_output() -> None:
    model = models.gaussian(X, np.where(CLASSES == 1, "yes", "no"), likelihood="bernoulli")
    assert model.classes == ("no", "yes")
    assert model.coords["output"] == ("yes",)
    assert model.groups["b1"].shape == (1,)


def test_groups_follow_the_layers() -> None:
    model = models.gaussian(X, Y, hidden=(5, 4))
    assert {n: (g.shape, g.fan_in) for n, g in model.groups.items()} == {
        "w0": ((3, 5), 3),
        "b0": ((5,), 3),
        "w1": ((5, 4), 5),
        "b1": ((4,), 5),
        "w2": ((4, 2), 4),
        "b2": ((2,), 4),
    }
    assert [g.is_bias for g in model.groups.values()] == [False, True] * 3


def test_without_biases_there_are_none() -> None:
    model = models.normal_inverse_gamma(X, Y, hidden=(5,), biases=False)
    assert list(model.groups) == ["w0", "w1"]
    assert not any(name.startswith("b") for name in model.named_vars)


@pytest.mark.parametrize("hidden", [4, np.int64(4), [4], np.array([4])])
def test_hidden_units_may_be_given_in_any_form(hidden: Any) -> None:
    assert models.gaussian(X, Y, hidden=hidden).hidden == (4,)


def test_noncentered_weights_are_raw_times_scale(python_mode: Mode) -> None:
    model = combination("hierarchical, noncentered")[0]
    assert "w0_raw" in [v.name for v in model.free_RVs]
    assert "w0" in [v.name for v in model.deterministics]
    assert [model.free_name(n) for n in ("w0", "b1")] == ["w0_raw", "b1_raw"]
    names = ["w0", "w0_raw", "w0_precision"]
    w, raw, precision = pm.draw([model[n] for n in names], mode=python_mode, random_seed=1)
    np.testing.assert_allclose(w, raw / np.sqrt(precision), rtol=1e-14)


def test_the_priors_scale_is_known_by_group(python_mode: Mode) -> None:
    model = combination("a prior for each group")[0]
    assert model.scales["b0"] == 0.3
    assert model.scales["w1"] == pytest.approx(2**-0.5)
    scale, precision = pm.draw(
        [model.scales["w0"], model["w0_precision"]], mode=python_mode, random_seed=1
    )
    np.testing.assert_allclose(scale[:, 0], precision**-0.5, rtol=1e-14)


def test_data_can_be_replaced(python_mode: Mode) -> None:
    model = combination("linear gaussian")[0]
    replaced = models.BNN(X[:5] + 1, Y[:5, 1], **COMBINATIONS["linear gaussian"][1])
    point = random_point(model, 0)[1]
    expected = replaced.compile_logp(mode=python_mode)(point)
    logp = model.compile_logp(mode=python_mode)
    assert logp(point) != pytest.approx(expected)
    pm.set_data({"X": X[:5] + 1, "y": Y[:5, 1:]}, model=model)
    assert logp(point) == pytest.approx(expected, rel=1e-14)


def test_pymcs_own_predictions_follow_new_data() -> None:
    model = models.gaussian(X, Y[:, 0], hidden=(4,))
    idata = hand_made_draws(model, draws=3)
    idata["posterior"]["noise_precision"][:] = 1e12  # the targets are the outputs then
    ours = model.predict(idata, X[:4] - 1)["predictions"]["f"]
    pm.set_data({"X": X[:4] - 1, "y": np.zeros((4, 1))}, model=model)
    theirs = pm.sample_posterior_predictive(idata, model=model, random_seed=1, progressbar=False)
    np.testing.assert_allclose(theirs["posterior_predictive"]["y_obs"], ours, atol=1e-5)


VALUES = {"one": Y[:, :1], "two": Y, "binary": (CLASSES == 1), "classes": CLASSES}


@pytest.mark.parametrize("name", COMBINATIONS)
def test_description_rebuilds_the_model(name: str) -> None:
    model = combination(name)[0]
    other = model.reparametrized("noncentered")
    assert other.to_dict() == {**model.to_dict(), "parametrization": "noncentered"}
    again = other.reparametrized(model.parametrization)
    assert again.to_dict() == model.to_dict()
    assert np.array_equal(again["X"].get_value(), X)
    assert np.array_equal(again["y"].get_value(), VALUES[COMBINATIONS[name][0]])


def test_models_are_rebuilt_alone_where_another_is_active(regression: models.BNN) -> None:
    before = list(regression.named_vars)
    with regression:
        other = regression.reparametrized("noncentered")
    assert other.isroot
    assert list(regression.named_vars) == before


def test_training_data_is_what_was_given(regression: models.BNN) -> None:
    inputs, targets = regression.training_data()
    assert list(inputs.columns) == ["age", "height", "weight"]
    assert list(targets.columns) == ["speed"]
    assert np.array_equal(inputs, X)
    labels = np.array(["a", "b", "c"])[CLASSES]
    model = models.gaussian(X, labels, likelihood="categorical")
    assert model.training_data()[1].tolist() == labels.tolist()


def test_other_cases_keep_names_and_classes(regression: models.BNN) -> None:
    frame = pd.DataFrame(X + 1, columns=["age", "height", "weight"])
    # columns may come in another order: they are found by their names
    other = regression.with_data(frame[["weight", "age", "height"]][:5], Y[:5, 1])
    assert other.to_dict() == regression.to_dict()
    assert np.array_equal(other["X"].get_value(), X[:5] + 1)
    assert np.array_equal(other["y"].get_value(), Y[:5, 1:])
    model = models.gaussian(X, CLASSES, likelihood="categorical")
    two = model.with_data(X[:2], [2, 0])
    assert two.classes == (0, 1, 2)
    assert two["y"].get_value().tolist() == [2, 0]


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ((X[:5], Y[:4, 0]), "X has 5 cases and y has 4; they must match"),
        ((X[:5, :2], Y[:5, 0]), "X has 2 columns, the model has 3 inputs"),
        ((X[:6], Y[:6]), "y has 2 column(s), the model has 1 output(s)"),
    ],
)
def test_other_cases_must_fit_the_model(
    regression: models.BNN, cases: tuple[np.ndarray, np.ndarray], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        regression.with_data(*cases)


@pytest.mark.parametrize("variant", models.VARIANTS)
def test_every_variant_is_its_name(variant: str) -> None:
    model = models.VARIANTS[variant](X, Y[:, 0], hidden=(3,), activation="relu")
    assert model.hidden == (3,)
    assert model.activation.name == "relu"
    wanted = {name.lower() for name in {p["name"] for p in model.to_dict()["prior"].values()}}
    assert variant.replace("_", "") in wanted
    for_nuts = variant in ("horseshoe", "regularized_horseshoe")
    assert model.parametrization == ("noncentered" if for_nuts else "centered")


def test_ard_variant_has_precisions_per_input_and_per_group_elsewhere() -> None:
    model = models.ard(X, Y[:, 0], hidden=(3,))
    assert model.named_vars_to_dims["w0_precision"] == ("input",)
    assert model["w1_precision"].ndim == 0
    assert list(models.ard(X, Y[:, 0], hidden=(3,), biases=False).groups) == ["w0", "w1"]


def test_standard_normal_weights_are_the_default() -> None:
    assert set(models.BNN(X, Y).priors.values()) == {models.Gaussian(sd=1.0)}


GROUPS = {name: models.Gaussian() for name in ("w0", "b0", "w1", "b1")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": Y[:5]}, "X has 12 cases and y has 5; they must match."),
        ({"y": []}, "y is empty: its shape is (0, 1)."),
        ({"X": X * np.nan}, "X has 36 missing or infinite value(s); drop or fill them."),
        ({"y": ["a"] * 12}, "y is not numeric, it has texts or categories; for classes use"),
        ({"hidden": (0,)}, "hidden=(0,): give the units of each hidden layer as positive"),
        ({"hidden": (-3,)}, "hidden=(-3,): give the units of each hidden layer as positive"),
        ({"hidden": (8.0,)}, "hidden=(8.0,): give the units of each hidden layer as positive"),
        ({"hidden": 8.5}, "hidden=8.5: give the units of each hidden layer as positive"),
        ({"hidden": None}, "hidden=None: give the units of each hidden layer as positive"),
        ({"hidden": "8"}, "hidden='8': give the units of each hidden layer as positive"),
        ({"activation": "tan"}, "unknown activation 'tan'; did you mean 'tanh'? Valid: tanh"),
        ({"parametrization": "centred"}, "unknown parametrization 'centred'; did you mean"),
        ({"likelihood": "bernouli"}, "unknown likelihood 'bernouli'; did you mean 'bernoulli'?"),
        ({"likelihood": None}, "unknown likelihood"),
        ({"prior": "horseshoe"}, "prior='horseshoe': give a prior such as models.Gaussian(), or"),
        ({"prior": {**GROUPS, "w9": NIG}}, "unknown weight group in prior 'w9'; did you mean"),
        ({"prior": {"w0": NIG, "b0": NIG}}, "prior gives no prior for the group(s) w1, b1."),
        ({"prior": {**GROUPS, "w0": "ard"}}, "prior['w0']='ard': give a prior such as"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        models.BNN(**{"X": X, "y": Y, **arguments})
    assert "\n" not in str(error.value)

"""Predictions are the forward pass of every draw, and scores its mean density."""

import json
import re
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr
from pymc_bnn import models
from pymc_bnn.models import forward_pass
from pymc_bnn.models.likelihoods.contract import mean_name
from scipy import special, stats

from .density import SHAPES
from .drawing import hand_made_draws

RNG = np.random.default_rng(21)
X = RNG.normal(size=(9, 3))
NEW = RNG.normal(size=(7, 3))
COLUMNS = ["age", "height", "weight"]
LABELS = np.array(["a", "b", "c"])[np.arange(9) % 3]
Y = RNG.normal(size=(9, 2))


def regression(**arguments: Any) -> models.BNN:
    frame = pd.DataFrame(X, columns=COLUMNS)
    targets = pd.DataFrame(Y, columns=["left", "right"])
    return models.BNN(frame, targets, **{"hidden": (4, 3), **arguments})


def several_classes() -> models.BNN:
    return models.BNN(X, LABELS, hidden=(4,), likelihood="categorical")


def two_classes() -> models.BNN:
    return models.BNN(X, LABELS == "b", hidden=(4,), likelihood="bernoulli")


MODELS = {"numbers": regression, "classes": several_classes, "two classes": two_classes}


def forward(model: models.BNN, idata: xr.DataTree, inputs: np.ndarray) -> np.ndarray:
    """Outputs draw by draw, case by case, shape (chains, draws, cases, outputs)."""
    posterior = idata["posterior"]
    out = np.empty((*posterior["w0"].shape[:2], len(inputs), len(model.outputs)))
    for chain, draw, case in np.ndindex(out.shape[:3]):
        units = inputs[case]
        for i in range(len(model.hidden) + 1):
            units = units @ posterior[f"w{i}"].values[chain, draw]
            if model.biases:
                units = units + posterior[f"b{i}"].values[chain, draw]
            if i < len(model.hidden):
                units = SHAPES[model.activation.name](units)
        out[chain, draw, case] = units
    return out


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"hidden": ()},
        {"biases": False},
        {"activation": "relu"},
        {"activation": "logistic", "hidden": (2, 2, 2)},
        {"activation": "softplus", "biases": False},
        {"activation": "identity"},
    ],
    ids=repr,
)
def test_outputs_are_the_forward_pass_of_every_draw(arguments: dict[str, Any]) -> None:
    model = regression(**arguments)
    idata = hand_made_draws(model)
    f = model.predict(idata, NEW)["predictions"]["f"]
    np.testing.assert_allclose(f, forward(model, idata, NEW), rtol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_draws_come_with_dimensions_and_coordinates(name: str) -> None:
    model = MODELS[name]()
    draws = model.predict(hand_made_draws(model), NEW, seed=1)["predictions"]
    classifies = name != "numbers"
    assert set(draws.data_vars) == {"f", "y"} | ({"probability"} if classifies else set())
    assert draws["f"].dims == ("chain", "draw", "obs", "output")
    assert draws["f"].shape == (2, 5, 7, len(model.outputs))
    assert draws["y"].dims == draws["f"].dims[: 3 if classifies else 4]
    assert draws["output"].values.tolist() == list(model.outputs)
    assert draws["chain"].values.tolist() == [0, 1]


def test_chain_and_draw_numbers_are_those_of_the_posterior() -> None:
    model = regression()
    idata = hand_made_draws(model, draws=6)
    thinned = xr.DataTree.from_dict({"posterior": idata["posterior"].dataset.isel(draw=[1, 4])})
    draws = model.predict(thinned, NEW)["predictions"]
    assert draws["draw"].values.tolist() == [1, 4]
    all_draws = model.predict(idata, NEW)["predictions"]["f"]
    np.testing.assert_array_equal(draws["f"], all_draws.isel(draw=[1, 4]))


@pytest.mark.parametrize("name", MODELS)
def test_summary_is_that_of_the_draws(name: str) -> None:
    model = MODELS[name]()
    tree = model.predict(hand_made_draws(model), NEW, seed=2, quantiles=(0.25, 0.5))
    variables = ["f", "y"] if name == "numbers" else ["f", "probability"]
    summary = tree["summary"]
    assert summary["variable"].values.tolist() == variables
    assert summary["mean"].dims == summary["sd"].dims == ("variable", "obs", "output")
    assert summary["quantiles"].dims == ("quantile", "variable", "obs", "output")
    for variable in variables:
        draws = tree["predictions"][variable].values.reshape(10, 7, -1)
        of = summary.dataset.sel(variable=variable)
        np.testing.assert_allclose(of["mean"], draws.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(of["sd"], draws.std(axis=0), rtol=1e-12)
        np.testing.assert_allclose(
            of["quantiles"].sel(quantile=0.25), np.quantile(draws, 0.25, axis=0), rtol=1e-12
        )


def test_class_probabilities_are_the_softmax_and_sum_to_one() -> None:
    model = several_classes()
    idata = hand_made_draws(model)
    tree = model.predict(idata, NEW)
    probability = tree["predictions"]["probability"]
    np.testing.assert_allclose(probability.sum("output"), 1, rtol=1e-14)
    expected = special.softmax(forward(model, idata, NEW), axis=-1)
    np.testing.assert_allclose(probability, expected, rtol=1e-11)
    mean = tree["summary"]["mean"].sel(variable="probability")
    np.testing.assert_allclose(mean.sum("output"), 1, rtol=1e-14)
    assert set(np.unique(tree["predictions"]["y"])) <= {0, 1, 2}


def test_probability_of_two_classes_is_that_of_the_second() -> None:
    model = two_classes()
    idata = hand_made_draws(model)
    probability = model.predict(idata, NEW)["predictions"]["probability"]
    np.testing.assert_allclose(probability, special.expit(forward(model, idata, NEW)), rtol=1e-11)
    assert probability["output"].values.tolist() == [True]


def test_targets_scatter_around_the_outputs_with_the_noise_of_their_draw() -> None:
    model = regression()
    idata = hand_made_draws(model, draws=40)
    inputs = np.tile(NEW, (100, 1))
    draws = model.predict(idata, inputs, seed=3)["predictions"]
    precision = idata["posterior"]["noise_precision"].values[:, :, None, None]
    z = (draws["y"] - draws["f"]).values * np.sqrt(precision)
    per_draw = (z**2).mean(axis=(2, 3))
    # 80 draws, each a mean of 1400 squares: 5 standard errors are far beyond the largest
    assert (abs(per_draw - 1) / np.sqrt(2 / 1400) < 5).all()
    assert abs(z.mean()) * np.sqrt(z.size) < 4


def test_the_same_seed_gives_the_same_targets() -> None:
    model = regression()
    idata = hand_made_draws(model)
    one, same, other = (model.predict(idata, NEW, seed=s)["predictions"]["y"] for s in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.isclose(one, other).any()


def test_a_generator_goes_on() -> None:
    model = regression()
    idata = hand_made_draws(model)
    rng = np.random.default_rng(1)
    one, next_one = (model.predict(idata, NEW, seed=rng)["predictions"]["y"] for _ in range(2))
    assert not np.isclose(one, next_one).any()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("numbers", [1, 10 * 4, 10 * 4 * 3])
def test_batches_do_not_change_the_result(
    name: str, numbers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = MODELS[name]()
    idata = hand_made_draws(model)
    y = {"numbers": Y[:7], "classes": LABELS[:7], "two classes": LABELS[:7] == "b"}[name]
    whole = model.predict(idata, NEW)
    score = model.log_likelihood(idata, NEW, y)
    monkeypatch.setattr(forward_pass, "BATCH_NUMBERS", numbers)
    posterior = forward_pass.PosteriorDraws(model, idata)
    rows = list(forward_pass.batches(model, posterior, 7))
    assert len(rows) == {1: 7, 40: 7, 120: 3}[numbers]
    assert np.concatenate([np.arange(7)[r] for r in rows]).tolist() == list(range(7))
    cut = model.predict(idata, NEW)
    for group in ("predictions", "summary"):
        for variable in set(whole[group].data_vars) - {"y"}:
            ours, expected = cut[group][variable], whole[group][variable]
            if "variable" in ours.dims:  # but for the simulated targets
                ours, expected = (
                    a.drop_sel(variable="y", errors="ignore") for a in (ours, expected)
                )
            np.testing.assert_allclose(ours, expected, rtol=1e-12)
    np.testing.assert_allclose(model.log_likelihood(idata, NEW, y), score, rtol=1e-12)


def test_only_the_variables_asked_for_are_kept() -> None:
    model = several_classes()
    idata = hand_made_draws(model)
    assert "predictions" not in model.predict(idata, NEW, draws=False)
    for names in (["probability"], ["f", "y"], "f"):
        kept = model.predict(idata, NEW, draws=names)["predictions"].data_vars
        assert set(kept) == ({names} if isinstance(names, str) else set(names))


def test_memory_holds_the_results_asked_for_and_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    model = models.gaussian(X, Y[:, 0], hidden=(20,))
    idata = hand_made_draws(model, chains=2, draws=100)
    inputs = np.zeros((5000, 3))
    batch = 2**16  # numbers, 0.5 MB; all hidden units of all draws and cases are 160 MB
    monkeypatch.setattr(forward_pass, "BATCH_NUMBERS", batch)
    tracemalloc.start()
    try:
        model.predict(idata, inputs, draws=False)
        without_draws = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        model.predict(idata, inputs, draws=["f"])
        with_draws = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    summary = 8 * 5000 * 2 * 5  # mean, sd and three quantiles of two variables
    one_variable = 8 * 200 * 5000
    allowed = 6 * 8 * batch + 2 * summary + 2**20
    assert without_draws < allowed
    assert one_variable < with_draws < one_variable + allowed


@pytest.mark.parametrize("labelled", ["DataFrame", "DataArray"])
def test_columns_may_come_in_any_order(labelled: str) -> None:
    model = regression()
    idata = hand_made_draws(model)
    inputs: Any = pd.DataFrame(NEW, columns=COLUMNS)[["weight", "age", "height"]]
    if labelled == "DataArray":
        inputs = xr.DataArray(
            inputs.to_numpy(), dims=("case", "column"), coords={"column": list(inputs.columns)}
        )
    shuffled, plain = (model.predict(idata, x)["predictions"]["f"] for x in (inputs, NEW))
    np.testing.assert_array_equal(shuffled, plain)
    assert model.log_score(idata, inputs, Y[:7]) == model.log_score(idata, NEW, Y[:7])


def test_prediction_of_a_single_case() -> None:
    model = regression()
    idata = hand_made_draws(model)
    one = model.predict(idata, NEW[:1])["predictions"]["f"]
    np.testing.assert_allclose(one, forward(model, idata, NEW[:1]), rtol=1e-12)


@pytest.mark.parametrize("per_output", [False, True])
def test_log_score_of_numbers(per_output: bool) -> None:
    model = regression(likelihood=models.GaussianNoise(per_output=per_output))
    idata = hand_made_draws(model)
    sd = idata["posterior"]["noise_precision"].values ** -0.5
    sd = sd[:, :, None, :] if per_output else sd[:, :, None, None]
    density = stats.norm.pdf(Y[:7], forward(model, idata, NEW), sd).prod(axis=-1)
    expected = np.log(density.mean(axis=(0, 1))).mean()
    assert model.log_score(idata, NEW, Y[:7]) == pytest.approx(expected, rel=1e-10)


def test_log_score_of_classes() -> None:
    model = several_classes()
    idata = hand_made_draws(model)
    probability = special.softmax(forward(model, idata, NEW), axis=-1)
    codes = np.arange(7) % 3
    expected = np.log(probability[:, :, np.arange(7), codes].mean(axis=(0, 1))).mean()
    assert model.log_score(idata, NEW, LABELS[:7]) == pytest.approx(expected, rel=1e-10)


def test_log_score_of_two_classes() -> None:
    model = two_classes()
    idata = hand_made_draws(model)
    second = special.expit(forward(model, idata, NEW))[..., 0]
    y = LABELS[:7] == "b"
    expected = np.log(np.where(y, second, 1 - second).mean(axis=(0, 1))).mean()
    assert model.log_score(idata, NEW, y) == pytest.approx(expected, rel=1e-10)


def test_log_score_of_an_impossible_case_is_finite() -> None:
    model = regression()
    idata = hand_made_draws(model)
    assert -np.inf < model.log_score(idata, NEW, np.full((7, 2), 1e5)) < -1e9


def test_log_likelihood_is_labelled() -> None:
    model = regression()
    pointwise = model.log_likelihood(hand_made_draws(model), NEW, Y[:7])
    assert pointwise.dims == ("chain", "draw", "obs")
    assert pointwise.shape == (2, 5, 7)
    assert pointwise.name == "y_obs"


def test_log_likelihood_equals_pymcs() -> None:
    model = models.gaussian(X, Y[:, 0], hidden=(4,))
    idata = hand_made_draws(model, draws=3)
    theirs = pm.compute_log_likelihood(
        idata, model=model, extend_inferencedata=False, progressbar=False
    )
    ours = model.log_likelihood(idata, X, Y[:, 0])
    np.testing.assert_allclose(ours, theirs["y_obs"].squeeze("output"), rtol=1e-11)


DRAWS = hand_made_draws(regression())
LACKING = xr.DataTree.from_dict({"posterior": DRAWS["posterior"].dataset.drop_vars(["b1", "w2"])})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((DRAWS, NEW[:, :2]), "X has 2 columns, the model has 3 inputs."),
        ((DRAWS, NEW[0]), "X must be a matrix of shape (cases, inputs), got shape (3,)"),
        ((DRAWS, NEW * np.nan), "X has 21 missing or infinite value(s); drop or fill them."),
        (
            (DRAWS, pd.DataFrame(NEW, columns=["age", "size", "mass"])),
            "X lacks the column(s) 'height', 'weight' that the model has.",
        ),
        ((xr.DataTree(), NEW), "idata has no group 'posterior'; sample the model first."),
        ((LACKING, NEW), "idata's posterior lacks b1, w2."),
        (
            (hand_made_draws(regression(hidden=(5, 3))), NEW),
            "idata's w0 has shape (3, 5), the model's (3, 4); these are draws of another network.",
        ),
    ],
)
def test_bad_arguments_are_refused_in_one_line(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        regression().predict(*arguments)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("names", [["f", "z"], "probability"])
def test_unknown_variables_are_refused(names: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(f"draws={names!r}: the variables are f, y.")):
        regression().predict(DRAWS, NEW, draws=names)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (Y[:6], "X has 7 cases and y has 6; they must match."),
        (Y[:7, :1], "y has 1 column(s), the model has 2 output(s)."),
        (np.ones((7, 3)), "y has 3 column(s), the model has 2 output(s)."),
        (
            pd.DataFrame(Y[:7], columns=["right", "left"]),
            "y has the model's columns in another order; put them in the order 'left', 'right'.",
        ),
        (Y[:7] * np.inf, "y has 14 missing or infinite value(s); drop or fill them."),
    ],
)
def test_targets_that_do_not_fit_are_not_scored(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        regression().log_score(DRAWS, NEW, y)


def test_a_class_that_was_not_trained_on_is_not_scored() -> None:
    model = several_classes()
    with pytest.raises(ValueError, match=r"y has the class\(es\) 'd' that the model was not"):
        model.log_score(hand_made_draws(model), NEW, ["a"] * 6 + ["d"])


def described(model: models.BNN) -> xr.DataTree:
    idata = hand_made_draws(model)
    idata.attrs["pymc_bnn_model"] = json.dumps(model.to_dict())
    return idata


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        (lambda: regression(activation="relu"), "of activation 'tanh', the model has 'relu'"),
        (lambda: regression(likelihood="student_t_noise"), "of likelihood "),
        (
            lambda: models.BNN(pd.DataFrame(X, columns=COLUMNS[::-1]), Y, hidden=(4, 3)),
            "of inputs ",
        ),
        (
            lambda: models.BNN(
                pd.DataFrame(X, columns=COLUMNS),
                pd.DataFrame(Y, columns=["right", "left"]),
                hidden=(4, 3),
            ),
            "of outputs ",
        ),
        (lambda: regression(biases=False), "of biases True"),
    ],
)
def test_draws_of_another_network_of_the_same_shape_are_refused(
    other: Callable[[], models.BNN], differs: str
) -> None:
    with pytest.raises(ValueError, match=f"idata holds draws of another network: {differs}"):
        other().predict(described(regression()), NEW)


def test_another_prior_and_other_names_of_none_make_no_other_network() -> None:
    idata = described(regression())
    expected = regression().predict(idata, NEW)["predictions"]["f"]
    for other in (regression(prior=models.ARD()), models.BNN(X, Y, hidden=(4, 3))):
        np.testing.assert_array_equal(other.predict(idata, NEW)["predictions"]["f"], expected)


def test_the_order_of_dimensions_does_not_matter() -> None:
    model = regression()
    idata = hand_made_draws(model)
    expected = model.predict(idata, NEW, seed=1)["predictions"]["f"]
    turned = xr.DataTree.from_dict(
        {"posterior": idata["posterior"].dataset.transpose("draw", "chain", ...)}
    )
    xr.testing.assert_equal(model.predict(turned, NEW, seed=1)["predictions"]["f"], expected)
    one = xr.DataTree.from_dict({"posterior": idata["posterior"].dataset.isel(chain=0)})
    with pytest.raises(ValueError, match=r"no dimension 'chain'; select draws by isel"):
        model.predict(one, NEW)


def test_elements_are_those_of_the_model_in_whatever_order_draws_have_them() -> None:
    model = regression()
    draws = hand_made_draws(model)["posterior"].dataset

    def outputs(dataset: xr.Dataset) -> xr.DataArray:
        idata = xr.DataTree.from_dict({"posterior": dataset})
        return model.predict(idata, NEW, seed=1)["predictions"]["f"]

    expected = outputs(draws)
    for dim in ("input", "hidden_0", "hidden_1", "output"):
        xr.testing.assert_equal(outputs(draws.isel({dim: slice(None, None, -1)})), expected)
    xr.testing.assert_equal(outputs(draws.transpose("draw", ..., "chain")), expected)
    unnamed = draws.assign_coords(input=[0, 1, 2])
    xr.testing.assert_equal(outputs(unnamed), expected)
    for other in (draws.isel(input=[0, 0, 1]), draws.assign_coords(input=["age", "x", "z"])):
        with pytest.raises(ValueError, match=r"idata's w0 has input .*give the draws as they were"):
            outputs(other)
    with pytest.raises(ValueError, match="idata's posterior has no draws; keep one at least"):
        outputs(draws.isel(draw=slice(0)))


def test_square_weights_under_other_names_may_be_turned_and_are_refused() -> None:
    model = models.BNN(X, Y, hidden=(3,))
    draws = hand_made_draws(model)["posterior"].dataset
    own = {"input": "in", "hidden_0": "unit"}
    arviz = draws.assign(w0=draws["w0"].rename(input="w0_dim_0", hidden_0="w0_dim_1"))
    expected = model.predict(xr.DataTree.from_dict({"posterior": draws}), NEW, seed=1)
    found = model.predict(xr.DataTree.from_dict({"posterior": arviz}), NEW, seed=1)
    xr.testing.assert_equal(found["predictions"]["f"], expected["predictions"]["f"])
    for renamed in (draws.rename(own), draws.rename(own).transpose(..., "unit", "in")):
        with pytest.raises(ValueError, match=r"idata's w0 has dimensions .*the model's names"):
            model.predict(xr.DataTree.from_dict({"posterior": renamed}), NEW)


def test_the_mean_of_targets_is_named_where_it_is_known() -> None:
    class Own(models.GaussianNoise):
        def simulate(self, f: np.ndarray, draws: Any, rng: np.random.Generator) -> np.ndarray:
            return f + 1.0

    names = [mean_name(models.BNN(X, Y, likelihood=own)) for own in ("student_t_noise", Own())]
    assert names == ["f", "y"]


def test_quantiles_of_counts_may_be_infinite() -> None:
    model = models.gaussian(X[:, :1], np.arange(9), hidden=(), likelihood="poisson")
    idata = hand_made_draws(model, draws=3)
    idata["posterior"]["w0"].values[0, :, 0] = [[0.0], [0.01], [3.0]]
    idata["posterior"]["w0"].values[1, :, 0] = [[3.0], [4.0], [5.0]]
    idata["posterior"]["b0"].values[...] = 0.0
    levels = (0.0, 0.2, 0.3, 0.5, 0.9)
    summary = model.predict(idata, [[1000.0]], quantiles=levels, seed=1)["summary"]
    for name in ("rate", "y"):
        found = summary["quantiles"].sel(variable=name).values.ravel()
        assert np.isfinite(found[:2]).all()
        assert np.isposinf(found[2:]).all()
        assert np.isposinf(summary["mean"].sel(variable=name).item())

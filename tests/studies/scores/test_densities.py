"""Criteria in pieces of cases are those in one go, and take the memory of a piece."""

import tracemalloc
from collections.abc import Callable

import arviz as az
import numpy as np
import pandas as pd
import pytensor
import pytest
import xarray as xr
from pymc_bnn import models
from pymc_bnn.models import forward_pass
from pymc_bnn.models.description import attach
from pymc_bnn.studies import compare, score_cases, waic
from pymc_bnn.studies.comparison.comparison import ModelResult
from pymc_bnn.studies.reports.prediction_plots import MOST_CLASSES, plot_predictive
from pymc_bnn.studies.scores import densities, refitting
from pymc_bnn.studies.scores.densities import TrainingDensities, as_tree
from pymc_bnn.studies.scores.information_criterion import waic_in_pieces
from pymc_bnn.studies.scores.refitting import leave_one_out
from pymc_bnn.studies.scores.smoothing import quietly, relative_efficiency

CASES = 60
INTERPRETED = {"cxx": "", "mode": "FAST_COMPILE"}  # compiling takes longer than all else here


def network(cases: int = CASES, outputs: int = 1) -> models.BNN:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(cases, 2))
    y = np.sin(X[:, :1]) + rng.normal(scale=0.2, size=(cases, outputs))
    y[0] += 2.0  # at which importance sampling is put to the test
    return models.gaussian(X, pd.DataFrame(y), hidden=(3,))


def draws(model: models.BNN, chains: int = 2, number: int = 100, seed: int = 4) -> xr.DataTree:
    """Draws around one network, with some autocorrelation."""
    rng = np.random.default_rng(seed)
    posterior = {}
    for name, group in model.groups.items():
        steps = rng.normal(scale=0.05, size=(chains, number, *group.shape))
        dims = ("chain", "draw", *(f"{name}_{i}" for i in range(len(group.shape))))
        posterior[name] = dims, 0.3 + 0.3 * np.cumsum(steps, axis=1)
    precision = np.exp(rng.normal(2.0, 0.2, size=(chains, number)))
    posterior["noise_precision"] = ("chain", "draw"), precision
    tree = {
        "posterior": xr.Dataset(posterior),
        "constant_data": xr.Dataset({"X": (("obs", "input"), model["X"].get_value())}),
        "observed_data": xr.Dataset({"y_obs": (("obs", "output"), model["y"].get_value())}),
    }
    return attach(xr.DataTree.from_dict(tree), model.to_dict())


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Set how many cases a piece has."""

    def set_cases(cases: int) -> None:
        monkeypatch.setattr(densities, "PIECE_NUMBERS", 200 * cases)

    return set_cases


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("cases", [7, CASES])
def test_criteria_in_pieces_are_those_in_one_go(
    cases: int, kept: bool, pieces: Callable[[int], None]
) -> None:
    model = network()
    idata = draws(model)
    whole = as_tree(model.log_likelihood(idata, *model.training_data()))
    if kept:
        idata["log_likelihood"] = whole["log_likelihood"]
    pieces(cases)
    together = TrainingDensities(model, idata)
    assert next(piece.sizes["obs"] for piece in together) == cases
    ours = leave_one_out(model, idata)
    theirs = quietly(az.loo, whole, pointwise=True, reff=relative_efficiency(together))
    for name in ("elpd", "se", "p", "good_k", "elpd_i", "pareto_k"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-12, atol=1e-12, err_msg=name)
    for name in ("n_samples", "n_data_points", "warning", "scale"):
        assert ours[name] == theirs[name]
    xr.testing.assert_allclose(ours.elpd_i.reset_coords(drop=True), theirs.elpd_i, rtol=1e-12)
    by_pieces = quietly(waic_in_pieces, together)
    in_one_go = quietly(waic, whole)
    for name in ("elpd", "se", "p", "elpd_i"):
        np.testing.assert_allclose(
            by_pieces[name], in_one_go[name], rtol=1e-12, atol=1e-12, err_msg=name
        )


def test_the_efficiency_is_the_mean_over_all_cases(pieces: Callable[[int], None]) -> None:
    model = network()
    idata = draws(model)
    likelihood = np.exp(model.log_likelihood(idata, *model.training_data()))
    tree = xr.DataTree.from_dict({"posterior": likelihood.to_dataset(name="y_obs")})
    expected = float(az.ess(tree, method="mean")["y_obs"].mean()) / 200
    pieces(7)
    assert relative_efficiency(TrainingDensities(model, idata)) == pytest.approx(expected)


def test_moment_matching_is_the_same_in_pieces(pieces: Callable[[int], None]) -> None:
    model = network(20)  # each case that fails is matched by itself
    idata = draws(model)
    assert (leave_one_out(model, idata).pareto_k > 0.5).any()
    with pytensor.config.change_flags(**INTERPRETED):
        whole = leave_one_out(model, idata, moment_match=True)
        pieces(7)
        cut = leave_one_out(model, idata, moment_match=True)
    for name in ("elpd", "se", "p", "elpd_i", "pareto_k"):
        np.testing.assert_allclose(cut[name], whole[name], rtol=1e-10, err_msg=name)


@pytest.mark.parametrize("given", ["more", "fewer", "other"])
def test_densities_of_other_cases_are_refused(given: str) -> None:
    model = network()
    idata = draws(model)
    X, y = model.training_data()
    cases = {"more": np.r_[0:CASES, 0], "fewer": np.r_[1:CASES], "other": np.r_[1:CASES, 0]}[given]
    values = model.log_likelihood(idata, X.iloc[cases], np.asarray(y)[cases])
    idata["log_likelihood"] = xr.DataTree(values.to_dataset(name="y_obs"))
    count = {"more": 61, "fewer": 59}.get(given)
    said = r"(59|60) of 60 differ"
    if count:
        said = f"has {count} cases and the model was trained on 60"
    with pytest.raises(ValueError, match=f"^idata's group log_likelihood .*{said}"):
        leave_one_out(model, idata)


@pytest.mark.parametrize("given", ["other targets", "another last draw"])
def test_densities_of_few_other_targets_are_computed_anew(given: str) -> None:
    model = network()
    idata = draws(model)
    right = leave_one_out(model, idata)
    X, y = model.training_data()
    other = np.array(y)
    other[:5] += 0.3
    values = model.log_likelihood(idata, X, other)
    if given == "another last draw":
        last = values[1, -1].copy()
        values = model.log_likelihood(idata)
        values[1, -1] = last
    idata["log_likelihood"] = xr.DataTree(values.to_dataset(name="y_obs"))
    np.testing.assert_allclose(leave_one_out(model, idata).elpd_i, right.elpd_i, rtol=1e-12)


@pytest.mark.parametrize("given", ["draws left out since", "no number"])
def test_densities_that_are_not_of_the_draws_are_computed_anew(given: str) -> None:
    model = network()
    idata = draws(model)
    values = model.log_likelihood(idata)
    if given == "no number":
        values[1, 3, 2] = np.nan
    else:
        last = idata["posterior"].sizes["draw"] - 1
        fewer = idata["posterior"].dataset.isel(draw=[*range(0, last, 2), last])
        idata["posterior"] = xr.DataTree(fewer)
    expected = model.log_likelihood(idata)
    idata["log_likelihood"] = xr.DataTree(values.to_dataset(name="y_obs"))
    found = TrainingDensities(model, idata).of(np.arange(CASES))
    np.testing.assert_allclose(found, expected)


def test_densities_of_the_training_cases_are_kept() -> None:
    model = network()
    idata = draws(model)
    rounded = model.log_likelihood(idata) * (1 + 1e-9)
    idata["log_likelihood"] = xr.DataTree(rounded.to_dataset(name="y_obs"))
    kept = TrainingDensities(model, idata).of(np.arange(CASES))
    np.testing.assert_array_equal(kept, rounded)


def test_a_case_is_one_row_whoever_computed_its_density() -> None:
    model = network(outputs=2)
    idata = draws(model)
    ours = leave_one_out(model, idata)
    apart = np.stack([model.log_likelihood(idata, *model.training_data())] * 2, axis=-1) / 2
    dims = ("chain", "draw", "obs", "output")
    idata["log_likelihood"] = xr.DataTree(xr.Dataset({"y_obs": (dims, apart)}))
    np.testing.assert_allclose(leave_one_out(model, idata).elpd_i, ours.elpd_i, rtol=1e-12)


def test_no_array_holds_the_densities_of_all_cases(
    pieces: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = network()
    idata = draws(model)
    cases, weighed = [], az.loo

    def spy(tree: xr.DataTree, **options: object) -> object:
        cases.append(tree["log_likelihood"].sizes["obs"])
        return weighed(tree, **options)

    monkeypatch.setattr(refitting.az, "loo", spy)
    monkeypatch.setattr(forward_pass, "BATCH_NUMBERS", 200 * 3 * 7)
    pieces(7)
    assert leave_one_out(model, idata).log_weights is None
    assert cases == [7] * 8 + [4]
    monkeypatch.setattr(models.BNN, "log_likelihood", None)
    score_cases(model, idata, *model.training_data())


def test_many_classes_are_counted_one_draw_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    classes, cases = 10_000, 20_000
    codes = np.concatenate([np.full(cases // 4, 7), np.arange(cases - cases // 4) % classes])
    simulated = np.random.default_rng(1).integers(0, classes, (1, 50, cases))
    monkeypatch.setattr(
        "pymc_bnn.studies.reports.prediction_plots._training_predictions",
        lambda result: (xr.DataArray(simulated), xr.DataArray(codes)),
    )

    class Model:
        classes = tuple(range(10_000))

    result = ModelResult("many", Model(), None, None, None, None)  # type: ignore[arg-type]
    tracemalloc.start()
    figure = plot_predictive(result, None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6  # one boolean for each draw, case and class would be 10 GB
    axes = figure.axes[0]
    assert axes.get_xlabel() == f"the {MOST_CLASSES} most frequent of 10000 classes"
    heights = {
        label.get_text(): bar.get_height()
        for label, bar in zip(axes.get_xticklabels(), axes.patches, strict=True)
    }
    assert len(heights) == MOST_CLASSES
    assert max(heights, key=heights.__getitem__) == "7"
    assert heights["7"] == 5002


def test_draws_at_another_temperature_are_refused() -> None:
    model = network()
    idata = draws(model)
    idata.attrs["temperature"] = "20 C"  # a user's own note
    assert len(TrainingDensities(model, idata).X) == CASES
    idata.attrs["temperature"] = 0.05
    for judge in (leave_one_out, lambda model, idata: compare({"cold": idata})):
        with pytest.raises(ValueError, match=r"draws at temperature 0\.05 and not from"):
            judge(model, idata)

"""Predictions from a saved fit, in the unit of the user's table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn import models
from pymc_bnn.studies import InputError, load_fit, predict_table, prepare

from ..conftest import TINY, Run, call, flowers, houses


@pytest.fixture(scope="module")
def houses_fit(houses_run: Run) -> Path:
    return houses_run.out / "fits" / "gaussian.zarr"


def test_predictions_are_those_of_the_model(houses_fit: Path) -> None:
    idata = load_fit(houses_fit)
    prepared = prepare(houses(), "price", seed=0)
    model = models.load(idata)
    prediction = model.predict(idata, prepared.X_test, draws=False, seed=7)["summary"]
    y = prediction.dataset.sel(variable="y").isel(output=0)
    encoding = prepared.encoding
    found = predict_table(houses_fit, houses().loc[prepared.X_test.index], seed=7)
    np.testing.assert_allclose(found["mean"], y["mean"] * encoding.sd + encoding.mean)
    np.testing.assert_allclose(found["sd"], y["sd"] * encoding.sd)
    q95 = y["quantiles"].sel(quantile=0.95)
    np.testing.assert_allclose(found["q95"], q95 * encoding.sd + encoding.mean)


def test_a_target_in_another_unit_gives_predictions_in_that_unit(
    houses_fit: Path, tmp_path: Path
) -> None:
    # a power of two scales without rounding, so that the chains are the same to the last bit
    houses().assign(price=1024 * houses()["price"]).to_csv(tmp_path / "t.csv", index=False)
    options = ["--target", "price", "--variants", "gaussian", *TINY]
    run = call("compare", tmp_path / "t.csv", *options, out=tmp_path / "report")
    assert run.code == 0
    scaled = predict_table(tmp_path / "report" / "fits" / "gaussian.zarr", houses())
    pd.testing.assert_frame_equal(scaled, 1024 * predict_table(houses_fit, houses()), rtol=1e-9)


def test_rows_are_predicted_in_their_order(houses_fit: Path) -> None:
    frame = houses()
    backwards = predict_table(houses_fit, frame.iloc[::-1])
    np.testing.assert_allclose(
        # means of 40 simulated targets: the same up to their noise
        backwards["mean"][::-1],
        predict_table(houses_fit, frame)["mean"],
        atol=20_000,
    )
    assert np.corrcoef(backwards["mean"][::-1], frame["price"])[0, 1] > 0.9


def test_the_same_seed_gives_the_same_predictions(houses_fit: Path) -> None:
    one, two, other = (predict_table(houses_fit, houses(), seed=s) for s in (1, 1, 2))
    pd.testing.assert_frame_equal(one, two)
    assert not np.allclose(one["mean"], other["mean"])


def test_classes_keep_their_labels(flowers_run: Run) -> None:
    found = predict_table(flowers_run.out / "fits" / "ard.zarr", flowers())
    assert set(found["predicted"]) == {1, 2, 5}
    assert (found["predicted"] == flowers()["grade"]).mean() > 0.9
    best = found.drop(columns="predicted").idxmax(axis=1).str.removeprefix("probability_")
    assert (best.astype(int) == found["predicted"]).all()


def test_two_classes_have_two_probabilities(tmp_path: Path) -> None:
    frame = flowers().replace({"grade": {1: "no", 2: "yes", 5: "no"}})
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = ["--target", "grade", "--variants", "gaussian", *TINY]
    run = call("compare", tmp_path / "t.csv", *options, out=tmp_path / "report")
    assert run.code == 0
    found = predict_table(tmp_path / "report" / "fits" / "gaussian.zarr", frame)
    assert list(found) == ["predicted", "probability_no", "probability_yes"]
    np.testing.assert_allclose(found["probability_no"] + found["probability_yes"], 1.0)
    # the second class lies above the others
    assert found.loc[frame["petal/width"] > 2.5, "probability_yes"].mean() > 0.6
    assert found.loc[frame["petal/width"] < -5, "probability_no"].mean() > 0.6


def test_an_interval_has_the_probability_that_is_asked_for(houses_fit: Path) -> None:
    usual, found = predict_table(houses_fit, houses()), predict_table(houses_fit, houses(), 0, 0.9)
    assert list(found) == ["mean", "sd", "lower", "median", "upper"]
    for quantile, name in {"q5": "lower", "q50": "median", "q95": "upper"}.items():
        np.testing.assert_allclose(found[name], usual[quantile])
    narrow = predict_table(houses_fit, houses(), interval=0.5)
    assert (narrow["upper"] - narrow["lower"] < found["upper"] - found["lower"]).all()


@pytest.mark.parametrize("interval", [0.0, 1.0, 90.0])
def test_an_interval_without_a_probability_is_refused(houses_fit: Path, interval: float) -> None:
    with pytest.raises(InputError, match=r"--interval .*: give a probability between 0 and 1"):
        predict_table(houses_fit, houses(), interval=interval)

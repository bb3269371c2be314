"""Predictions from a saved fit, in the unit of the user's table."""

import contextlib
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn import models
from pymc_bnn.samplers.diagnosis.diagnose import Diagnosis
from pymc_bnn.samplers.diagnosis.findings import Finding
from pymc_bnn.studies import InputError, load_fit, predict_table, prepare
from pymc_bnn.studies.chains import stability
from pymc_bnn.studies.chains.chain_stacking import ChainWeights
from pymc_bnn.studies.chains.convergence import Convergence
from pymc_bnn.studies.chains.stability import Stability
from pymc_bnn.studies.cli import main
from pymc_bnn.studies.tables import predicting

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
    mean = prediction.dataset["mean"].sel(variable="f").isel(output=0)
    encoding = prepared.encoding
    found = predict_table(houses_fit, houses().loc[prepared.X_test.index], seed=7)
    np.testing.assert_allclose(found["mean"], mean * encoding.sd + encoding.mean)
    np.testing.assert_allclose(found["sd"], y["sd"] * encoding.sd)
    q95 = y["quantiles"].sel(quantile=0.95)
    np.testing.assert_allclose(found["q95"], q95 * encoding.sd + encoding.mean)


@pytest.mark.usefixtures("without_plots")
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
    found = predict_table(houses_fit, frame)["mean"]
    backwards = predict_table(houses_fit, frame.iloc[::-1])["mean"]
    # the mean of the noise is known, and no draws of it stand in its place
    np.testing.assert_allclose(backwards[::-1], found)
    assert np.corrcoef(found, frame["price"])[0, 1] > 0.9


def test_predictions_have_the_index_of_the_table(houses_fit: Path) -> None:
    shuffled = houses().sample(frac=1.0, random_state=3)
    found = predict_table(houses_fit, shuffled)
    assert list(found.index) == list(shuffled.index)
    assert np.corrcoef(shuffled.assign(found=found["mean"])[["found", "price"]].T)[0, 1] > 0.9


@pytest.mark.parametrize("interval", [None, 0.7])
def test_deviations_that_rest_on_few_draws_are_told(
    houses_fit: Path, interval: float | None
) -> None:
    idata = load_fit(houses_fit)
    assert predict_table(idata, houses(), interval=interval).attrs["tails"] == ""
    if interval is not None:
        told = predict_table(idata, houses(), interval=0.8).attrs["tails"]
        assert told.startswith("an interval of 0.8 has 4 of 40 draws beyond each end")
    idata["posterior"]["noise_precision"].values[0, 0] = 1e-8
    found = predict_table(idata, houses(), interval=interval)
    share = "90%" if interval is None else "70%"
    rows = f"at {len(houses())} of {len(houses())} predictions"
    assert found.attrs["tails"].startswith(f"sd rests on few draws {rows}, where it is more than 2")
    assert found.attrs["tails"].endswith(f"{share} interval says.")


def test_draws_that_chain_weights_leave_out_end_no_interval(
    houses_fit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    idata = load_fit(houses_fit)
    chains = idata["posterior"].sizes["chain"]
    weights = ChainWeights((1.0, *[0.0] * (chains - 1)), 50.0, 1.0, 120)
    monkeypatch.setattr(predicting, "weights_where_apart", lambda *given: weights)
    told = predict_table(idata, houses(), interval=0.7).attrs["tails"]
    used = idata["posterior"].sizes["draw"]
    assert told.startswith(f"an interval of 0.7 has 3 of {used} draws beyond each end")


@pytest.mark.parametrize(
    ("grade", "said"),
    [
        ("converged", ""),
        ("nearly", "The draws are less exact than they should be (tail ESS)."),
        ("predictions stable", "Chains disagree or mix slowly, but halves of them predict the"),
        ("not yet", "The draws cannot be used yet. Too few. Run longer."),
    ],
)
def test_what_is_wrong_with_the_draws_is_told(
    houses_fit: Path, monkeypatch: pytest.MonkeyPatch, grade: str, said: str
) -> None:
    severity = {"converged": "note", "nearly": "warning"}.get(grade, "error")
    finding = Finding("tail ESS", severity, 9.0, 400.0, "f", "Too few.", "Run longer.")
    stable = Stability(float(grade == "predictions stable"), 0.0, 48)
    monkeypatch.setattr(stability, "check_stability", lambda *arguments: stable)
    monkeypatch.setattr(
        predicting,
        "check_convergence",
        lambda model, idata: Convergence(
            Diagnosis((finding,), pd.DataFrame(), 2, 20), pd.DataFrame(), 0
        ),
    )
    monkeypatch.setattr(predicting, "weights_where_apart", lambda *arguments: None)
    found = predict_table(houses_fit, houses()).attrs["draws"]
    assert found.startswith(said)
    assert bool(found) == bool(said)


def test_the_command_says_that_draws_cannot_be_used(houses_fit: Path, tmp_path: Path) -> None:
    houses().to_csv(tmp_path / "new.csv", index=False)
    said = io.StringIO()
    with contextlib.redirect_stderr(said), pytest.raises(SystemExit):
        main(["predict", str(houses_fit), str(tmp_path / "new.csv"), "--out", str(tmp_path / "p")])
    assert "The draws cannot be used yet." in said.getvalue()


@pytest.mark.usefixtures("without_plots")
def test_deviations_of_rare_counts_are_sound(tmp_path: Path) -> None:
    """Both ends of an interval are zero, and a deviation is still not."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"load": rng.normal(size=100), "defects": rng.poisson(0.05, 100)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = ["--target", "defects", "--likelihood", "poisson", "--variants", "gaussian", *TINY]
    run = call("compare", tmp_path / "t.csv", *options, out=tmp_path / "report")
    assert run.code == 0
    found = predict_table(tmp_path / "report" / "fits" / "gaussian.zarr", frame)
    assert (found["sd"] > 2 * (found["q95"] - found["q5"])).mean() > 0.2
    assert found.attrs["tails"] == ""


@pytest.mark.parametrize("table", [{"size": [1.0]}, np.zeros((1, 2))])
def test_what_is_no_table_is_named(houses_fit: Path, table: object) -> None:
    with pytest.raises(InputError, match=r"table is a .*; give a DataFrame or a file's path"):
        predict_table(houses_fit, table)


def test_the_same_seed_gives_the_same_predictions(houses_fit: Path) -> None:
    one, two, other = (predict_table(houses_fit, houses(), seed=s) for s in (1, 1, 2))
    pd.testing.assert_frame_equal(one, two)
    assert not np.allclose(one["q95"], other["q95"])


def test_classes_keep_their_labels(flowers_run: Run) -> None:
    found = predict_table(flowers_run.out / "fits" / "ard.zarr", flowers())
    assert set(found["predicted"]) == {1, 2, 5}
    assert (found["predicted"] == flowers()["grade"]).mean() > 0.9
    best = found.drop(columns="predicted").idxmax(axis=1).str.removeprefix("probability_")
    assert (best.astype(int) == found["predicted"]).all()


@pytest.mark.usefixtures("without_plots")
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

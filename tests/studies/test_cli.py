"""The command line: from a table to files, and one line for what cannot be used."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies import load_fit, prepare
from pymc_bnn.studies.cli import main
from pymc_bnn.studies.errors import InputError
from pymc_bnn.studies.fits import fitting
from pymc_bnn.studies.fits.fit_store import save_fit
from pymc_bnn.studies.fits.resuming import saved_fits
from pymc_bnn.studies.fits.settings import Settings
from pymc_bnn.studies.reports import running_report

from .conftest import TINY, Run, call, flowers, houses


def test_compare_writes_report_table_and_fits(houses_run: Run) -> None:
    assert houses_run.code == 0
    table = pd.read_csv(houses_run.out / "comparison.csv", index_col="model")
    assert set(table.index) == {"gaussian", "ard"}
    fits = houses_run.out / "fits"
    assert sorted(p.name for p in fits.iterdir()) == ["ard.zarr", "gaussian.zarr"]
    for path in fits.iterdir():
        assert dict(load_fit(path)["posterior"].sizes)["draw"] == 20
    assert (houses_run.out / "report.html").stat().st_size > 50_000


def test_compare_says_what_it_does(houses_run: Run) -> None:
    lines = houses_run.said.splitlines()
    assert lines[0] == "Guessed the task from 'price': regression (change it with --task)."
    assert lines[1] == (
        "houses: regression of price from 2 columns (4 inputs); 36 training and 12 test cases."
    )
    assert "gaussian: compiling" in lines
    assert any(line.startswith("gaussian: 5% of 2 chains, acceptance ") for line in lines)
    assert any(line.startswith("ard: done after 0:") for line in lines)
    written = f"Wrote {houses_run.out / 'report.html'}, {houses_run.out / 'comparison.csv'}"
    assert lines[-1].startswith(written)
    assert "arning" not in houses_run.said


def test_scores_are_in_the_unit_of_the_table(houses_run: Run) -> None:
    table = pd.read_csv(houses_run.out / "comparison.csv", index_col="model")
    spread = houses()["price"].std()
    # standardised scores would lie below 1
    assert table["rmse"].between(0.02 * spread, spread).all()
    assert table["crps"].between(0.01 * spread, spread).all()
    assert (table["log_score"] < -5).all()


def test_held_out_rows_are_written_with_what_was_predicted(houses_run: Run) -> None:
    table = pd.read_csv(houses_run.out / "comparison.csv", index_col="model")
    found = pd.read_csv(houses_run.out / "predictions.csv")
    assert list(found) == ["model", "row", "target", "mean", "lower", "upper", "log_score"]
    np.testing.assert_allclose(found["target"], houses()["price"].loc[found["row"]])
    for name, rows in found.groupby("model"):
        rmse = np.sqrt(((rows["mean"] - rows["target"]) ** 2).mean())
        np.testing.assert_allclose(rmse, table.loc[name, "rmse"])
        np.testing.assert_allclose(rows["log_score"].mean(), table.loc[name, "log_score"])
    assert (found["lower"] < found["mean"]).all()


def test_held_out_classes_are_written_with_their_probability(flowers_run: Run) -> None:
    row = pd.read_csv(flowers_run.out / "comparison.csv", index_col="model").loc["ard"]
    found = pd.read_csv(flowers_run.out / "predictions.csv")
    assert list(found)[2:] == ["target", "predicted", "probability", "log_score"]
    assert found["target"].tolist() == flowers()["grade"].loc[found["row"]].tolist()
    wrong = found["predicted"] != found["target"]
    np.testing.assert_allclose(wrong.mean(), row["error_rate"])
    np.testing.assert_allclose(np.log(found["probability"]).mean(), row["log_score"])


def test_a_fit_says_how_it_was_made(houses_run: Run) -> None:
    attributes = load_fit(houses_run.out / "fits" / "ard.zarr").attrs
    # 2 chains of 40 draws, each of the most trajectories of 300 steps, as the network is tiny;
    # some in warm-up diverge before their last step
    most = 2 * 40 * 20 * 300
    assert 0.9 * most < attributes["gradient_evaluations"] <= most
    assert '"draws": 20' in attributes["settings"]
    assert '"pymc-bnn"' in attributes["versions"]


def test_classification_is_guessed_said_and_scored(flowers_run: Run) -> None:
    assert flowers_run.code == 0
    assert "Guessed the task from 'grade': classification (change it" in flowers_run.said
    row = pd.read_csv(flowers_run.out / "comparison.csv", index_col="model").loc["ard"]
    assert row["error_rate"] < 0.2
    assert "rmse" not in row


@pytest.mark.usefixtures("without_plots")
def test_the_task_can_be_overruled_and_rows_dropped(tmp_path: Path) -> None:
    frame = flowers()
    frame.loc[[0, 7], "noise"] = np.nan
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = ["--target", "grade", "--task", "regression", "--variants", "gaussian"]
    run = call(
        *("compare", tmp_path / "t.csv", *options, "--drop-missing", *TINY), out=tmp_path / "report"
    )
    assert run.code == 0
    assert run.said.startswith("Dropped 2 of 60 rows with missing values.\n")
    assert "regression of grade" in run.said
    assert "Guessed" not in run.said
    assert "rmse" in pd.read_csv(tmp_path / "report" / "comparison.csv")


def predict_anew(fit: Path, table: Path, out: Path) -> pd.DataFrame:
    """Predict in a process that has not fitted anything."""
    script = "from pymc_bnn.studies.cli import main; main()"
    command = [sys.executable, "-c", script, "predict", fit, table, "--out", out]
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, env=os.environ, check=False
    )
    assert done.returncode == 0, done.stderr
    caution, *_, written = done.stderr.splitlines()
    assert caution.startswith("The draws cannot be used yet. ")  # they are few
    assert written == f"Wrote {len(pd.read_csv(out))} predictions to {out}."
    return pd.read_csv(out)


def test_a_new_process_predicts_in_the_unit_of_the_table(houses_run: Run, tmp_path: Path) -> None:
    new = pd.DataFrame({"colour": "red", "kind": ["flat", "house"], "size": [100.0, 100.0]})
    new.to_csv(tmp_path / "new.csv", index=False)
    found = predict_anew(
        houses_run.out / "fits" / "ard.zarr", tmp_path / "new.csv", tmp_path / "sub" / "p.csv"
    )
    assert list(found) == ["mean", "sd", "q5", "q50", "q95"]
    # 40 draws of a short run: right within a few standard deviations of its own
    assert (np.abs(found["mean"] - [100_000, 150_000]) < 3 * found["sd"]).all()
    assert found["sd"].between(500, 40_000).all()
    assert (found["q5"] < found["q50"]).all()
    assert (found["q50"] < found["q95"]).all()
    assert found["mean"][1] - found["mean"][0] > 10_000


def test_a_new_process_predicts_classes(flowers_run: Run, tmp_path: Path) -> None:
    new = pd.DataFrame({"petal/width": [-9.0, 0.0, 3.0], "noise": 0.0})
    new.to_parquet(tmp_path / "new.parquet")
    found = predict_anew(
        flowers_run.out / "fits" / "ard.zarr", tmp_path / "new.parquet", tmp_path / "p.csv"
    )
    columns = ["probability_1", "probability_2", "probability_5"]
    assert list(found) == ["predicted", *columns]
    assert found["predicted"].tolist() == [5, 1, 2]
    np.testing.assert_allclose(found[columns].sum(axis=1), 1.0)
    assert (found[columns].max(axis=1) > 0.5).all()


def broken(**changes: object) -> pd.DataFrame:
    return houses().assign(**changes)


def holed() -> pd.DataFrame:
    frame = houses()
    frame.loc[[1, 2], "size"] = np.nan
    frame.loc[3, "price"] = np.nan
    return frame


TARGET = ["--target", "price"]


@pytest.mark.parametrize(
    ("frame", "options", "said"),
    [
        (holed(), TARGET, "missing values in size (2), price (1); fill them"),
        (broken(size=np.inf), TARGET, "infinite values in size (48)"),
        (broken(size=1.0), TARGET, "column(s) 'size' are constant"),
        (houses(4), [*TARGET, "--task", "regression"], "4 rows are too few"),
        (
            broken(kind=["x"] + ["y"] * 47),
            ["--target", "kind"],
            "class(es) 'x' of 'kind' occur once only, and would be absent from training",
        ),
        (houses(), ["--target", "kind", "--task", "regression"], "'kind' is not numeric"),
        (houses(), [], "which column is the target? Name it with --target"),
        (houses(), ["--target", "prize"], "did you mean 'price'?"),
        (houses(), [*TARGET, "--ignore", "kinds"], "did you mean 'kind'?"),
        (houses(), [*TARGET, "--variants", "gausian,ard"], "did you mean 'gaussian'?"),
        (houses(), [*TARGET, "--variants", " , "], "--variants is empty; choose from gaussian"),
        (houses(), [*TARGET, "--activation", "tahn"], "did you mean 'tanh'?"),
        (houses(), [*TARGET, "--task", "classify"], "did you mean 'classification'?"),
        (houses(), [*TARGET, "--hidden", "8,x"], "--hidden '8,x': give whole numbers"),
        (houses(), [*TARGET, "--hidden", "8,-1"], "positive integers"),
        (houses(), [*TARGET, "--test-fraction", "1.5"], "--test-fraction 1.5: give a number"),
        (houses(), [*TARGET, "--target-accept", "1"], "--target-accept 1: give a number"),
        (houses(), [*TARGET, "--minutes", "0"], "--minutes 0.0: give a number above 0, as in 5"),
        (houses(), [*TARGET, "--minutes", "5", "--refit"], "--minutes does not count what --refit"),
        (
            houses(),
            [*TARGET, "--minutes", "0.0001"],
            "s went before the first draw here, and what is left is not enough for a tenth of the",
        ),
        (houses(), [*TARGET, "--period", "size"], "--period 'size': give a column and its period"),
        (houses(), [*TARGET, "--period", "size=year"], "column 'size' holds no dates"),
        (
            houses(),
            [*TARGET, "--draws", "5"],
            "'--draws': Input should be greater",
        ),
        (houses(), [*TARGET, "--draws", "many"], "'--draws': Input should be a valid integer"),
        (houses(), [*TARGET, "--chains", "0"], "'--chains': Input should be greater"),
        (houses(), [*TARGET, "--varients", "ard"], "--variants"),
        (houses(), [*TARGET, "--data", "wine"], "give a table or --data, not both"),
    ],
)
def test_input_that_cannot_be_used_is_one_line_and_leaves_nothing(
    frame: pd.DataFrame, options: list[str], said: str, tmp_path: Path
) -> None:
    frame.to_csv(tmp_path / "t.csv", index=False)
    run = call("compare", tmp_path / "t.csv", *options, out=tmp_path / "report")
    assert_refused(run, said)


def assert_refused(run: Run, said: str) -> None:
    assert run.code == 2
    assert run.said.startswith("error: ")
    assert run.said.count("\n") == 1
    assert said in run.said
    assert not run.out.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compare", "--data", "whine"], "unknown data set 'whine'; did you mean 'wine'?"),
        (["compare", "nowhere.csv", *TARGET], "there is no file 'nowhere.csv'"),
        (["compair"], "compair"),
        (["predict", "nowhere.zarr", "t.csv"], "there is no fit 'nowhere.zarr'"),
        (["predict"], "Missing argument"),
    ],
)
def test_a_name_that_does_not_exist_is_one_line(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    assert_refused(call(*arguments, out=tmp_path / "report"), said)


def test_a_file_that_is_no_table_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"not\nparquet")
    run = call("compare", tmp_path / "t.parquet", *TARGET, out=tmp_path / "report")
    assert_refused(run, "cannot read")


def test_an_output_folder_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    houses().to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "taken").write_text("mine")
    for out in (tmp_path / "taken", tmp_path / "taken" / "below"):
        run = call("compare", tmp_path / "t.csv", *TARGET, *TINY, out=out)
        assert run.code == 2
        assert run.said.splitlines()[-1].startswith("error: ")
        assert "taken" in run.said.splitlines()[-1]
        assert "Traceback" not in run.said
    assert (tmp_path / "taken").read_text() == "mine"


def new_houses(**changes: object) -> pd.DataFrame:
    return houses(3).drop(columns="price").assign(**changes)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (new_houses().drop(columns="size"), "the table lacks the column(s) 'size'"),
        (new_houses(kind="tent"), "'kind' has the unseen value(s) 'tent'"),
        (new_houses(size=[1.0, np.nan, 2.0]), "missing values in size (1); fill them, or drop"),
        (new_houses(size=np.inf), "infinite values in size (3)"),
        (new_houses(size="big"), "column 'size' must be numeric"),
    ],
)
def test_new_rows_that_do_not_fit_are_one_line(
    new: pd.DataFrame, said: str, houses_run: Run, tmp_path: Path
) -> None:
    new.to_csv(tmp_path / "new.csv", index=False)
    fit = houses_run.out / "fits" / "gaussian.zarr"
    run = call("predict", fit, tmp_path / "new.csv", out=tmp_path / "p.csv")
    assert_refused(run, said)
    assert "--drop-missing" not in run.said  # predict has no such option


def test_what_is_no_fit_is_one_line(houses_run: Run, tmp_path: Path) -> None:
    new_houses().to_csv(tmp_path / "new.csv", index=False)
    (tmp_path / "empty").mkdir()
    inside = houses_run.out / "fits" / "gaussian.zarr" / "posterior"
    for fit in (tmp_path / "new.csv", tmp_path / "empty", inside):
        run = call("predict", fit, tmp_path / "new.csv", out=tmp_path / "p.csv")
        assert_refused(run, repr(str(fit)))


def test_predictions_do_not_replace_the_rows_that_are_predicted(
    houses_run: Run, tmp_path: Path
) -> None:
    table = tmp_path / "new.csv"
    new_houses().to_csv(table, index=False)
    before = table.read_bytes()
    run = call("predict", houses_run.out / "fits" / "gaussian.zarr", table, out=table)
    assert run.code == 2
    assert "that is the table with new rows; give another file" in run.said
    assert table.read_bytes() == before
    below = call("predict", houses_run.out / "fits" / "gaussian.zarr", table, out=table / "p.csv")
    assert f"--out {table / 'p.csv'}: {table} is a file" in below.said


def test_predictions_cannot_replace_a_folder(houses_run: Run, tmp_path: Path) -> None:
    new_houses().to_csv(tmp_path / "new.csv", index=False)
    fit = houses_run.out / "fits" / "gaussian.zarr"
    run = call("predict", fit, tmp_path / "new.csv", out=tmp_path)
    assert run.code == 2
    assert run.said.startswith("error: ")
    assert run.said.count("\n") == 1


def saved(source: Run, folder: Path, *names: str) -> Path:
    """Copy fits of a run, as if a killed run had left them."""
    for name in names:
        shutil.copytree(source.out / "fits" / f"{name}.zarr", folder / "fits" / f"{name}.zarr")
    return folder


def never(*arguments: object, **options: object) -> None:
    raise AssertionError("this was to be kept")


@pytest.mark.usefixtures("without_plots")
def test_a_killed_run_leaves_a_report_and_goes_on(
    houses_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    houses().to_csv(tmp_path / "houses.csv", index=False)
    command = ["compare", tmp_path / "houses.csv", *TARGET, "--variants", "gaussian,ard", *TINY]
    out = saved(houses_run, tmp_path / "report", "gaussian")

    def killed(*arguments: object) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr(fitting, "sample_model", killed)
    with pytest.raises(RuntimeError, match="killed"):
        main([*map(str, command), "--out", str(out)])
    page = (out / "report.html").read_text("utf-8")
    assert "Not finished: ard still to come; run the same command again to go on." in page
    assert list(pd.read_csv(out / "comparison.csv")["model"]) == ["gaussian"]

    saved(houses_run, out, "ard")
    monkeypatch.setattr(fitting, "sample_model", never)
    run = call(*command, out=out)
    assert run.code == 0
    assert "gaussian: kept from an earlier run\nard: kept from an earlier run\n" in run.said
    assert "Not finished" not in (out / "report.html").read_text("utf-8")
    first, second = (pd.read_csv(r.out / "comparison.csv") for r in (houses_run, run))
    pd.testing.assert_frame_equal(first, second)

    named = call(*command, "--likelihood", "gaussian", out=out)
    assert named.code == 0, named.said
    assert "gaussian: kept from an earlier run\nard: kept from an earlier run\n" in named.said


@pytest.mark.parametrize(
    ("frame", "options", "said"),
    [
        (houses(), ["--draws", "30"], "(draws: 20 there, 30 now); name another folder"),
        (houses(), ["--seed", "3"], "its cases or their split differ; seed: 0 there, 3 now"),
        (houses(), ["--target-accept", "0.9"], "target_accept: None there, 0.9 now"),
        (houses(51), [], "(its cases or their split differ); name another folder, or delete it"),
    ],
)
def test_a_fit_that_was_made_otherwise_is_not_replaced(
    frame: pd.DataFrame, options: list[str], said: str, houses_run: Run, tmp_path: Path
) -> None:
    frame.to_csv(tmp_path / "houses.csv", index=False)
    out = saved(houses_run, tmp_path / "report", "ard")
    command = ["compare", tmp_path / "houses.csv", *TARGET, "--variants", "gaussian,ard", *TINY]
    run = call(*command, *options, out=out)
    assert run.code == 2
    assert run.said.startswith("error: --out ")
    assert run.said.count("\n") == 1
    assert "has a fit of ard that was made otherwise (" in run.said
    assert said in run.said
    assert load_fit(out / "fits" / "ard.zarr")["posterior"].sizes["draw"] == 20


def test_a_fit_that_was_cut_short_is_made_again(houses_run: Run, tmp_path: Path) -> None:
    short = load_fit(houses_run.out / "fits" / "ard.zarr").isel(draw=slice(5))
    save_fit(short, tmp_path / "fits" / "ard.zarr")
    prepared = prepare(houses(), "price")
    settings = Settings(hidden=(2,), draws=20, tune=20, chains=2, cores=3)
    assert saved_fits(tmp_path / "fits", ["ard", "gaussian"], prepared, settings) == {}
    folder = houses_run.out / "fits"
    assert set(saved_fits(folder, ["ard"], prepared, settings)) == {"ard"}


def test_a_fit_of_another_variant_is_not_taken_by_its_name(houses_run: Run, tmp_path: Path) -> None:
    save_fit(load_fit(houses_run.out / "fits" / "ard.zarr"), tmp_path / "fits" / "gaussian.zarr")
    settings = Settings(hidden=(2,), draws=20, tune=20, chains=2, cores=3)
    with pytest.raises(InputError, match=r"gaussian\.zarr' holds a fit of ard, not of gaussian"):
        saved_fits(tmp_path / "fits", ["gaussian"], prepare(houses(), "price"), settings)


def test_a_folder_with_fits_of_another_table_is_not_used(houses_run: Run, tmp_path: Path) -> None:
    folder, settings = tmp_path / "fits", Settings(hidden=(2,), draws=20, tune=20, chains=2)
    save_fit(load_fit(houses_run.out / "fits" / "ard.zarr"), folder / "ard.zarr")
    (folder / "mine.zarr").mkdir()
    assert saved_fits(folder, ["gaussian"], prepare(houses(), "price"), settings) == {}
    table = houses().assign(price=lambda t: t["price"] + (t.index == 3))
    with pytest.raises(InputError, match="has a fit of ard to other cases or another split"):
        saved_fits(folder, ["gaussian"], prepare(table, "price"), settings)


def test_a_fit_that_cannot_be_read_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "ard.zarr").mkdir()
    settings = Settings(hidden=(2,), draws=20, tune=20, chains=2, cores=3)
    with pytest.raises(InputError, match=r"ard\.zarr' is no Zarr store with a fit"):
        saved_fits(tmp_path, ["ard"], prepare(houses(), "price"), settings)


def test_an_interrupted_report_leaves_the_fits(
    houses_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(running_report, "evaluate", stop)
    houses().to_csv(tmp_path / "houses.csv", index=False)
    out = saved(houses_run, tmp_path / "report", "ard")
    command = ["compare", tmp_path / "houses.csv", *TARGET, "--variants", "ard", *TINY]
    run = call(*command, out=out)
    assert run.code == 130
    assert run.said.endswith(
        f"Interrupted: the report is not there yet.\nThe fits are in {out / 'fits'}.\n"
        "Run the same command again to go on from there.\n"
    )


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([])
    assert not ended.value.code
    shown = capsys.readouterr().out
    assert "compare" in shown
    assert "predict" in shown


@pytest.mark.parametrize("command", ["compare", "predict", "study"])
def test_help_of_a_command_has_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert f"pymc-bnn {command} " in capsys.readouterr().out.split("Examples:")[1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--keep", "--redo"], "give --keep or --redo, not both"),
        (["--cores", 2, "--scheduler", "tcp://127.0.0.1:9"], "give --cores or --scheduler"),
    ],
)
def test_options_of_a_study_that_contradict_each_other_are_refused(
    given: list[object], said: str, tmp_path: Path
) -> None:
    run = call("study", "choo2000", "--budget", "smoke", *given, out=tmp_path / "out")
    assert run.code == 2
    assert said in run.said
    assert not (tmp_path / "out").exists()

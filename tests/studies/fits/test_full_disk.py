"""Full disks and closed folders are one line that names the folder and the mend."""

import errno
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from pymc_bnn.studies import load_fit
from pymc_bnn.studies.cli import main
from pymc_bnn.studies.errors import StorageError, UnitError
from pymc_bnn.studies.fits import fitting, manifest
from pymc_bnn.studies.fits.fit_store import save_fit
from pymc_bnn.studies.fits.folder_lock import held
from pymc_bnn.studies.fits.manifest import PARTIAL, written_whole
from pymc_bnn.studies.reproduction.unit_store import claim_folder, save_unit
from pymc_bnn.studies.reproduction.units import Unit, load_unit, missing_units, run_units

from ..conftest import TINY, Run, call, houses
from ..full_disk import full_disk
from ..test_cli import TARGET, never, new_houses, saved

FULL = r"the disk of '.*{name}' is full \(.*\); make room there or name another folder"


def small() -> xr.Dataset:
    return xr.Dataset({"x": ("n", [1.0, 2.0])})


def large() -> xr.Dataset:
    return xr.Dataset({"x": ("n", np.random.default_rng(1).normal(size=1000))})  # 8 kB


def test_a_lock_is_given_back_where_nothing_can_be_written(tmp_path: Path) -> None:
    with full_disk(), pytest.raises(StorageError, match=FULL.format(name="out")):
        claim_folder(tmp_path / "out", {"budget": "smoke"})
    assert not any((tmp_path / "out").iterdir())
    with held(tmp_path / "out"):
        assert (tmp_path / "out" / "run.json").exists()


def test_threads_that_write_on_after_a_failure_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = iter([True, False, True, True])

    def others_run(seconds: float) -> None:
        if next(late, False):
            (partial / "deeper").mkdir(parents=True, exist_ok=True)
            (partial / "deeper" / "late").write_text("late")

    monkeypatch.setattr(manifest, "sleep", others_run)
    with pytest.raises(KeyError), written_whole(tmp_path / "result") as partial:
        raise KeyError
    assert next(late, None) is None
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_stays_and_the_room_is_given_back(tmp_path: Path) -> None:
    save_unit(small(), tmp_path, "one")
    with full_disk(100), pytest.raises(StorageError, match=FULL.format(name=tmp_path.name)):
        save_unit(large(), tmp_path, "one")
    (tmp_path / "words").write_text("older")
    with full_disk(3), pytest.raises(StorageError), written_whole(tmp_path / "words") as partial:
        partial.write_text("newer")
    assert (tmp_path / "words").read_text() == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "words"]
    xr.testing.assert_identical(load_unit(tmp_path, "one"), small())


def test_two_saves_of_one_name_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "words"
    with written_whole(path) as first, written_whole(path) as second:
        first.write_text("of the first")
        second.write_text("of the second")
    assert path.read_text() == "of the first"  # which came last
    assert list(tmp_path.iterdir()) == [path]


def test_a_unit_that_finds_no_room_ends_the_run_in_one_line(tmp_path: Path) -> None:
    units = [Unit("small", small), Unit("large", large), Unit("later", small)]
    said = rf"^unit 'large' is not kept: {FULL.format(name='out')}"
    with full_disk(4000), pytest.raises(UnitError, match=said):
        run_units(units, tmp_path / "out", 1)
    assert [unit.key for unit in missing_units(units, tmp_path / "out")] == ["large", "later"]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["small"]


@pytest.fixture
def command(tmp_path: Path) -> list[object]:
    houses().to_csv(tmp_path / "houses.csv", index=False)
    return ["compare", tmp_path / "houses.csv", *TARGET, "--variants", "gaussian,ard", *TINY]


def assert_ends_in_one_line(run: Run, *said: str) -> None:
    assert run.code == 2
    assert "Traceback" not in run.said
    last = run.said.splitlines()[-1]
    assert last.startswith("error: ")
    assert run.said.count("error: ") == 1
    assert all(words in last for words in said)


def test_compare_looks_for_room_before_it_samples(
    command: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "sample_model", never)
    with full_disk():
        run = call(*command, out=tmp_path / "out")
    assert_ends_in_one_line(run, f"the disk of '{tmp_path}/out/fits' is full", "make room")


def test_a_closed_folder_is_told_before_anything_is_sampled(
    command: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *arguments: object, **options: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(fitting, "sample_model", never)
    monkeypatch.setattr(Path, "mkdir", refuse)
    said = f"'{tmp_path}/out/fits' cannot be written (Read-only file system)"
    assert_ends_in_one_line(call(*command, out=tmp_path / "out"), said, "name another folder")


@pytest.mark.usefixtures("without_plots")
def test_draws_that_find_no_room_are_kept_elsewhere(
    command: list[object], houses_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, elsewhere = saved(houses_run, tmp_path / "out", "gaussian"), tmp_path / "elsewhere"
    drawn, to_zarr = load_fit(houses_run.out / "fits" / "ard.zarr"), xr.DataTree.to_zarr

    def fill(tree: xr.DataTree, path: Path, **options: object) -> object:
        if out in path.parents:
            path.mkdir()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return to_zarr(tree, path, **options)

    elsewhere.mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(fitting, "draw_chains", lambda *arguments: drawn)
        patched.setattr(xr.DataTree, "to_zarr", fill)
        patched.setattr(tempfile, "tempdir", str(elsewhere))
        run = call(*command, out=out)
    [rescued] = elsewhere.glob("*/ard.zarr")
    place = out / "fits" / "ard.zarr"
    assert_ends_in_one_line(run, f"the draws are kept in '{rescued}'", f"move them to '{place}'")
    assert not list((out / "fits").glob(f"*{PARTIAL}"))
    assert (out / "report.html").exists()

    shutil.move(rescued, place)
    monkeypatch.setattr(fitting, "sample_model", never)
    assert call(*command, out=out).code == 0


def test_a_report_that_finds_no_room_leaves_the_fits(
    command: list[object], houses_run: Run, tmp_path: Path
) -> None:
    out = saved(houses_run, tmp_path / "out", "gaussian", "ard")
    names = ["comparison.csv", "predictions.csv", "report.html"]
    for name in names:
        (out / name).write_text("older")
        (out / f"{name}.0123456789ab{PARTIAL}").write_text("left by a run that was killed")
    (out / "fits" / f"ard.zarr.0123456789ab{PARTIAL}").mkdir()
    (out / f"mine{PARTIAL}").touch()
    for room, kept in (300, names), (20_000, ["report.html"]):
        with full_disk(room):
            run = call(*command, out=out)
        assert_ends_in_one_line(run, f"the disk of '{out}' is full", "make room")
        assert sorted(path.name for path in out.iterdir()) == sorted(
            ["fits", f"mine{PARTIAL}", *names]
        )
        assert [name for name in names if (out / name).read_text() == "older"] == kept
        fits = sorted(path.name for path in (out / "fits").iterdir())
        assert fits == ["ard.zarr", "gaussian.zarr"]


def test_predictions_that_find_no_room_are_one_line(houses_run: Run, tmp_path: Path) -> None:
    new_houses().to_csv(tmp_path / "new.csv", index=False)
    fit = houses_run.out / "fits" / "gaussian.zarr"
    with full_disk(10):
        run = call("predict", fit, tmp_path / "new.csv", out=tmp_path / "sub" / "p.csv")
    assert_ends_in_one_line(run, f"the disk of '{tmp_path}/sub' is full")


def test_other_failures_of_writing_keep_their_words(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(OSError, match="taken") as caught:
        save_fit(xr.DataTree(), tmp_path / "taken" / "fit.zarr")
    assert not isinstance(caught.value, StorageError)


def test_the_command_line_says_what_it_cannot_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with full_disk(), pytest.raises(SystemExit) as ended:
        main(["study", "choo2000", "--budget", "smoke", "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: the disk of '{tmp_path}/out' is full (File too large); make")
    assert error.count("\n") == 1

"""Fits are saved whole, and an interruption keeps what there is."""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import numpy as np
import pandas as pd
import pytest
import xarray as xr
import zarr
from numcodecs.pickles import Pickle
from pymc_bnn.studies import InputError, load_fit
from pymc_bnn.studies.fits import fitting
from pymc_bnn.studies.fits.fit_store import CHECKSUMS, TABLE_ATTRIBUTE, save_fit
from pymc_bnn.studies.fits.folder_lock import held

from ..conftest import TINY, Run, call, houses

# lines of progress come often, so that the test knows where sampling is
SCRIPT = """
from pymc_bnn.studies.fits import progress
progress.SECONDS_BETWEEN_LINES = 0.05
from pymc_bnn.studies.cli import main
main()
"""


@contextmanager
def comparing(table: Path, *options: str) -> Iterator[subprocess.Popen]:
    """Compare in a process group of its own, as a terminal would start it."""
    command = [sys.executable, "-c", SCRIPT, "compare", str(table), "--target", "price", *options]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=os.environ, start_new_session=True
    )
    watchdog = threading.Timer(1800, os.killpg, (process.pid, signal.SIGKILL))
    watchdog.start()
    try:
        yield process
    finally:
        watchdog.cancel()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def share(line: str) -> int:
    """Per cent of all draws that are made, by a line such as 'ard: 8% of 2 chains, ...'."""
    return int(line.split()[1].rstrip("%"))


def press_ctrl_c_when(process: subprocess.Popen, is_time: Callable[[str], bool]) -> str:
    """Wait for a line, interrupt the whole process group, and return what is said then."""
    assert process.stderr is not None
    for line in process.stderr:
        if is_time(line):
            os.killpg(process.pid, signal.SIGINT)
            said = process.stderr.read()
            process.wait()
            return said
    raise AssertionError("it ended before it was time")


@pytest.mark.parametrize("cores", ["1", "2"])
def test_ctrl_c_keeps_finished_models_and_the_draws_so_far(cores: str, tmp_path: Path) -> None:
    houses().to_csv(tmp_path / "t.csv", index=False)
    options = ["--variants", "gaussian,ard,scaled", "--draws", "600", "--tune", "20"]
    options += ["--chains", "2", "--cores", cores, "--hidden", "2", "--out", str(tmp_path / "r")]

    def is_time(line: str) -> bool:
        return line.startswith("ard: ") and "% of 2 chains" in line and share(line) > 12

    with comparing(tmp_path / "t.csv", *options) as process:
        said = press_ctrl_c_when(process, is_time)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert "ard: interrupted after " in said
    assert "Interrupted: of ard, " in said
    assert "Not fitted: scaled." in said
    assert load_fit(tmp_path / "r" / "fits" / "gaussian.zarr")["posterior"].sizes["draw"] == 600
    kept = load_fit(tmp_path / "r" / "fits" / "ard.zarr")["posterior"].sizes
    assert 0 < kept["draw"] <= 600
    assert kept["draw"] * kept["chain"] < 1200
    assert f"{kept['draw']} of 600 draws of {kept['chain']} of 2 chains are kept." in said
    assert not (tmp_path / "r" / "fits" / "scaled.zarr").exists()
    table = pd.read_csv(tmp_path / "r" / "comparison.csv", index_col="model")
    assert set(table.index) == {"gaussian", "ard"}
    page = (tmp_path / "r" / "report.html").read_text("utf-8")
    assert "Interrupted: of ard, " in page


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_no_worker_and_no_lock(
    number: signal.Signals, tmp_path: Path
) -> None:
    houses().to_csv(tmp_path / "t.csv", index=False)
    options = ["--variants", "gaussian", "--draws", "600", "--tune", "20", "--chains", "2"]
    options += ["--cores", "2", "--hidden", "2", "--out", str(tmp_path / "r")]
    with comparing(tmp_path / "t.csv", *options) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("gaussian: ") and "% of 2 chains" in line and share(line) > 12:
                for _ in range(2):  # who does not see an end at once asks again
                    process.send_signal(number)  # to no worker
                    sleep(0.3)
                break
        said = process.stderr.read()  # which ends when the last worker has
        assert process.wait() == (130 if number == signal.SIGTERM else -number)
    with held(tmp_path / "r" / "fits"):
        pass
    if number == signal.SIGTERM:
        assert "Interrupted: of gaussian, " in said
        assert load_fit(tmp_path / "r" / "fits" / "gaussian.zarr")["posterior"].sizes["draw"] > 0


def test_ctrl_c_before_the_first_draw_leaves_nothing(tmp_path: Path) -> None:
    houses().to_csv(tmp_path / "t.csv", index=False)
    # a single model, as all are compiled before the first one is fitted, to say how long it takes
    options = ["--hidden", "2", "--variants", "gaussian", "--out", str(tmp_path / "r")]
    with comparing(tmp_path / "t.csv", *options) as process:
        said = press_ctrl_c_when(process, lambda line: line == "gaussian: compiling\n")
    assert process.returncode == 130
    assert "Traceback" not in said
    assert said.endswith("Interrupted before the first draw was kept; nothing was written.\n")
    assert not (tmp_path / "r").exists()


def test_ctrl_c_in_pilots_leaves_nothing(tmp_path: Path) -> None:
    pd.concat([houses()] * 3).to_csv(tmp_path / "t.csv", index=False)
    with comparing(tmp_path / "t.csv", "--out", str(tmp_path / "r")) as process:
        said = press_ctrl_c_when(process, lambda line: line.startswith("Pilot of hidden layers 8:"))
    assert process.returncode == 130
    assert said.endswith("Interrupted before the first fit of this run; nothing was written.\n")
    assert "Traceback" not in said
    assert not (tmp_path / "r").exists()


@pytest.fixture
def idata(houses_run: Run) -> xr.DataTree:
    return load_fit(houses_run.out / "fits" / "ard.zarr")


def test_a_saved_fit_comes_back_the_same(idata: xr.DataTree, tmp_path: Path) -> None:
    again = load_fit(save_fit(idata, tmp_path / "ard.zarr"))
    xr.testing.assert_identical(again["posterior"].dataset, idata["posterior"].dataset)
    assert again.attrs == idata.attrs


def test_a_fit_replaces_an_older_one_whole(idata: xr.DataTree, tmp_path: Path) -> None:
    path = save_fit(idata, tmp_path / "ard.zarr")
    short = idata.isel(draw=slice(5))
    save_fit(short, path)
    assert load_fit(path)["posterior"].sizes["draw"] == 5
    assert [p.name for p in tmp_path.iterdir()] == ["ard.zarr"]


def test_a_failure_while_saving_leaves_the_older_fit(
    idata: xr.DataTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save_fit(idata, tmp_path / "ard.zarr")

    def fail(self: xr.DataTree, store: Path, **options: object) -> None:
        store.mkdir()
        raise OSError("no space left on device")

    monkeypatch.setattr(xr.DataTree, "to_zarr", fail)
    with pytest.raises(OSError, match="no space"):
        save_fit(idata.isel(draw=slice(5)), path)
    assert load_fit(path)["posterior"].sizes["draw"] == 20


def test_draws_without_their_table_are_no_fit(idata: xr.DataTree, tmp_path: Path) -> None:
    del idata.attrs["pymc_bnn_table"]
    save_fit(idata, tmp_path / "bare.zarr")
    with pytest.raises(InputError, match="holds no fit that pymc-bnn compare has saved"):
        load_fit(tmp_path / "bare.zarr")


def small_fit() -> xr.DataTree:
    posterior = xr.Dataset({"w": (("chain", "draw"), np.arange(20.0).reshape(2, 10) + 1)})
    tree = xr.DataTree.from_dict({"posterior": posterior})
    tree.attrs[TABLE_ATTRIBUTE] = "{}"
    return tree


def test_a_fit_with_a_part_missing_is_not_loaded_as_zeros(tmp_path: Path) -> None:
    path = save_fit(small_fit(), tmp_path / "fit.zarr")
    assert float(load_fit(path)["posterior"]["w"].sum()) == 210.0
    chunk = next(p for p in (path / "posterior" / "w" / "c").rglob("*") if p.is_file())
    chunk.unlink()
    with pytest.raises(
        InputError, match=r"the fit '.*' is not whole, or an earlier version saved it; delete"
    ):
        load_fit(path)


def test_bytes_that_changed_are_not_read_as_other_draws(tmp_path: Path) -> None:
    fit, draws = small_fit(), np.random.default_rng(1).normal(size=(2, 10))
    fit["posterior/w"] = fit["posterior/w"].copy(data=draws)  # whose bytes are not compressed
    path = save_fit(fit, tmp_path / "fit.zarr")
    chunk = next(p for p in (path / "posterior" / "w" / "c").rglob("*") if p.is_file())
    bytes_of = bytearray(chunk.read_bytes())
    bytes_of[len(bytes_of) // 2] ^= 1
    chunk.write_bytes(bytes_of)
    with pytest.raises(InputError, match=r"the fit '.*' is damaged: files of it hold other bytes"):
        load_fit(path)
    # as an earlier version saved it: nothing says what the bytes were
    attributes = zarr.open_group(path, mode="r+", use_consolidated=False).attrs
    del attributes[CHECKSUMS]
    assert (load_fit(path)["posterior"]["w"].values != draws).sum() == 1


def test_a_fit_without_its_manifest_is_not_loaded(tmp_path: Path) -> None:
    small_fit().to_zarr(tmp_path / "fit.zarr", consolidated=False)
    with pytest.raises(InputError, match="is not whole"):
        load_fit(tmp_path / "fit.zarr")


@pytest.mark.parametrize("filters", [["pickle"], ["vlen-utf8", "pickle"]])
def test_a_store_with_a_pickled_codec_is_refused(
    filters: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unpickling runs whatever a stranger wrote, as older versions of Zarr would do."""
    monkeypatch.setattr(Pickle, "decode", lambda self, content, out=None: pickle.loads(content))
    marker = tmp_path / "ran"

    class Payload:
        def __reduce__(self) -> tuple:
            return Path.touch, (marker,)

    path = tmp_path / "fit.zarr"
    (path / "posterior" / "w").mkdir(parents=True)
    group = {"zarr_format": 2}
    array = group | {"shape": [1], "chunks": [1], "dtype": "|O", "order": "C", "fill_value": None}
    array |= {"compressor": None, "filters": [{"id": name} for name in filters]}
    (path / ".zgroup").write_text(json.dumps(group))
    (path / ".zattrs").write_text(json.dumps({TABLE_ATTRIBUTE: "{}"}))
    (path / "posterior" / ".zgroup").write_text(json.dumps(group))
    (path / "posterior" / "w" / ".zarray").write_text(json.dumps(array))
    (path / "posterior" / "w" / ".zattrs").write_text(json.dumps({"_ARRAY_DIMENSIONS": ["draw"]}))
    (path / "posterior" / "w" / "0").write_bytes(pickle.dumps(Payload()))
    with (
        zarr.config.set({"array.allow_unsafe_pickle_decode": True}),
        pytest.raises(InputError, match="is no Zarr store with a fit"),
    ):
        load_fit(path)
    assert not marker.exists()


@pytest.mark.usefixtures("without_plots")
def test_few_draws_are_kept_and_never_replace_more(
    houses_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = load_fit(houses_run.out / "fits" / "gaussian.zarr")
    houses().to_csv(tmp_path / "houses.csv", index=False)
    command = ["compare", tmp_path / "houses.csv", "--target", "price", "--variants", "gaussian"]
    said = []
    for draws in (5, 15, 13):
        short = drawn.isel(draw=slice(0, draws))
        monkeypatch.setattr(fitting, "draw_chains", lambda *arguments, short=short: short)
        run = call(*command, *TINY, out=tmp_path / "out")
        assert run.code == 130
        assert "Traceback" not in run.said
        said.append(run.said)
    assert "there were enough draws to be judged; the few draws were written." in said[0]
    for later in said[1:]:
        assert "Interrupted: of gaussian, 15 of 20 draws of 2 of 2 chains are kept." in later
    there = load_fit(tmp_path / "out" / "fits" / "gaussian.zarr")["posterior"]
    assert there.sizes["draw"] == 15


def test_fewer_draws_than_leave_one_out_needs_are_refused(tmp_path: Path) -> None:
    houses().to_csv(tmp_path / "houses.csv", index=False)
    command = ["compare", tmp_path / "houses.csv", "--target", "price", "--draws", "24"]
    run = call(*command, "--chains", "1", out=tmp_path / "out")
    assert run.code == 2
    assert "leave-one-out needs at least 25 draws of all chains" in run.said
    assert not (tmp_path / "out").exists()

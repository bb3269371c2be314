"""One run at a time in a folder of results."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import xarray as xr
from pymc_bnn.studies import InputError
from pymc_bnn.studies.comparison import comparing
from pymc_bnn.studies.fits.folder_lock import held
from pymc_bnn.studies.reproduction.unit_store import claim_folder
from pymc_bnn.studies.reproduction.units import Unit, run_units

from ..conftest import call, houses
from ..test_cli import TARGET, never

HOLD = """
import sys
from pymc_bnn.studies.fits.folder_lock import hold
hold(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_process_holds(folder: Path) -> Iterator[subprocess.Popen]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_second_run_is_refused_and_told_who_is_there(tmp_path: Path) -> None:
    units = [Unit("one", xr.Dataset, ({"x": 1.5},))]
    with another_process_holds(tmp_path / "out") as process:
        said = rf"'.*out' is in use by process {process.pid} on .* since .*; wait until that run"
        with pytest.raises(InputError, match=said):
            run_units(units, tmp_path / "out", 1)
        with pytest.raises(InputError, match=said):
            claim_folder(tmp_path / "out", {"budget": "smoke"})
    # killed, it left its files, which hold nothing
    assert (tmp_path / "out" / "run.json").exists()
    claim_folder(tmp_path / "out", {"budget": "smoke"})


def test_a_second_comparison_is_refused_before_it_looks_at_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "saved_fits", never)
    houses().to_csv(tmp_path / "t.csv", index=False)
    with another_process_holds(tmp_path / "out" / "fits"):
        run = call("compare", tmp_path / "t.csv", *TARGET, out=tmp_path / "out")
    assert run.code == 2
    assert run.said.startswith(f"error: '{tmp_path}/out/fits' is in use by process ")


def test_a_process_may_hold_a_folder_twice_and_leaves_nothing(tmp_path: Path) -> None:
    with held(tmp_path / "out"), held(tmp_path / "out"):
        assert (tmp_path / "out" / "run.json").exists()
    assert not any((tmp_path / "out").iterdir())


def test_a_process_that_ends_gives_its_folder_back(tmp_path: Path) -> None:
    program = HOLD.replace("hold(sys.argv[1])", "claim_folder(sys.argv[1], {})").replace(
        "from pymc_bnn.studies.fits.folder_lock import hold",
        "from pymc_bnn.studies.reproduction.unit_store import claim_folder",
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-c", program, str(tmp_path / "out")]
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=True)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["declaration.json"]


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"), held(tmp_path / "file" / "out"):
        pass

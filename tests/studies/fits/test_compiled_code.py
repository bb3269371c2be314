"""A closed or full folder of compiled code costs time alone."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from pymc_bnn.studies.fits import compiled_code
from pymc_bnn.studies.fits.compiled_code import FLAGS, find_room_for_compiled_code


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pretend that PyTensor has not been imported, and return its folder."""
    monkeypatch.delitem(sys.modules, "pytensor")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv(FLAGS, "")  # so that it is as before afterwards
    monkeypatch.delenv(FLAGS)
    return tmp_path / ".pytensor"


def close(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    def access(path: Path, mode: int) -> bool:
        return Path(path) != folder and real(path, mode)

    real = os.access
    monkeypatch.setattr(os, "access", access)


def fill(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    def usage(path: Path) -> object:
        return SimpleNamespace(free=10) if Path(path) == folder else real(path)

    real = shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", usage)


@pytest.mark.parametrize(
    ("harm", "reason"), [(close, "cannot be written"), (fill, "is on a full disk")]
)
def test_code_goes_elsewhere_where_there_is_no_room(
    fresh: Path, harm: Callable, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh.mkdir()
    harm(monkeypatch, fresh)
    said = find_room_for_compiled_code()
    assert (
        said == f"Everything is compiled anew, as the folder of compiled code '{fresh}' {reason}."
    )
    name, _, instead = os.environ[FLAGS].partition("=")
    assert name == "base_compiledir"
    assert Path(instead).is_dir()


def test_the_users_own_folder_is_looked_at(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = fresh.parent / "mine"
    monkeypatch.setenv(FLAGS, f"floatX=float64, base_compiledir = {mine},cxx=")
    assert find_room_for_compiled_code() is None
    assert os.environ[FLAGS] == f"floatX=float64, base_compiledir = {mine},cxx="
    mine.mkdir()
    close(monkeypatch, mine)
    assert str(mine) in str(find_room_for_compiled_code())
    assert os.environ[FLAGS].startswith(f"floatX=float64, base_compiledir = {mine},cxx=,base_com")


def test_nothing_is_changed_where_there_is_room(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_room_for_compiled_code() is None
    # with settings in a file, their folder is not known
    fresh.mkdir()
    close(monkeypatch, fresh)
    (fresh.parent / ".pytensorrc").touch()
    assert find_room_for_compiled_code() is None
    (fresh.parent / ".pytensorrc").unlink()
    monkeypatch.setattr(compiled_code, "_obstacle", lambda folder: "is full")  # temporary ones too
    assert find_room_for_compiled_code() is None
    assert FLAGS not in os.environ
    assert [path.name for path in fresh.parent.iterdir()] == [".pytensor"]

"""Tests that run in a process of their file are reported as they went, whatever becomes of it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIRST = """
import os
import signal

import pytest


@pytest.fixture(scope="module")
def shared():
    yield []
    raise ValueError("teardown of the file")


def test_passes(shared):
    shared.append(os.getpid())


def test_same_process(shared):
    assert shared == [os.getpid()]


def test_fails():
    print("said before")
    assert 1 == 2


@pytest.mark.skip(reason="not today")
def test_skipped():
    raise ValueError


def test_killed():
    os.kill(os.getpid(), signal.SIGKILL)


def test_after_the_death(shared):
    assert shared == []
"""
SECOND = """
import os


def test_leaves():
    os._exit(0)


def test_another_process():
    assert os.environ["FIRST_OF_ALL"] == str(os.getppid())
"""
THIRD = """
import warnings

import pytest


@pytest.mark.filterwarnings("ignore:known")
def test_begins_with_filters():
    warnings.warn("known")


def test_has_no_filters():
    with pytest.raises(UserWarning):
        warnings.warn("known")


@pytest.mark.filterwarnings("ignore:other")
def test_has_other_filters():
    warnings.warn("other")
"""


def test_every_test_is_reported_as_it_went(tmp_path: Path) -> None:
    (tmp_path / "test_first.py").write_text(FIRST)
    (tmp_path / "test_second.py").write_text(SECOND)
    (tmp_path / "test_third.py").write_text(THIRD)
    (tmp_path / "conftest.py").write_text(
        "import os\nos.environ['FIRST_OF_ALL'] = str(os.getpid())\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    options = ["-p", "tests.forked_files", "-p", "no:cacheprovider", "-n", "1", "-v", "-rA"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", tmp_path / "pytest.ini", *options, tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    said = run.stdout
    assert "3 failed, 7 passed, 1 skipped, 1 error" in said, said
    failed = {line.rpartition("::")[2] for line in said.splitlines() if line.startswith("FAILED")}
    assert {line.split()[0] for line in failed} == {"test_fails", "test_killed", "test_leaves"}
    assert "ended with signal SIGKILL" in said
    assert "ended with status 0" in said
    assert "said before" in said
    assert "teardown of the file" in said
    assert run.returncode == 1

"""What users install holds everything that the checkout does, and runs."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHECK = """
import sys
from importlib.metadata import distribution
from pathlib import Path
from pymc_bnn import models, samplers, studies
for room in (models, samplers, studies):
    assert Path(room.__file__).is_relative_to(sys.argv[1]), room.__file__
assert Path(distribution("pymc-bnn").locate_file("")) == Path(sys.argv[1])
assert studies.load_dataset("wine").frame.shape == (178, 14)
from pymc_bnn.studies.reports import report
"""


def uv() -> str:
    found = os.environ.get("UV") or shutil.which("uv")
    assert found is not None, "run the tests by uv run pytest"
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("built")
    ignored = shutil.ignore_patterns(".*", "_build", "*.egg-info", "__pycache__", "*.zarr")
    shutil.copytree(ROOT, source := folder / "source", ignore=ignored)
    # nothing is fetched
    command = [uv(), "build", "--no-build-isolation", "--offline", "--python", sys.executable]
    subprocess.run([*command, "-o", str(folder / "dist"), str(source)], check=True)
    return folder / "dist"


def test_a_wheel_of_the_source_distribution_is_whole(built: Path) -> None:
    [wheel] = built.glob("*.whl")
    assert len(list(built.glob("*.tar.gz"))) == 1
    names = set(zipfile.ZipFile(wheel).namelist())
    for room in ("models", "samplers", "studies"):
        kinds = (".py", ".typed", ".html", ".csv")
        files = (p.relative_to(ROOT) for p in (ROOT / room).rglob("*") if p.suffix in kinds)
        assert {f"pymc_bnn/{path.as_posix()}" for path in files} <= names


@pytest.mark.parametrize("ending", ["whl", "tar.gz"])
def test_what_is_installed_runs(built: Path, tmp_path: Path, ending: str) -> None:
    [archive] = built.glob(f"*.{ending}")
    site = tmp_path / "site"
    command = [uv(), "pip", "install", "--no-deps", "--no-build-isolation", "--offline"]
    where = ["--python", sys.executable, "--target", str(site)]
    subprocess.run([*command, "--no-cache", *where, str(archive)], check=True)
    # beside the project's dependencies, which are those of this process
    env = {**os.environ, "PYTHONPATH": str(site)}
    check = [sys.executable, "-c", CHECK, str(site)]
    subprocess.run(check, check=True, env=env, cwd=tmp_path)
    entry = [str(site / "bin" / "pymc-bnn"), "--help"]
    said = subprocess.check_output(entry, text=True, env=env, cwd=tmp_path)
    assert all(name in said for name in ("compare", "predict", "study"))

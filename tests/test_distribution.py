"""What users install holds everything that the checkout does."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHECK = """
import sys
from pathlib import Path
from pymc_bnn import models, samplers, studies
for room in (models, samplers, studies):
    assert Path(room.__file__).is_relative_to(sys.argv[1]), room.__file__
assert studies.load_dataset("wine").frame.shape == (178, 14)
from pymc_bnn.studies.reports import report
"""


def test_a_wheel_of_the_source_distribution_is_whole(tmp_path: Path) -> None:
    uv = os.environ.get("UV") or shutil.which("uv")
    assert uv is not None, "run the tests by uv run pytest"
    source = tmp_path / "source"
    ignored = shutil.ignore_patterns(".*", "_build", "*.egg-info", "__pycache__", "*.zarr")
    shutil.copytree(ROOT, source, ignore=ignored)
    # the wheel is built from the source distribution, and nothing is fetched
    command = [uv, "build", "--no-build-isolation", "--offline", "--python", sys.executable]
    subprocess.run([*command, "-o", str(tmp_path / "dist"), str(source)], check=True)
    [wheel] = (tmp_path / "dist").glob("*.whl")
    assert len(list((tmp_path / "dist").glob("*.tar.gz"))) == 1
    names = set(zipfile.ZipFile(wheel).namelist())
    for room in ("models", "samplers", "studies"):
        kinds = (".py", ".typed", ".html", ".csv")
        files = (p.relative_to(ROOT) for p in (ROOT / room).rglob("*") if p.suffix in kinds)
        assert {f"pymc_bnn/{path.as_posix()}" for path in files} <= names
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    environment = {**os.environ, "PYTHONPATH": str(site)}
    subprocess.run(
        [sys.executable, "-c", CHECK, str(site)], check=True, env=environment, cwd=tmp_path
    )

"""Fits that several tests of this folder look at, each made once."""

import contextlib
import io
import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from filelock import FileLock
from pymc_bnn import models, samplers, studies
from pymc_bnn.studies.cli import main
from pymc_bnn.studies.distribution import workers
from pymc_bnn.studies.distribution.workers import Workers
from pymc_bnn.studies.fits import step_settings
from pymc_bnn.studies.reports import inputs, plots
from pymc_bnn.studies.reproduction import units

TINY = ["--draws", "20", "--tune", "20", "--chains", "2", "--cores", "1", "--hidden", "2"]


@dataclass
class Run:
    """What one call of the command line did."""

    code: int
    said: str
    out: Path


def call(*arguments: object, out: Path) -> Run:
    """Call the command line in this process."""
    said = io.StringIO()
    with (
        contextlib.redirect_stderr(said),
        contextlib.redirect_stdout(said),
        pytest.raises(SystemExit) as ended,
    ):
        main([*map(str, arguments), "--out", str(out)])
    return Run(int(ended.value.code or 0), said.getvalue(), out)


def houses(rows: int = 48) -> pd.DataFrame:
    """Prices in whole currency: 1000 per square metre, and 50 000 more for a house."""
    rng = np.random.default_rng(1)
    size = rng.uniform(20, 200, rows).round(1)
    kind = np.tile(["flat", "house", "hut"], rows)[:rows]
    price = 1000 * size + 50_000 * (kind == "house") + rng.normal(scale=2000, size=rows)
    return pd.DataFrame({"size": size, "kind": kind, "price": price.round()})


def flowers(rows: int = 60) -> pd.DataFrame:
    """Three well separated classes, numbered as a user might."""
    rng = np.random.default_rng(2)
    grade = np.tile([1, 2, 5], rows)[:rows]
    centre = np.where(grade == 5, -3.0, grade - 1.0)
    return pd.DataFrame(
        {
            "petal/width": 3 * centre + rng.normal(scale=0.3, size=rows),
            "noise": rng.normal(size=rows),
            "grade": grade,
        }
    )


class InThisProcess(Workers):
    """What a pool would do, where units are tiny and processes are not what is tested."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        future: Future = Future()
        future.set_result(function(*arguments))
        return future


@pytest.fixture
def units_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have units of studies computed here: a process of their own imports everything anew."""
    monkeypatch.setattr(units, "Workers", InThisProcess)


@pytest.fixture
def without_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the plots of reports, which other tests are about."""
    for module in (plots, inputs):
        monkeypatch.setattr(module, "as_image", lambda *_: plots.Image("data:image/png;base64,"))


@pytest.fixture
def few_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have small networks make the fewest sweeps for each draw, where the draws do not matter."""
    monkeypatch.setattr(step_settings, "MOST_SWEEPS", step_settings.FEWEST_SWEEPS)


@pytest.fixture(scope="module")
def quick_workers() -> Iterator[None]:
    """Have workers begin as copies of a process that has imported PyMC, which takes a second.

    It is no copy of this one: workers get nothing but what is sent to them, as if spawned.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pymc_bnn.samplers", "pymc_bnn.studies.reproduction.units"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "get_context", lambda kind: context)
        yield


def made_once[T](make: Callable[[Path], T], factory: pytest.TempPathFactory) -> T:
    """Make something in a folder of the whole run, once for the processes of all files of tests.

    Whoever asks first makes it, and the others get a copy; what is in the folder is shared, and
    stays as it is.
    """
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / make.__name__
    folder.mkdir(exist_ok=True)
    kept = folder / "made.pickle"
    with FileLock(folder / "made.lock"):
        if not kept.exists():
            made = cloudpickle.dumps(make(folder))
            kept.write_bytes(made)
    found: T = cloudpickle.loads(kept.read_bytes())
    return found


def run_of_houses(folder: Path) -> Run:
    """Compare two variants on a CSV file."""
    houses().to_csv(folder / "houses.csv", index=False)
    options = ["--target", "price", "--variants", "gaussian,ard", *TINY]
    return call("compare", folder / "houses.csv", *options, out=folder / "report")


def run_of_flowers(folder: Path) -> Run:
    """Classify from a Parquet file."""
    flowers().to_parquet(folder / "flowers.parquet")
    options = ["--target", "grade", "--variants", "ard", *TINY]
    return call("compare", folder / "flowers.parquet", *options, out=folder / "report")


@pytest.fixture(scope="session")
def houses_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A comparison of two variants on a CSV file."""
    return made_once(run_of_houses, tmp_path_factory)


@pytest.fixture(scope="session")
def flowers_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A classification from a Parquet file."""
    return made_once(run_of_flowers, tmp_path_factory)


def wave(rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Targets that depend on the first of two inputs, and not on a line."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(-2, 2, (rows, 2)), columns=["matters", "does_not"])
    return X, np.sin(2 * X["matters"].to_numpy()) + rng.normal(scale=0.1, size=rows)


Waves = tuple[dict, tuple[pd.DataFrame, np.ndarray], studies.Comparison]


def fits_of_waves(folder: Path) -> Waves:
    """Fit a line and a network to a wave, and compare them on held-out cases."""
    X, y = wave(60, seed=3)
    made = {"line": models.gaussian(X, y, ()), "network": models.ard(X, y, (4,))}
    options = {"draws": 300, "tune": 300, "chains": 2, "cores": 1, "seed": 5}
    quiet = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
    fits = {name: samplers.sample(model, **options, **quiet) for name, model in made.items()}
    test = wave(60, seed=4)
    return fits, test, studies.compare(fits, test)


@pytest.fixture(scope="session")
def waves(tmp_path_factory: pytest.TempPathFactory) -> Waves:
    """What was made of a wave."""
    return made_once(fits_of_waves, tmp_path_factory)


@pytest.fixture(scope="session")
def wave_fits(waves: Waves) -> dict:
    """A line and a network, fitted to a wave."""
    return waves[0]


@pytest.fixture(scope="session")
def wave_test(waves: Waves) -> tuple[pd.DataFrame, np.ndarray]:
    """Held-out cases."""
    return waves[1]


@pytest.fixture(scope="session")
def wave_comparison(waves: Waves) -> studies.Comparison:
    """Their comparison."""
    return waves[2]

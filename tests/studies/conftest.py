"""Fits that several tests of this folder look at, each made once."""

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn import models, samplers, studies
from pymc_bnn.studies.cli import main

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


@pytest.fixture(scope="session")
def houses_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A comparison of two variants on a CSV file."""
    folder = tmp_path_factory.mktemp("houses")
    houses().to_csv(folder / "houses.csv", index=False)
    options = ["--target", "price", "--variants", "gaussian,ard", *TINY]
    return call("compare", folder / "houses.csv", *options, out=folder / "report")


@pytest.fixture(scope="session")
def flowers_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A classification from a Parquet file."""
    folder = tmp_path_factory.mktemp("flowers")
    flowers().to_parquet(folder / "flowers.parquet")
    options = ["--target", "grade", "--variants", "ard", *TINY]
    return call("compare", folder / "flowers.parquet", *options, out=folder / "report")


def wave(rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Targets that depend on the first of two inputs, and not on a line."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(-2, 2, (rows, 2)), columns=["matters", "does_not"])
    return X, np.sin(2 * X["matters"].to_numpy()) + rng.normal(scale=0.1, size=rows)


@pytest.fixture(scope="session")
def wave_test() -> tuple[pd.DataFrame, np.ndarray]:
    """Held-out cases."""
    return wave(60, seed=4)


@pytest.fixture(scope="session")
def wave_fits() -> dict:
    """A line and a network, fitted to a wave."""
    X, y = wave(60, seed=3)
    made = {"line": models.gaussian(X, y, ()), "network": models.ard(X, y, (4,))}
    options = {"draws": 300, "tune": 300, "chains": 2, "cores": 1, "seed": 5}
    quiet = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
    return {name: samplers.sample(model, **options, **quiet) for name, model in made.items()}


@pytest.fixture(scope="session")
def wave_comparison(wave_fits: dict, wave_test: tuple) -> studies.Comparison:
    """Their comparison."""
    return studies.compare(wave_fits, wave_test)

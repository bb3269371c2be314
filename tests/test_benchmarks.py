"""Benchmarks that documentation names can be started."""

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from . import benchmarks
from .benchmarks.fits import longer_runs

NAMES = [
    module.name
    for module in walk_packages(benchmarks.__path__, f"{benchmarks.__name__}.")
    if not module.ispkg
]


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_imports_what_it_runs(name: str) -> None:
    assert callable(import_module(name).main)


COMPARED = pd.DataFrame(
    {
        "answer": ["nearly", "not yet", "predictions stable", "converged"],
        "stable": pd.array([False, None, True, None], "boolean"),
    },
    index=pd.Index(["leader", "broken", "stable", "last"], name="model"),
)


@pytest.fixture
def sampled_again(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Models of which there are longer runs, where a comparison says what is said above."""

    def compared(request: Any, console: object) -> None:
        request.out.mkdir()
        COMPARED.to_csv(request.out / "comparison.csv")

    def again(model: Any, idata: object, test: object) -> dict[str, Any]:
        found.append(model.name)
        return {"held": "yes"}

    def load(path: Path) -> Any:
        return SimpleNamespace(name=path.stem, hidden=(8, 4))

    found: list[str] = []
    times = iter([100.0, 112.5])
    prepared = SimpleNamespace(X_test=None, y_test=None)
    places = {
        "asked": lambda name, folder: SimpleNamespace(out=folder / "report"),
        "run_comparison": compared,
        "again": again,
        "table_of": lambda request: prepared,
        "perf_counter": lambda: next(times),
        "studies": SimpleNamespace(load_fit=load),
        "models": SimpleNamespace(load=lambda idata: idata),
    }
    for name, fake in places.items():
        monkeypatch.setattr(longer_runs, name, fake)
    return found


@pytest.mark.parametrize(("more", "again"), [([], ["leader", "stable"]), (["--no-longer"], [])])
def test_longer_runs_can_be_left_out_of_what_comparisons_say(
    more: list[str],
    again: list[str],
    sampled_again: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = ["--tables", "wine", "--csv", str(tmp_path / "said.csv")]
    monkeypatch.setattr(sys, "argv", ["longer_runs", *options, *more])
    longer_runs.main()
    assert sampled_again == again
    said = pd.read_csv(tmp_path / "said.csv", index_col="model", keep_default_na=False)
    assert said["stable"].to_dict() == {"leader": "no", "broken": "", "stable": "yes", "last": ""}
    assert said["leads"].tolist() == ["yes", "no", "no", "no"]
    assert set(said["seconds"]) == {12.5}
    assert ("held" in said) == bool(again)

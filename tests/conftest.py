"""What all rooms' tests share."""

import gc
import json
import os
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytensor
import pytest
from threadpoolctl import threadpool_limits

from . import forked_files

mpl.use("Agg")
# a stack trace for every variable takes half of the time of building graphs
pytensor.config.traceback__limit = 0

# what takes longest comes first, and beside the first file one that does not compile the same
LONGEST = (
    "samplers/table/test_invariance_of_gibbs_draws.py",
    "studies/estimators",
    "samplers/table",
    "samplers/posteriors",
    "samplers/steps",
    "samplers",
    "studies/test_benchmark.py",
    "test_doctests.py",
)
REFERENCE = Path(__file__).parent / "reference"
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")


def pytest_configure(config: pytest.Config) -> None:
    """Give each process one thread of BLAS: several wait for cores that other workers hold."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    threadpool_limits(1)  # of libraries that are loaded already
    forked_files.pytest_configure(config)


def pytest_collection_finish() -> None:
    """Have Python look for garbage less often, and not among what libraries keep.

    It looked a tenth of the time.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that no worker is left alone with it at the end."""
    here = Path(__file__).parent

    def place(item: pytest.Item) -> int:
        file = item.path.relative_to(here).as_posix()
        return next((i for i, room in enumerate(LONGEST) if file.startswith(room)), len(LONGEST))

    items.sort(key=place)


@pytest.fixture(scope="session")
def choo8() -> dict[str, Any]:
    """Posterior of Choo's 8 cases from an independent system."""
    return json.loads((REFERENCE / "choo8.json").read_text())

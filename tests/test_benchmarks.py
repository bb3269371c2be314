"""Benchmarks that documentation names can be started."""

from importlib import import_module
from pkgutil import walk_packages

import pytest

from . import benchmarks

NAMES = [
    module.name
    for module in walk_packages(benchmarks.__path__, f"{benchmarks.__name__}.")
    if not module.ispkg
]


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_imports_what_it_runs(name: str) -> None:
    assert callable(import_module(name).main)

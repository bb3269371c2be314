"""The page of private interfaces: complete, true, and there in the installed releases."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "private_interfaces.md"
ROW = re.compile(r"^\| `(?P<name>[\w.]+)` \| `(?P<file>[\w./]+)` \| (?P<use>[^|]+) \|", re.M)
PRIVATE = (
    "numba.core",
    "pytensor.link",
    "pymc.backends",
    "pymc.initial_point",
    "pymc.logprob.basic",
    "pymc.progress_bar",
    "pymc.sampling",
    "pymc.step_methods",
    "arviz_stats.loo",
    "arviz_stats.utils",
)
PACKAGES = ("numba", "pytensor", "pymc", "arviz_stats", "arviz_base", "arviz", "xarray", "zarr")
LISTED = [(row["name"], row["file"], row["use"]) for row in ROW.finditer(PAGE.read_text())]


def is_private(module: str, name: str) -> bool:
    """Whether a package that others make has not promised to keep a name."""
    hidden = any(part.startswith("_") for part in f"{module}.{name}".split("."))
    return module.split(".")[0] in PACKAGES and (hidden or f"{module}.".startswith(PRIVATE))


def imported() -> Iterator[tuple[str, str]]:
    """Private names that our code imports, each with the file that does."""
    for room in ("models", "samplers", "studies"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    for alias in node.names:
                        if is_private(node.module, alias.name):
                            file = path.relative_to(ROOT).as_posix()
                            yield f"{node.module}.{alias.name}", file


def test_the_page_lists_what_the_code_imports() -> None:
    assert sorted(imported()) == sorted((name, file) for name, file, _ in LISTED)


def test_each_name_is_imported_in_one_file() -> None:
    names = [name for name, _ in imported()]
    assert len(names) > 30
    assert [name for name in names if names.count(name) > 1] == []


@pytest.mark.parametrize(("name", "file", "use"), LISTED, ids=[row[0] for row in LISTED])
def test_the_installed_release_has_it(name: str, file: str, use: str) -> None:
    module, _, attribute = name.rpartition(".")
    package = name.split(".")[0].replace("_", "-")
    gone = f"{name} is gone from {package} {version(package)}; {file} needs it: {use}"
    try:
        assert hasattr(import_module(module), attribute), gone
    except ImportError as error:
        raise AssertionError(gone) from error


def test_private_names_are_told_from_public_ones() -> None:
    assert is_private("numba.core.caching", "FunctionCache")
    assert is_private("pymc.sampling.mcmc", "_sample_return")
    assert is_private("xarray._tree", "anything")
    assert not is_private("numba", "njit")
    assert not is_private("pymc.blocking", "PointType")

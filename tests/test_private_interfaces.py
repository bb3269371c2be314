"""The page of private interfaces: complete, true, and there in the installed releases."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "private_interfaces.md"
ROW = re.compile(r"^\| `(?P<name>[\w.]+)` \| `(?P<file>[\w./]+\.py)` \| (?P<use>[^|]+) \|", re.M)
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
ATTRIBUTE = re.compile(
    r"^\| `(?P<of>[\w.]+)` \| `(?P<name>_\w+)` \| `(?P<file>[\w./]+)` \| (?P<use>[^|]+) \|", re.M
)
PROMISED = {"_replace", "_asdict", "_fields", "_exit"}  # of named tuples and of os
ATTRIBUTES = [row.groups() for row in ATTRIBUTE.finditer(PAGE.read_text())]
LISTED = [(row["name"], row["file"], row["use"]) for row in ROW.finditer(PAGE.read_text())]


def is_private(module: str, name: str) -> bool:
    """Whether a package that others make has not promised to keep a name."""
    hidden = any(part.startswith("_") for part in f"{module}.{name}".split("."))
    return module.split(".")[0] in PACKAGES and (hidden or f"{module}.".startswith(PRIVATE))


def nodes() -> Iterator[tuple[ast.AST, str]]:
    """All that our code is made of, with the file where it stands."""
    for room in ("models", "samplers", "studies"):
        for path in sorted((ROOT / room).rglob("*.py")):
            file = path.relative_to(ROOT).as_posix()
            for node in ast.walk(ast.parse(path.read_text())):
                yield node, file


@cache
def imported() -> tuple[tuple[str, str], ...]:
    """Private names that our code imports, each with the file that does."""
    return tuple(
        (f"{node.module}.{alias.name}", file)
        for node, file in nodes()
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
        if is_private(node.module, alias.name)
    )


def reached() -> set[tuple[str, str]]:
    """Private attributes that our code reads or sets and that no code of ours makes."""
    made, found = set(PROMISED), set()
    for node, file in nodes():
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            made.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            made.add(node.id)
        elif isinstance(node, ast.Attribute) and re.match("_[^_]", node.attr):
            found.add((node.attr, file))
            if isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
                made.add(node.attr)
    return {(name, file) for name, file in found if name not in made}


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


def test_the_page_lists_private_attributes_of_other_packages() -> None:
    listed = {(name, file) for _, name, file, _ in ATTRIBUTES}
    assert reached() <= listed
    for name, file in listed:
        assert name in (ROOT / file).read_text(), f"{file} is without {name}"


@pytest.mark.parametrize(("of", "name", "file", "use"), ATTRIBUTES)
def test_the_installed_class_has_it(of: str, name: str, file: str, use: str) -> None:
    module, _, attribute = of.rpartition(".")
    package = of.split(".")[0].replace("_", "-")
    bases = getattr(import_module(module), attribute).__mro__
    sources = [inspect.getsource(base) for base in bases if base.__module__.startswith(package)]
    pattern = rf"\bself\.{name}\b|\bdef {name}\b|^    {name} ="
    gone = f"{of}.{name} is gone from {package} {version(package)}; {file} needs it: {use}"
    assert any(re.search(pattern, source, re.M) for source in sources), gone


def test_private_names_are_told_from_public_ones() -> None:
    assert is_private("numba.core.caching", "FunctionCache")
    assert is_private("pymc.sampling.mcmc", "_sample_return")
    assert is_private("xarray._tree", "anything")
    assert not is_private("numba", "njit")
    assert not is_private("pymc.blocking", "PointType")

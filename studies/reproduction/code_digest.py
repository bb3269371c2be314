"""Which code made a result: a digest of the module of a function and of all it imports here.

Comments, docstrings and layout do not count, and neither do modules that the function never
imports, such as those that draw pages.
"""

import ast
import sys
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

PACKAGE = __name__.split(".")[0]


def code_digest(function: Callable[..., Any]) -> str:
    """Digest of the code that a function depends on.

    Parameters
    ----------
    function : callable
        A function of a module.

    Returns
    -------
    str

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.code_digest import code_digest
    >>> from pymc_bnn.studies.reproduction.units import run_units
    >>> len(code_digest(run_units)), code_digest(run_units) == code_digest(code_digest)
    (16, False)
    """
    return _digest(getattr(function, "__module__", None) or "builtins")


@cache
def _digest(module: str) -> str:
    trees = dependencies(module).items()
    words = sorted((name, _without_words(tree)) for name, tree in trees)
    return sha256(repr(words).encode()).hexdigest()[:16]


@cache
def dependencies(module: str) -> dict[str, ast.Module]:
    """Syntax trees of a module and of all of this package that it imports, by name."""
    seen, waiting = dict[str, ast.Module | None](), [module]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen[name] = tree = _tree(name)
            waiting += [] if tree is None else _imports(name, tree)
    return {name: tree for name, tree in seen.items() if tree is not None}


@cache
def _tree(module: str) -> ast.Module | None:
    source = _source(module)
    return None if source is None else ast.parse(source.read_bytes())


def _source(module: str) -> Path | None:
    loaded = sys.modules.get(module)
    file = getattr(loaded, "__file__", None)
    if file is None and module.split(".")[0] == PACKAGE:
        try:
            spec = find_spec(module)
        except ModuleNotFoundError:  # a name in a module, not a module
            return None
        file = None if spec is None else spec.origin
    mine = module.split(".")[0] == PACKAGE or "site-packages" not in str(file)
    return Path(file) if file and file.endswith(".py") and mine else None


def _imports(module: str, tree: ast.Module) -> Iterator[str]:
    """Modules of this package that a module imports, anywhere in it."""
    source = _source(module)
    is_package = source is not None and source.name == "__init__.py"
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            dots = "." * node.level
            base = resolve_name(dots + (node.module or ""), package) if dots else node.module or ""
            if base.split(".")[0] == PACKAGE:
                yield base
                yield from (f"{base}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            names = (name.name for name in node.names)
            yield from (name for name in names if name.split(".")[0] == PACKAGE)


def _without_words(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
    return sha256(ast.dump(tree).encode()).hexdigest()

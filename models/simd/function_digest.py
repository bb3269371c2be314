"""Identify compiled code on disk by the functions that it is made of.

Numba's own cache notices a change of the function that is called, not of those that it calls.
:func:`function_digest` follows a function to all others that its code names, so that changed code
is compiled anew, and code that was moved, or whose comments changed, is not.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.typing.templates import builtin_registry
from numba.extending import _Intrinsic as Intrinsic

from .internals import CACHED_SRC_FUNCTIONS

# What these define is known by its name; numba's cache notes its own version.
LIBRARIES = {"builtins", "llvmlite", "math", "numba", "numpy", "operator"}
HAS_DOCSTRING = 0x4000000  # a flag from Python 3.13 on
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


class UnknownError(TypeError):
    """Raised for what has no digest."""


def function_digest(function: Callable) -> str | None:
    """Digest of the code of a function and of all that it calls.

    Parameters
    ----------
    function : callable
        A function, compiled by numba or not.

    Returns
    -------
    str or None
        None if the function leads to something whose code cannot be known, such as a graph that
        PyTensor cannot cache, or a function that stands for others by ``numba.extending.overload``.

    Examples
    --------
    >>> from pymc_bnn.models.simd.function_digest import function_digest
    >>> function_digest(lambda x: x + 1.0) == function_digest(lambda x: x + 1.0)
    True
    >>> function_digest(lambda x: x + 1.0) == function_digest(lambda x: x + 2.0)
    False
    """
    digest = sha256(sys.implementation.cache_tag.encode())
    try:
        for token in _Walk().tokens(function):
            digest.update(f"{len(token)}:".encode() + token)
    except UnknownError:
        return None
    return digest.hexdigest()


class _Walk:
    """One walk from a function to all that it names; what was met before is a number."""

    def __init__(self) -> None:
        self.met: dict[int, int] = {}
        self.alive: list[Any] = []  # so that no later object gets the address of an earlier one
        self.stubs = {id(known) for known, _ in builtin_registry.globals}

    def tokens(self, given: Any) -> Iterator[bytes]:
        """Yield what tells an object from others."""
        if isinstance(given, PLAIN):
            yield f"{type(given).__name__} {given!r}".encode()
        elif isinstance(given, tuple | list | dict):
            parts = list(given.items()) if isinstance(given, dict) else given
            yield f"{type(given).__name__} of {len(parts)}".encode()
            for part in parts:
                yield from self.tokens(part)
        elif isinstance(given, frozenset | set):
            yield f"set {sorted(map(repr, given))}".encode()
        elif isinstance(given, np.ndarray | np.generic):
            yield f"array {given.dtype.str} {given.shape}".encode()
            yield given.tobytes()
        elif isinstance(given, types.Type | np.dtype):
            yield f"type {given}".encode()
        elif id(given) in self.met:
            yield f"met {self.met[id(given)]}".encode()
        else:
            self.met[id(given)] = len(self.met)
            self.alive.append(given)
            yield from self._named(given)

    def _named(self, given: Any) -> Iterator[bytes]:
        if isinstance(given, Dispatcher):
            yield from self.tokens(dict(sorted(given.targetoptions.items())))
            if getattr(given, "optimised", False):  # before it is linked into callers
                yield b"optimised"
            yield from self.tokens(given.py_func)
        elif isinstance(given, Intrinsic):
            yield b"intrinsic"
            yield from self.tokens(given._defn)
        elif isinstance(given, ModuleType):
            yield f"module {given.__name__.rpartition('.')[2]}".encode()
        elif _is_of_a_library(given):
            name = getattr(given, "__qualname__", None) or f"{type(given).__qualname__} {given}"
            yield f"library {given.__module__}.{name}".encode()
        elif isinstance(given, FunctionType):
            yield from self._function(given)
        elif isinstance(given, type):
            fields = getattr(given, "_fields", None)
            if fields:
                yield f"fields {fields}".encode()
            else:
                yield _definitions(given.__module__)
                yield from self._imports(given.__module__)
        else:
            raise UnknownError(f"{given!r} has no digest.")

    def _imports(self, module: str) -> Iterator[bytes]:
        """Follow what a module with types has from others of its package."""
        namespace = vars(sys.modules[module])
        for name in _imported(module):
            if name not in namespace:  # what is imported for a checker of types alone
                continue
            yield name.encode()
            yield from self.tokens(namespace[name])
            if isinstance(namespace[name], ModuleType) and not _is_of_a_library(namespace[name]):
                yield _definitions(namespace[name].__name__)

    def _function(self, function: FunctionType) -> Iterator[bytes]:
        key = CACHED_SRC_FUNCTIONS.get(function)
        if key is not None:
            yield f"graph {key}".encode()
            return
        if hasattr(function, "__source__"):
            raise UnknownError(f"{function} was made by PyTensor, which cannot cache it.")
        if id(function) in self.stubs:
            raise UnknownError(f"{function} stands for code that numba was told of elsewhere.")
        names = _names(function.__code__)
        yield from self._code(function.__code__, function.__globals__, function.__doc__, names)
        yield from self.tokens((function.__defaults__, function.__kwdefaults__))
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            yield from self._attributes(value, names)
        for cell in function.__closure__ or ():
            try:
                found = cell.cell_contents
            except ValueError as error:  # nothing is there yet
                raise UnknownError(f"{function} names what is not there.") from error
            yield from self.tokens(found)
            yield from self._attributes(found, names)

    def _code(
        self, code: CodeType, namespace: dict[str, Any], doc: str | None, names: tuple[str, ...]
    ) -> Iterator[bytes]:
        """Follow code; the names are those of all of its function, such as parts of modules."""
        yield code.co_code
        yield code.co_exceptiontable
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        flags = code.co_flags & ~HAS_DOCSTRING
        yield repr((arguments, flags, len(code.co_consts), code.co_names)).encode()
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from self._code(constant, namespace, None, names)
            else:
                yield from self.tokens(None if constant == doc else constant)
        for name in code.co_names:
            if name in namespace:
                yield from self.tokens(namespace[name])
                yield from self._attributes(namespace[name], names)

    def _attributes(
        self, module: Any, names: tuple[str, ...], outer: tuple[Any, ...] = ()
    ) -> Iterator[bytes]:
        """Follow ``package.module.function``, whose names stand side by side in the code."""
        if not isinstance(module, ModuleType) or _is_of_a_library(module) or module in outer:
            return
        for name in names:
            if hasattr(module, name):
                yield from self.tokens(getattr(module, name))
                yield from self._attributes(getattr(module, name), names, (*outer, module))


def _names(code: CodeType) -> tuple[str, ...]:
    """Names in a function's code and in that of functions inside of it."""
    inner = (_names(one) for one in code.co_consts if isinstance(one, CodeType))
    return (*code.co_names, *(name for names in inner for name in names))


def _is_of_a_library(given: Any) -> bool:
    name = given.__name__ if isinstance(given, ModuleType) else getattr(given, "__module__", None)
    if isinstance(given, BuiltinFunctionType | np.ufunc):
        return True
    return isinstance(name, str) and name.partition(".")[0] in LIBRARIES


@cache
def _definitions(module: str) -> bytes:
    """All code of a module that defines types for the compiler, which no function names."""
    tree = _parsed(module)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [part for part in body if not _says_nothing(part)]
            node.body = kept  # type: ignore[attr-defined]  # all that have a body can be given one
    return sha256(ast.dump(tree).encode()).digest()


@cache
def _imported(module: str) -> tuple[str, ...]:
    """Names that a module has from others of its package, in their order."""
    package = module.partition(".")[0]
    found = set[str]()
    for node in ast.walk(_parsed(module)):
        if isinstance(node, ast.ImportFrom):
            near = node.level > 0 or _top(node) == package
            found |= {alias.asname or alias.name for alias in node.names} if near else set()
    return tuple(sorted(found))


def _parsed(module: str) -> ast.Module:
    try:
        return ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError, KeyError) as error:  # such as what was typed
        raise UnknownError(f"The code of {module} is not known.") from error


def _top(node: ast.ImportFrom) -> str:
    """Package from which something is imported; none if by a relative name."""
    return "" if node.level else (node.module or "").partition(".")[0]


def _says_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return _top(node) not in LIBRARIES  # a name may stand for another function of these
    if isinstance(node, ast.Import):
        return True
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

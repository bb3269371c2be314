"""Tell whether a class is still the one of its name that a description was made with."""

import sys
from collections.abc import Iterator
from hashlib import sha256
from types import CodeType, FunctionType
from typing import Any

import numpy as np

LIBRARIES = {"builtins", "abc", "typing", "collections"}
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


def class_digest(kind: type, room: str) -> str:
    """Digest of the code of a class that a user wrote, and of the numbers that it names.

    Comments, docstrings and places in a file do not matter. Other versions of Python compile
    otherwise, so that the digest begins with that.

    Parameters
    ----------
    kind : type
        The class.
    room : str
        Package whose classes are not followed.

    Returns
    -------
    str

    Examples
    --------
    >>> from pymc_bnn.models.class_digest import class_digest
    >>> def make(size):
    ...     class Kind:
    ...         def scale(self):
    ...             return size
    ...     return Kind
    >>> first, again, other = (class_digest(make(size), "pymc_bnn") for size in (1.0, 1.0, 50.0))
    >>> first == again, first == other
    (True, False)
    """
    digest, walk = sha256(), _Walk(room)
    for base in kind.__mro__:
        library = base.__module__.partition(".")[0] in LIBRARIES
        if not library and not base.__module__.startswith(room):
            for name, value in sorted(vars(base).items(), key=lambda item: item[0]):
                for token in walk.member(name, value):
                    digest.update(f"{len(token)}:".encode() + token)
    return f"{sys.implementation.cache_tag}:{digest.hexdigest()[:32]}"


def agrees(known: str, kind: type, room: str) -> bool:
    """Whether a class has the code of a digest; another Python's cannot be compared."""
    tag = known.partition(":")[0]
    return tag != sys.implementation.cache_tag or known == class_digest(kind, room)


class _Walk:
    """One walk through the functions of a class, and those of its modules that they name."""

    def __init__(self, room: str):
        self.room = room
        self.met: set[FunctionType] = set()

    def member(self, name: str, value: Any) -> Iterator[bytes]:
        """Yield what tells a member of a class from others."""
        if isinstance(value, property):
            value = value.fget
        value = getattr(value, "__func__", value)
        if isinstance(value, FunctionType) and _is_written(name):
            yield name.encode()
            yield from self.function(value)
        elif not name.startswith("__") and _is_number(value):
            yield f"{name} = {value!r}".encode()

    def function(self, function: FunctionType) -> Iterator[bytes]:
        """Yield what tells a function that a user wrote from others."""
        if function in self.met or function.__module__.startswith(self.room):
            return
        self.met.add(function)
        yield from self._code(function.__code__, function, function.__doc__)
        yield _shown((function.__defaults__, function.__kwdefaults__))
        for cell in function.__closure__ or ():
            yield _shown(cell.cell_contents)

    def _code(self, code: CodeType, owner: FunctionType, doc: str | None) -> Iterator[bytes]:
        yield code.co_code
        yield repr((code.co_varnames, code.co_names)).encode()
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from self._code(constant, owner, None)
            elif constant != doc:
                yield _shown(constant)
        for name in code.co_names:
            found = owner.__globals__.get(name)
            if isinstance(found, FunctionType) and found.__module__ == owner.__module__:
                yield from self.function(found)
            elif name in owner.__globals__ and _is_number(found):
                yield f"{name} = {found!r}".encode()


def _is_written(name: str) -> bool:
    """Whether people write a method of this name, and not ``dataclass`` alone."""
    return not name.startswith("__") or name == "__post_init__"


def _is_number(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_number, value))
    return isinstance(value, (*PLAIN, np.generic))


def _shown(value: Any) -> bytes:
    if isinstance(value, FunctionType):
        return value.__code__.co_code
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return repr(value).encode() if _is_number(value) else type(value).__qualname__.encode()

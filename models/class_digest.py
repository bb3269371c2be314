"""Tell whether a class that a user wrote is still the one of its name that was described."""

import sys
from collections.abc import Iterator
from dis import get_instructions
from hashlib import sha256
from types import CodeType, FunctionType
from typing import Any

import numpy as np

ROOM = __name__.removesuffix("class_digest")
LIBRARIES = {"builtins", "abc", "typing", "collections"}
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


def is_ours(kind: type) -> bool:
    """Whether a class is one of those of ``models``, and not one that a user wrote."""
    return kind.__module__.startswith(ROOM)


def full_name(kind: type) -> str:
    """Name of a class in descriptions: of a user's with its module, as two may have one name."""
    return kind.__name__ if is_ours(kind) else f"{kind.__module__}.{kind.__qualname__}"


def class_digest(kind: type) -> str:
    """Digest of the code of a class that a user wrote, and of the numbers that it names.

    Comments, docstrings and places in a file do not matter. Other versions of Python compile
    otherwise, so that the digest begins with that.

    Parameters
    ----------
    kind : type
        The class.

    Returns
    -------
    str

    Examples
    --------
    >>> from pymc_bnn.models.class_digest import class_digest
    >>> __name__ = "a_script"
    >>> def make(size):
    ...     class Kind:
    ...         def scale(self):
    ...             return size
    ...     return Kind
    >>> first, again, other = (class_digest(make(size)) for size in (1.0, 1.0, 50.0))
    >>> first == again, first == other
    (True, False)
    """
    digest, walk = sha256(), _Walk()
    for base in kind.__mro__:
        library = base.__module__.partition(".")[0] in LIBRARIES
        if not library and not is_ours(base):
            for name, value in sorted(vars(base).items(), key=lambda item: item[0]):
                for token in walk.member(name, value):
                    digest.update(f"{len(token)}:".encode() + token)
    return f"{sys.implementation.cache_tag}:{digest.hexdigest()[:32]}"


def agrees(known: str, kind: type) -> bool:
    """Whether a class has the code of a digest; another Python's cannot be compared."""
    tag = known.partition(":")[0]
    return tag != sys.implementation.cache_tag or known == class_digest(kind)


class _Walk:
    """One walk through the functions of a class, and those of its modules that they name."""

    def __init__(self) -> None:
        self.met: set[FunctionType] = set()

    def member(self, name: str, value: Any) -> Iterator[bytes]:
        """Yield what tells a member of a class from others."""
        for attribute in ("fget", "func", "__func__"):  # properties, and methods of classes
            value = getattr(value, attribute, None) or value
        if isinstance(value, FunctionType):
            if _is_written(name, value.__code__):
                yield name.encode()
                yield from self.function(value)
        elif not name.startswith("__"):
            yield f"{name} = ".encode() + self.shown(value)

    def function(self, function: FunctionType) -> Iterator[bytes]:
        """Yield what tells a function that a user wrote from others."""
        if function in self.met or str(function.__module__).startswith(ROOM):
            return
        self.met.add(function)
        yield from self._code(function.__code__, function, function.__doc__)
        yield self.shown(function.__defaults__)
        yield self.shown(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            found = cell.cell_contents
            if isinstance(found, FunctionType):
                yield from self.function(found)
            else:
                yield self.shown(found)

    def _code(self, code: CodeType, owner: FunctionType, doc: str | None) -> Iterator[bytes]:
        yield code.co_code
        yield repr((code.co_varnames, code.co_names)).encode()
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from self._code(constant, owner, None)
            elif constant != doc:
                yield self.shown(constant)
        for name in sorted(_read_alone(code) & owner.__globals__.keys()):
            found = owner.__globals__[name]
            if isinstance(found, FunctionType):
                if found.__module__ == owner.__module__:
                    yield from self.function(found)
            else:
                yield f"{name} = ".encode() + self.shown(found)

    def shown(self, value: Any) -> bytes:
        """Return the numbers and words of a value, and the type of all else."""
        if isinstance(value, (*PLAIN, np.generic)):
            return repr(value).encode()
        if isinstance(value, np.ndarray) and value.dtype != object:
            return f"{value.dtype} {value.shape} ".encode() + value.tobytes()
        parts: list[bytes] = []
        if isinstance(value, dict):
            parts = [self.shown(k) + b": " + self.shown(v) for k, v in value.items()]
        elif isinstance(value, tuple | list):
            parts = list(map(self.shown, value))
        elif isinstance(value, set | frozenset):
            parts = sorted(map(self.shown, value))
        return b", ".join([type(value).__qualname__.encode(), *parts])


def _is_written(name: str, code: CodeType) -> bool:
    """Whether people wrote a method, and not ``dataclass``."""
    return not name.startswith("__") or name == "__post_init__" or code.co_filename != "<string>"


def _read_alone(code: CodeType) -> set[str]:
    """Globals that a function reads and does not write, which attributes of a name are not."""
    found: dict[str, set[str]] = {"LOAD": set(), "STORE": set()}
    for step in get_instructions(code):
        kind, _, what = step.opname.partition("_")
        if what in ("GLOBAL", "NAME") and kind in found:
            found[kind].add(str(step.argval))
    return found["LOAD"] - found["STORE"]

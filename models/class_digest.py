"""Tell whether a class that a user wrote is still the one of its name that was described."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, time, timedelta
from decimal import Decimal
from dis import get_instructions, hasconst
from fractions import Fraction
from functools import partial, partialmethod
from hashlib import sha256
from inspect import CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path, PurePath
from types import CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

ROOM = __name__.removesuffix("class_digest")
VARIADIC = CO_VARARGS | CO_VARKEYWORDS
IMMUTABLE = (range, slice, Fraction, Decimal, date, time, timedelta, PurePath)
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


def is_ours(kind: type) -> bool:
    """Whether a class is one of those of ``models``, and not one that a user wrote."""
    return kind.__module__.startswith(ROOM)


def full_name(kind: type) -> str:
    """Name of a class in descriptions: of a user's with its module, as two may have one name."""
    return kind.__name__ if is_ours(kind) else f"{kind.__module__}.{kind.__qualname__}"


def class_digest(kind: type) -> str:
    """Digest of the code of a class that a user wrote, and of the numbers that it names.

    Functions, classes and objects that its methods name are followed through all modules that are
    neither installed nor Python's own; attributes of attributes are not. Dicts, lists and sets that
    can change are left out, as code that runs fills them. Nor do comments, docstrings and places in
    a file matter. Other versions of Python compile otherwise, so that the digest begins with that.

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
    digest = sha256()
    for token in _Walk().tokens(kind):
        digest.update(f"{len(token)}:".encode() + token)
    return f"{sys.implementation.cache_tag}:{digest.hexdigest()[:32]}"


def agrees(known: str, kind: type) -> bool:
    """Whether a class has the code of a digest; another Python's cannot be compared."""
    tag = known.partition(":")[0]
    return tag != sys.implementation.cache_tag or known == class_digest(kind)


class _Walk:
    """One walk from a class to all that its methods name; nothing is met twice."""

    def __init__(self) -> None:
        self.met: dict[int, int] = {}
        self.alive: list[Any] = []  # so that no later object gets the address of an earlier one

    def tokens(self, given: Any) -> Iterator[bytes]:
        """Yield what tells an object from others."""
        if isinstance(given, (*PLAIN, np.generic)):
            yield repr(given).encode()
        elif isinstance(given, np.ndarray) and given.dtype != object:
            yield f"{given.dtype} {given.shape} ".encode() + given.tobytes()
        elif isinstance(given, frozenset):
            yield repr(sorted(repr(one) for one in given if isinstance(one, PLAIN))).encode()
            # others print where they are in memory
            for part in sorted((one for one in given if not isinstance(one, PLAIN)), key=_name_of):
                yield from self.tokens(part)
        elif isinstance(given, np.ndarray):  # of objects
            yield f"objects {given.shape}".encode()
            yield from self.tokens(tuple(given.ravel().tolist()))
        elif isinstance(given, IMMUTABLE):
            yield f"{type(given).__qualname__} {given!r}".encode()
        elif isinstance(given, tuple):
            yield f"tuple of {len(given)}".encode()
            for part in given:
                yield from self.tokens(part)
        elif id(given) in self.met:
            yield f"met {self.met[id(given)]}".encode()
        else:
            self.met[id(given)] = len(self.met)
            self.alive.append(given)
            yield type(given).__qualname__.encode()
            yield from self._named(given)

    def _named(self, given: Any) -> Iterator[bytes]:
        if isinstance(given, FunctionType):
            yield from self._function(given)
        elif isinstance(given, partial | partialmethod):
            yield from self.tokens((given.func, given.args, *sorted(given.keywords.items())))
        elif isinstance(given, type):
            yield from self._class(given)
        elif isinstance(given, property):
            yield from self.tokens((given.fget, given.fset, given.fdel))
        elif isinstance(given, MethodType):
            yield from self.tokens((given.__func__, given.__self__))
        elif (inner := _wrapped(given)) is not None:
            yield from self.tokens(inner)
        elif _is_users(type(given).__module__):
            yield from self.tokens(type(given))
            for name, value in sorted(_attributes(given).items()):
                yield from self.tokens((name, value))

    def _class(self, kind: type) -> Iterator[bytes]:
        for base in kind.__mro__:
            if _is_users(base.__module__):
                for name, value in sorted(vars(base).items(), key=lambda item: item[0]):
                    if _is_written(name, value):
                        yield name.encode()
                        yield from self.tokens(value)

    def _function(self, function: FunctionType) -> Iterator[bytes]:
        if not _is_users(function.__module__):
            yield f"{function.__module__}.{function.__qualname__}".encode()
            return
        yield from self._code(function.__code__, function, function.__doc__)
        keywords = sorted((function.__kwdefaults__ or {}).items())
        yield from self.tokens((function.__defaults__, *keywords))
        for value in (*(function.__defaults__ or ()), *(value for _, value in keywords)):
            if isinstance(value, ModuleType):
                yield from self._value(value, function.__code__)

    def _code(self, code: CodeType, owner: FunctionType, doc: str | None) -> Iterator[bytes]:
        yield code.co_code
        counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
        yield repr((code.co_varnames, code.co_names, counts, code.co_flags & VARIADIC)).encode()
        read = {step.arg for step in get_instructions(code) if step.opcode in hasconst}
        for number, constant in enumerate(code.co_consts):
            if isinstance(constant, CodeType):
                yield from self._code(constant, owner, None)
            elif constant != doc or (doc is not None and number in read):
                yield from self.tokens(constant)
        for name in sorted(_read_alone(code) & owner.__globals__.keys()):
            yield name.encode()
            yield from self._value(owner.__globals__[name], code)
        closed = dict(zip(owner.__code__.co_freevars, owner.__closure__ or (), strict=True))
        for name in sorted(closed.keys() & {*code.co_freevars}):
            try:
                found = closed[name].cell_contents
            except ValueError:  # nothing is there yet
                continue
            yield from self._value(found, code)

    def _value(self, found: Any, code: CodeType) -> Iterator[bytes]:
        """Follow what code reads: of a module of the user, the attributes that it names."""
        if not isinstance(found, ModuleType):
            yield from self.tokens(found)
        elif _is_users(found.__name__):
            for attribute in sorted(set(code.co_names) & vars(found).keys()):
                yield from self.tokens(vars(found)[attribute])


def _is_users(module: str | None) -> bool:
    """Whether a user wrote a module: it is not ours, nor Python's, nor installed."""
    if module is None or module == "__main__":  # which has an installed file in some workers
        return True
    if module.startswith(ROOM) or module.partition(".")[0] in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return not {"site-packages", "dist-packages"} & set(Path(file).parts)


def _name_of(given: Any) -> str:
    """Name of a function or a class, or the kind of another object, with what it prints as."""
    named = given if isinstance(given, FunctionType | type | np.ufunc) else type(given)
    shown = "" if " at 0x" in repr(given) else repr(given)
    return f"{getattr(named, '__module__', '')}.{named.__name__} {shown}"


def _wrapped(given: Any) -> Any:
    """Return the function in a method of a class, or in what remembers results."""
    for attribute in ("__func__", "__wrapped__", "func"):
        try:
            inner = getattr(given, attribute, None)
        except Exception:  # a user's __getattr__ may raise anything
            continue
        if isinstance(inner, FunctionType):
            return inner
    return None


def _attributes(given: Any) -> dict[str, Any]:
    """Attributes of an object itself, in slots or in its dict."""
    kept = {}
    for kind in type(given).__mro__:
        for name, slot in vars(kind).items():
            if isinstance(slot, MemberDescriptorType):
                with suppress(AttributeError):  # nothing is there yet
                    kept[name] = slot.__get__(given)
    with suppress(AttributeError):
        kept |= object.__getattribute__(given, "__dict__")
    return kept


def _is_written(name: str, value: Any) -> bool:
    """Whether people wrote a member of a class, and not Python or ``dataclass``."""
    if not name.startswith("__") or name == "__post_init__":
        return not name.startswith("_abc_")
    return isinstance(value, FunctionType) and value.__code__.co_filename != "<string>"


def _read_alone(code: CodeType) -> set[str]:
    """Globals that a function reads and does not write, which attributes of a name are not."""
    found: dict[str, set[str]] = {"LOAD": set(), "STORE": set()}
    for step in get_instructions(code):
        kind, _, what = step.opname.partition("_")
        if what in ("GLOBAL", "NAME") and kind in found:
            found[kind].add(str(step.argval))
    return found["LOAD"] - found["STORE"]

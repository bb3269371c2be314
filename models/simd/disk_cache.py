"""Keep PyTensor's compiled functions on disk usable, whatever happened to the files.

PyTensor leaves the files of its numba functions to numba. That raises whatever it meets in a
damaged file, gives two processes that compile a function for different arguments at the same
time one file name for both, and never deletes a file. :func:`mend` changes all three for the
functions of PyTensor, and so for ``pm.sample`` and nutpie too; all other functions keep numba's
cache.
"""

import logging
import os
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from .internals import CACHED_SRC_FUNCTIONS

try:
    from numba.core import dispatcher, environment
    from numba.core.caching import FunctionCache
    from numba.core.environment import _rebuild_env

    HAS_INTERNALS = True
except ImportError:  # not public: without them a damaged file has to be deleted by hand
    FunctionCache = object  # type: ignore[misc, assignment]  # stands in as a base class
    HAS_INTERNALS = False

    def _rebuild_env(module: str, constants: Any, name: str) -> Any:  # type: ignore[misc]  # never called
        """Rebuild nothing."""


MOST_BYTES = 2 * 2**30  # all tests and studies need 0.3 GiB
KEPT = 0.75  # of that, so that not every process has to delete
FILE = re.compile(r"(?P<function>.+\.py\d+\w*)(\.[0-9a-f]{16})?(\.\d+)?\.nb[ic](\.tmp\.\w+)?")

_log = logging.getLogger(__name__)


class _Loading(threading.local):
    """Whether this thread loads code of PyTensor's functions."""

    ours = False


_loading = _Loading()


@wraps(_rebuild_env)  # so that files name numba's function, which other processes have too
def rebuild_environment(module: str, constants: Any, name: str) -> Any:
    """Global names and constants of a function that is loaded, which may have moved since.

    numba keeps the module of each function, for its global names. Compiled code has no use for
    them, and which functions it is made of is told by their digest: so that for one of PyTensor's
    whose module is gone the names of another serve.

    Parameters
    ----------
    module : str
        Where the function was when it was compiled.
    constants : list
        Objects that its code needs.
    name : str
        Name of both, by which code finds them.

    Returns
    -------
    numba.core.environment.Environment
        Both.

    Raises
    ------
    ModuleNotFoundError
        If the module is gone and the function is none of PyTensor's, or if the module is there and
        imports one that is gone.
    """
    try:
        return _rebuild_env(module, constants, name)
    except ModuleNotFoundError as error:
        # a package that is gone is what a module in it is not found by
        if not _loading.ours or not error.name or not f"{module}.".startswith(f"{error.name}."):
            raise
    return _rebuild_env(__name__, constants, name)


class MendedCache(FunctionCache):
    """Files of one compiled function; a file that does not load is as good as none.

    Parameters
    ----------
    py_func : callable
        The function, before it is compiled.
    """

    def __init__(self, py_func: Callable):
        super().__init__(py_func)
        # numba counts files up from 1, so that the index of one process may name another's file
        unique = f"{self._impl.filename_base}.{uuid4().hex[:16]}"
        self._cache_file._data_name_pattern = f"{unique}.{{number:d}}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load the code for some types of arguments; None if there is none that loads."""
        try:
            _loading.ours = True
            code = super().load_overload(sig, target_context)
        except Exception as error:  # damaged bytes can raise anything
            _log.info("Compiling %s again, as its file is damaged: %s.", self._name, error)
            self._write(self.flush)
            return None
        finally:
            _loading.ours = False
        if code is not None:
            with suppress(OSError):  # in a folder that is read only
                os.utime(self._cache_file._index_path)  # which says when it was last used
        return code

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save compiled code; if that fails the code serves this process alone."""
        self._write(super().save_overload, sig, data)
        limit_once(Path(self.cache_path))

    def _write(self, write: Callable[..., None], *arguments: Any) -> None:
        try:
            write(*arguments)
        except OSError as error:
            _log.warning("Compiled code cannot be kept in %s: %s.", self.cache_path, error)


def limit_size(folder: Path, most_bytes: int = MOST_BYTES) -> int:
    """Delete the functions that were not used for longest, where all take too much room.

    Another process that loads a deleted function compiles it again.

    Parameters
    ----------
    folder : Path
        Folder of numba's files; others in it stay.
    most_bytes : int, default 2 GiB
        If the files have more, they are deleted down to three quarters of it.

    Returns
    -------
    int
        How many bytes were deleted.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from pymc_bnn.models.simd.disk_cache import limit_size
    >>> limit_size(Path(mkdtemp()))
    0
    """
    functions = sorted(_functions(folder).values())
    excess = sum(function.size for function in functions) - most_bytes
    if excess <= 0:
        return 0
    deleted, wanted = 0, excess + (1.0 - KEPT) * most_bytes
    for function in functions:
        if deleted >= wanted:
            break
        deleted += function.size
        for path in function.paths:
            with suppress(OSError):  # another process was faster
                os.unlink(path)
    return deleted


class _Function(NamedTuple):
    used: float
    size: int
    paths: tuple[str, ...]


def _functions(folder: Path) -> dict[str, _Function]:
    """Files of each function in a folder, by its name."""
    found: dict[str, _Function] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            parts = FILE.fullmatch(entry.name)
            if parts:
                with suppress(OSError):  # renamed or deleted meanwhile
                    status = entry.stat()
                    used, size, paths = found.get(parts["function"], _Function(0.0, 0, ()))
                    found[parts["function"]] = _Function(
                        max(used, status.st_mtime), size + status.st_size, (*paths, entry.path)
                    )
    return found


@cache
def limit_once(folder: Path) -> None:
    """Limit the size of a folder, once in a process."""
    with suppress(OSError):  # the folder is gone
        deleted = limit_size(folder)
        if deleted:
            _log.info("Deleted %.0f MiB of compiled code not used lately.", deleted / 2**20)


def _function_cache(py_func: Callable) -> Any:
    return MendedCache(py_func) if py_func in CACHED_SRC_FUNCTIONS else FunctionCache(py_func)


def mend() -> None:
    """Give the functions that PyTensor compiles from now on a cache that mends itself.

    Examples
    --------
    >>> from pymc_bnn.models.simd.disk_cache import mend
    >>> mend()
    """
    if HAS_INTERNALS:
        # numba looks the class up here, and its types do not say so
        dispatcher.FunctionCache = _function_cache  # type: ignore[attr-defined]  # numba has no types
        environment._rebuild_env = rebuild_environment

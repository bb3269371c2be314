"""Keep PyTensor's compiled functions on disk usable, whatever happened to the files.

PyTensor leaves the files of its numba functions to numba. That raises whatever it meets in a
damaged file, and gives two processes that compile a function for different arguments at the same
time one file name for both. :func:`mend` changes both for the functions of PyTensor, and so for
``pm.sample`` and nutpie too; all other functions keep numba's cache.
"""

import logging
from collections.abc import Callable
from typing import Any
from uuid import uuid4

try:
    from numba.core import dispatcher
    from numba.core.caching import FunctionCache
    from pytensor.link.numba.cache import CACHED_SRC_FUNCTIONS

    HAS_INTERNALS = True
except ImportError:  # not public: without them a damaged file has to be deleted by hand
    FunctionCache = object  # type: ignore[misc, assignment]  # stands in as a base class
    HAS_INTERNALS = False

_log = logging.getLogger(__name__)


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
            return super().load_overload(sig, target_context)
        except Exception as error:  # damaged bytes can raise anything
            _log.info("Compiling %s again, as its file is damaged: %s.", self._name, error)
            self._write(self.flush)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save compiled code; if that fails the code serves this process alone."""
        self._write(super().save_overload, sig, data)

    def _write(self, write: Callable[..., None], *arguments: Any) -> None:
        try:
            write(*arguments)
        except OSError as error:
            _log.warning("Compiled code cannot be kept in %s: %s.", self.cache_path, error)


def _function_cache(py_func: Callable) -> Any:
    return MendedCache(py_func) if py_func in CACHED_SRC_FUNCTIONS else FunctionCache(py_func)


def mend() -> None:
    """Give the functions that PyTensor compiles from now on a cache that mends itself.

    Examples
    --------
    >>> from pymc_bnn.models.disk_cache import mend
    >>> mend()
    """
    if HAS_INTERNALS:
        # numba looks the class up here, and its types do not say so
        dispatcher.FunctionCache = _function_cache  # type: ignore[attr-defined]

"""What PyTensor does not make public of its numba backend, each name from here alone.

Without it, in a release that has moved it, nothing of ours is compiled or kept: layers are
PyTensor's plain graphs, and the samplers' loops run in Python.
"""

from collections.abc import Callable
from typing import Any

try:
    from pytensor.link.numba.cache import CACHED_SRC_FUNCTIONS
    from pytensor.link.numba.dispatch.basic import numba_njit, register_funcify_and_cache_key
    from pytensor.link.numba.linker import NumbaLinker

    HAS_INTERNALS = True
except ImportError:
    HAS_INTERNALS = False
    CACHED_SRC_FUNCTIONS: dict[Callable, str] = {}  # type: ignore[no-redef]  # stands in for it

    class NumbaLinker:  # type: ignore[no-redef]  # stands in for it
        """Linker of no mode."""

    def numba_njit(*functions: Callable, **options: Any) -> Any:  # type: ignore[misc]  # never called
        """Compile nothing, as nothing asks for it."""
        raise TypeError("PyTensor has no numba backend that could compile this.")

    def register_funcify_and_cache_key(  # type: ignore[misc]  # never called
        op: type, **options: Any
    ) -> Callable[[Callable], Callable]:
        """Register nothing."""
        return lambda function: function


__all__ = [
    "CACHED_SRC_FUNCTIONS",
    "HAS_INTERNALS",
    "NumbaLinker",
    "numba_njit",
    "register_funcify_and_cache_key",
]

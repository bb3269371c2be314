"""One lock for all that compiles graphs of PyTensor, runs them in Python, or tempers a model.

PyTensor changes global settings while it compiles, operations that contain a graph keep values
while they run, and a model has one temperature for all that sample it.
"""

import os
from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any

COMPILING: Any = RLock()
FREE = getattr(COMPILING, "_at_fork_reinit", None)  # not public
if FREE and hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=FREE)  # the thread that holds it is not there


def alone[**P, T](function: Callable[P, T]) -> Callable[P, T]:
    """Make threads that call the function wait for each other, and for all that hold the lock.

    Examples
    --------
    >>> from pymc_bnn.models.simd.one_thread import alone
    >>> alone(len)("abc")
    3
    """

    @wraps(function)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        with COMPILING:
            return function(*args, **kwargs)

    return waiting

"""Ctrl-C held back while compiled code is called.

To read a ``numpy.random.Generator``, numba calls Python functions and does not look at whether they
failed. Ctrl-C that falls into one of them ends the process with a segmentation fault instead of
a ``KeyboardInterrupt``, and all draws are lost.
"""

import _signal  # what `signal` wraps in enumerations, which take ten microseconds a call
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any


def hold_interrupts(function: Callable[..., Any]) -> Callable[..., Any]:
    """Have Ctrl-C raise after a compiled function has returned, never in between.

    Compilation, which takes much longer than a call, can still be interrupted.

    Parameters
    ----------
    function : callable
        Compiled by numba.

    Returns
    -------
    callable
        Takes the same positional arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from numba import njit
    >>> from pymc_bnn.samplers.compiled.interrupts import hold_interrupts
    >>> draw = hold_interrupts(njit(lambda rng: rng.random()))
    >>> draw(np.random.default_rng(0)) == np.random.default_rng(0).random()
    True
    """
    compiled = False

    @wraps(function)
    def call(*arguments: Any) -> Any:
        nonlocal compiled
        # only the main thread is ever interrupted, and only by a handler written in Python
        if threading.current_thread() is not threading.main_thread():
            return function(*arguments)
        handler = _signal.getsignal(_signal.SIGINT)
        if not callable(handler):
            return function(*arguments)
        if not compiled:
            _compile(function, arguments)
            compiled = True
        held: list[Any] = []
        _signal.signal(_signal.SIGINT, lambda number, frame: held.append(frame))
        try:
            return function(*arguments)
        finally:
            _signal.signal(_signal.SIGINT, handler)
            if held:
                handler(_signal.SIGINT, held[0])

    return call


def _compile(function: Any, arguments: tuple) -> None:
    if not function.signatures:
        function.compile(tuple(map(function.typeof_pyval, arguments)))

"""Ctrl-C that is not lost, and an end from outside that is taken for it.

Callbacks from compiled code swallow Ctrl-C, or make another error of it.

LLVM swallows it while it compiles. What numba calls whenever compiled code returns an array makes a
``SystemError`` of it, with which PyMC drops all draws.

``kill``, a queue of jobs at its limit and a terminal that is closed end a process by other signals.
Its workers would stay, and with them the lock of its folder, which they hold too.
"""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType, TracebackType
from typing import Any, Self

CALLBACK = "_numba_unpickle"
ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
DIE_WITH_PARENT = 1  # prctl's PR_SET_PDEATHSIG


class Interruption:
    """Raises ``KeyboardInterrupt`` as usual, and remembers it until it is checked.

    Examples
    --------
    >>> from pymc_bnn.studies.fits.interruption import Interruption
    >>> with Interruption() as interruption:
    ...     interruption.check()
    """

    def __init__(self) -> None:
        self.pressed = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # others receive no signals
            self._before = signal.signal(signal.SIGINT, self._handle), sys.unraisablehook
            sys.unraisablehook = self._swallowed
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._before is not None:
            handler, sys.unraisablehook = self._before
            signal.signal(signal.SIGINT, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.pressed = True
        while frame is not None:
            if frame.f_code.co_name == CALLBACK:
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    def _swallowed(self, what: Any) -> None:
        """Report an error that Python could not raise, unless it is the one remembered here."""
        if not issubclass(what.exc_type, KeyboardInterrupt):
            self._before[1](what)

    def check(self) -> None:
        """Raise ``KeyboardInterrupt`` if it has been swallowed."""
        if self.pressed:
            raise KeyboardInterrupt


@contextmanager
def ended_as_interrupted() -> Iterator[None]:
    """Take an end from outside for Ctrl-C; processes that are forked meanwhile end with this one.

    What has been drawn is kept first, also where the end is asked for again. Signals that are
    ignored already, as under ``nohup``, stay so. On other systems than Linux
    workers end where this process can end them, and not if it is killed.

    Examples
    --------
    >>> from pymc_bnn.studies.fits.interruption import ended_as_interrupted
    >>> with ended_as_interrupted():
    ...     pass
    """
    if threading.current_thread() is not threading.main_thread():  # others receive no signals
        yield
        return
    _have_workers_end_with_us()
    taken = [number for number in ENDS if signal.getsignal(number) == signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:
    for each in _taken():
        signal.signal(each, _go_on)
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):  # a shell has jobs in the background ignore Ctrl-C
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def _go_on(number: int, frame: FrameType | None) -> None:
    """Do nothing: what there is is being kept."""


def _taken() -> list[int]:
    return [number for number in ENDS if signal.getsignal(number) in (_interrupt, _go_on)]


@cache
def _have_workers_end_with_us() -> None:
    prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    in_main = [True]  # workers end with the thread that forks them, which others outlive

    def before_fork() -> None:
        in_main[0] = threading.current_thread() is threading.main_thread()

    def after_fork() -> None:
        taken = _taken()
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
        if taken and in_main[0] and prctl is not None:
            prctl(DIE_WITH_PARENT, signal.SIGTERM)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=before_fork, after_in_child=after_fork)

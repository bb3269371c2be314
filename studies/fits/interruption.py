"""Ctrl-C that is not lost: callbacks from compiled code swallow it, or make another error of it.

LLVM swallows it while it compiles. What numba calls whenever compiled code returns an array makes a
``SystemError`` of it, with which PyMC drops all draws.
"""

import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any, Self

CALLBACK = "_numba_unpickle"


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

"""Worker processes that end with the process that started them, and leave Ctrl-C to it."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self


class Workers:
    """A pool of processes; leaving it by an error ends them at once, whatever they are at.

    Processes are spawned, not forked: threads of compiled code do not survive a fork.

    Parameters
    ----------
    cores : int
        Number of processes.
    """

    def __init__(self, cores: int):
        self.cores = cores
        context = get_context("spawn")
        self._theirs, self._ours = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            cores, mp_context=context, initializer=_follow, initargs=(self._theirs,)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self._ours.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._ours.close()
        self._theirs.close()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Have a worker call a function."""
        with _interrupts_held():
            return self._pool.submit(function, *arguments)

    def lost(self, error: BaseException) -> bool:
        """Whether an error says that a worker process died."""
        return isinstance(error, BrokenProcessPool)

    def waiting(self) -> None:
        """Say nothing, as processes of this machine that go are lost."""


def _follow(parent: Connection) -> None:
    """End this process as soon as the other end of a pipe is closed, if only by the kernel."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        try:
            parent.poll(None)
        finally:
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back, also from a process that is spawned here and does not ignore it yet."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

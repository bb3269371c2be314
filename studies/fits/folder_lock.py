"""A folder of results belongs to one run at a time, and can be written before anything is sampled.

The operating system gives a lock back when its process ends, however it ends, and the workers that
were forked from it; the command line has them end with it (:mod:`.interruption`).
"""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import InputError, writing_to

LOCK, HOLDER = "run.lock", "run.json"


@contextmanager
def held(folder: str | Path) -> Iterator[None]:
    """Hold a folder, in this process as often as one likes.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there.

    Raises
    ------
    InputError
        If another process holds it.
    StorageError
        If nothing can be written there, as its disk is full or closed to writing.

    Examples
    --------
    >>> from pymc_bnn.studies.fits.folder_lock import held
    >>> with held("mine"), held("mine"):
    ...     pass
    """
    hold(folder)
    try:
        yield
    finally:
        release(folder)


def hold(folder: str | Path) -> None:
    """Hold a folder until :func:`release` or the end of this process."""
    folder = Path(folder)
    lock = _lock(folder)
    try:
        with writing_to(folder):
            folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
    except Timeout:
        raise InputError(
            f"{str(folder)!r} is in use by {_holder(folder)}; "
            "wait until that run has ended, or name another folder."
        ) from None
    if lock.lock_counter == 1:
        since = datetime.now().isoformat(" ", "seconds")
        mine = {"process": os.getpid(), "host": socket.gethostname(), "since": since}
        try:
            with writing_to(folder):
                (folder / HOLDER).write_text(json.dumps(mine) + "\n")
        except OSError:
            release(folder)
            raise


def release(folder: str | Path) -> None:
    """Give back what :func:`hold` took once."""
    lock = _lock(Path(folder))
    if lock.lock_counter == 1:
        with suppress(OSError):  # filelock notices if the file went while another process took it
            (Path(folder) / HOLDER).unlink(missing_ok=True)
            (Path(folder) / LOCK).unlink(missing_ok=True)
    lock.release()


def _lock(folder: Path) -> FileLock:
    return _lock_of((folder / LOCK).resolve())


@cache
def _lock_of(path: Path) -> FileLock:
    # one for each file, which counts how often it is held; it would be given back if it went
    return FileLock(path, thread_local=False)


def _holder(folder: Path) -> str:
    try:
        there = json.loads((folder / HOLDER).read_text())
        return f"process {there['process']} on {there['host']} since {there['since']}"
    except (OSError, ValueError, KeyError, TypeError):  # it is just being written
        return "another process"

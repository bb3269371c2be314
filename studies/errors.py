"""The errors that the command line shows as one line."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# of a disk, of a user's share of it, and of the largest file that a process may write
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)


class InputError(ValueError):
    """Something a user gave cannot be used; nothing has been sampled or written yet."""


class UnitError(RuntimeError):
    """A unit of work failed; the others that were done are saved."""


class WorkerLostError(UnitError):
    """A worker process was ended by the system while it was at a unit."""


class StorageError(OSError):
    """A folder of results cannot be written; the message names it and the mend."""


@contextmanager
def writing_to(folder: str | Path) -> Iterator[None]:
    """Name the folder and the mend where writing into it fails.

    Parameters
    ----------
    folder : str or Path
        What is written lies in it.

    Raises
    ------
    StorageError
        If its disk is full, or closed to writing.

    Examples
    --------
    >>> import errno
    >>> from pymc_bnn.studies.errors import writing_to
    >>> with writing_to("report"):  # doctest: +ELLIPSIS
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
    ...
    pymc_bnn.studies.errors.StorageError: the disk of 'report' is full (No space left on device)...
    """
    try:
        yield
    except OSError as error:
        if isinstance(error, StorageError) or error.errno not in (*FULL, *CLOSED):
            raise
        where = f"the disk of {str(folder)!r} is full ({error.strerror}); make room there"
        if error.errno in CLOSED:
            where = f"{str(folder)!r} cannot be written ({error.strerror}); allow writing there"
        raise StorageError(f"{where} or name another folder, and run the same again.") from error


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn the errors of checks into those that the command line shows as one line."""
    try:
        yield
    except ValueError as error:
        raise InputError(str(error)) from error

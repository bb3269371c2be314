"""The errors that the command line shows as one line."""

from collections.abc import Iterator
from contextlib import contextmanager


class InputError(ValueError):
    """Something a user gave cannot be used; nothing has been sampled or written yet."""


class UnitError(RuntimeError):
    """A unit of work failed; the others that were done are saved."""


class WorkerLostError(UnitError):
    """A worker process was ended by the system while it was at a unit."""


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn the errors of checks into those that the command line shows as one line."""
    try:
        yield
    except ValueError as error:
        raise InputError(str(error)) from error

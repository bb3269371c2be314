"""A disk that is full, on any machine."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock


@contextmanager
def full_disk(room: int = 0) -> Iterator[None]:
    """Let no file grow beyond so many bytes, in this process and in those that it starts.

    Those must not write compiled modules either, which Python 3.12 would leave cut off.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        with mock.patch.dict(os.environ, PYTHONDONTWRITEBYTECODE="1"):
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

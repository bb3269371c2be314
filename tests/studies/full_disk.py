"""A disk that is full, on any machine."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def full_disk(room: int = 0) -> Iterator[None]:
    """Let no file grow beyond so many bytes, in this process and in those that it starts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

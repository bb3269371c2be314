"""Which files belong to a saved result, and putting it in its place whole.

Zarr reads a file that is missing as fill values, so that half a result would load as zeros.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep
from typing import Any
from uuid import uuid4
from zlib import crc32

from ..errors import writing_to

PARTIAL = ".part"
BETWEEN_LOOKS, MOST_LOOKS = 0.02, 100  # seconds, and how often, at a folder that is to be gone
# Saves have format 3. In stores of format 2 a codec may unpickle, which runs whatever a stranger
# wrote; some versions of Zarr's codecs refuse to, and others do it.
OPENING: dict[str, Any] = {"zarr_format": 3, "consolidated": False}


def sizes_of(folder: Path, but: Path) -> dict[str, int]:
    """Sizes of the files of a folder, but of one, by their paths in it."""
    return {name: path.stat().st_size for name, path in _files_of(folder, but)}


def checksums_of(folder: Path, but: Path) -> dict[str, int]:
    """Checksums of what these files hold: a byte that changed on a disk reads as a number."""
    return {name: checksum_of(path) for name, path in _files_of(folder, but)}


def checksum_of(path: Path) -> int:
    """Checksum of what a file holds."""
    return crc32(path.read_bytes())


def _files_of(folder: Path, but: Path) -> Iterator[tuple[str, Path]]:
    files = sorted(path for path in folder.rglob("*") if path != but and path.is_file())
    return ((path.relative_to(folder).as_posix(), path) for path in files)


def partial_name(path: Path) -> Path:
    """A name beside a path that no other save uses, for what is not whole yet."""
    return path.with_name(f"{path.name}.{uuid4().hex[:12]}{PARTIAL}")


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Write a file or folder under another name, and give it its own when it is whole.

    Parameters
    ----------
    path : Path
        Its place; what is there stays until then.

    Yields
    ------
    Path
        Where to write.

    Raises
    ------
    StorageError
        If the disk is full, or closed to writing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.fits.manifest import written_whole
    >>> with written_whole(Path("words.txt")) as partial:
    ...     _ = partial.write_text("all of them")
    >>> Path("words.txt").read_text(), partial.exists()
    ('all of them', False)
    """
    partial = partial_name(path)
    try:
        with writing_to(path.parent):
            yield partial
            _put_in_place(partial, path)
    except BaseException:
        _remove_for_good(partial)  # gives its room back
        raise


def _put_in_place(partial: Path, path: Path) -> None:
    if not partial.is_dir():
        partial.replace(path)
        return
    older = partial_name(path)
    with suppress(FileNotFoundError):
        path.rename(older)
    partial.rename(path)
    _remove(older)


def remove_partial(folder: Path, names: str = "*") -> None:
    """Delete what killed runs left.

    Parameters
    ----------
    folder : Path
        Where they wrote.
    names : str
        Pattern of what they wrote there; what others write must not match it.
    """
    for path in folder.glob(f"{names}{PARTIAL}"):
        _remove(path)


def _remove_for_good(path: Path) -> None:
    """Delete what could not be written, also what other threads of Zarr are still writing."""
    away = 0
    for _ in range(MOST_LOOKS):
        _remove(path)
        sleep(BETWEEN_LOOKS)
        away = 0 if path.exists() else away + 1
        if away == 2:
            return


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink(missing_ok=True)

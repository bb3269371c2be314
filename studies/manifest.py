"""Which files belong to a saved result, and putting it in its place whole.

Zarr reads a file that is missing as fill values, so that half a result would load as zeros.
"""

import shutil
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

PARTIAL = ".part"


def sizes_of(folder: Path, but: Path) -> dict[str, int]:
    """Sizes of the files of a folder, but of one, by their paths in it."""
    files = (path for path in folder.rglob("*") if path != but and path.is_file())
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in sorted(files)}


def partial_name(path: Path) -> Path:
    """A name beside a path that no other save uses, for what is not whole yet."""
    return path.with_name(f"{path.name}.{uuid4().hex[:12]}{PARTIAL}")


def put_in_place(partial: Path, path: Path) -> None:
    """Give a whole result its name; an older one of that name goes.

    Parameters
    ----------
    partial : Path
        The folder with the result.
    path : Path
        Its place.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.manifest import partial_name, put_in_place
    >>> place = Path("result")
    >>> partial = partial_name(place)
    >>> partial.mkdir()
    >>> put_in_place(partial, place)
    >>> place.exists(), partial.exists()
    (True, False)
    """
    older = partial_name(path)
    with suppress(FileNotFoundError):
        path.rename(older)
    partial.rename(path)
    shutil.rmtree(older, ignore_errors=True)


def remove_partial(folder: Path) -> None:
    """Delete what interrupted saves left."""
    for path in folder.glob(f"*{PARTIAL}"):
        shutil.rmtree(path, ignore_errors=True)
        if path.is_file():
            path.unlink(missing_ok=True)

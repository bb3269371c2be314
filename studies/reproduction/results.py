"""What a folder of results holds so far, for the tables and pictures of a study."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from .unit_store import MANIFEST, is_saved, load_unit


@dataclass(frozen=True)
class Results[B]:
    """Results of a study, finished or not; studies add what they look for.

    Parameters
    ----------
    folder : Path
        Where the results of units are.
    budget : object
        What the study was to sample.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.reproduction.results import Results
    >>> results = Results(Path("nothing"), None)
    >>> results.has("one"), results.load("one"), results.count()
    (False, None, 0)
    """

    folder: Path
    budget: B

    def has(self, *keys: str) -> bool:
        """Whether results are there."""
        return all(is_saved(self.folder, key) for key in keys)

    def load(self, key: str, group: str | None = None) -> Any:
        """Load a result, or a group of it, into memory; None if it is not there."""
        return _load(self.folder, key, group, stamp(self.folder, key)) if self.has(key) else None

    def count(self) -> int:
        """How many results are there."""
        folders = self.folder.iterdir() if self.folder.is_dir() else ()
        return sum(self.has(path.name) for path in folders)


def stamp(folder: Path, key: str) -> tuple[int, ...]:
    """What tells a result from one that was there before, or is in another folder."""
    found = (folder / key / MANIFEST).stat()
    return found.st_dev, found.st_ino, found.st_mtime_ns


@lru_cache(maxsize=16)
def _load(folder: Path, key: str, group: str | None, made: tuple[int, ...]) -> Any:
    return load_unit(folder, key, group)

"""Results of units of work in a folder: each is there whole, or not at all."""

import atexit
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import xarray as xr

from ..errors import InputError
from ..fits.folder_lock import HOLDER, LOCK, hold, release
from ..fits.manifest import (
    OPENING,
    PARTIAL,
    checksum_of,
    checksums_of,
    sizes_of,
    written_whole,
)

RESULT, MANIFEST, DECLARATION = "result.zarr", "manifest.json", "declaration.json"
Result = xr.Dataset | xr.DataTree


def claim_folder(folder: str | Path, declaration: Mapping[str, Any]) -> Path:
    """Take a folder for the results of one declaration, or go on in it.

    It stays this process's until that ends.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there.
    declaration : mapping
        Everything that the results depend on, in JSON-able values.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If the folder was made with another declaration, holds something else, or is in use by
        another process.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.unit_store import claim_folder
    >>> folder = claim_folder("claimed", {"budget": "smoke"})
    >>> claim_folder("claimed", {"budget": "paper"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    pymc_bnn.studies.errors.InputError: out='claimed' was made with other settings (budget: ...
    """
    folder = Path(folder)
    wanted = json.loads(json.dumps(dict(declaration)))  # as it will be read again
    path = folder / DECLARATION
    if not path.exists() and folder.exists() and (not folder.is_dir() or _foreign(folder)):
        raise InputError(f"out={str(folder)!r} holds something else; name a new folder.")
    if path.exists():
        there = _read_json(path)
        if there is None:
            raise InputError(f"{str(path)!r} is damaged; delete the folder, or name another.")
        if there != wanted:
            raise InputError(
                f"out={str(folder)!r} was made with other settings ({_difference(there, wanted)}); "
                "name another folder."
            )
        _keep(folder)
        return folder
    _keep(folder)
    with written_whole(path) as partial:
        partial.write_text(json.dumps(wanted, indent=2) + "\n")
    return folder


def _keep(folder: Path) -> None:
    hold(folder)
    atexit.register(release, folder.resolve())


def _foreign(folder: Path) -> bool:
    """Whether there is anything that a run which was killed at its beginning does not leave."""
    names = (path.name for path in folder.iterdir())
    return any(name not in (LOCK, HOLDER) and not name.endswith(PARTIAL) for name in names)


def _difference(there: dict[str, Any], wanted: dict[str, Any]) -> str:
    names = [name for name in {**there, **wanted} if there.get(name) != wanted.get(name)]
    shown = ((n, there.get(n), wanted.get(n)) for n in names)
    simple = [f"{n}: {a!r} there, {b!r} now" for n, a, b in shown if not isinstance(b, dict | list)]
    return "; ".join(simple or names)


def check_key(key: str) -> None:
    """Refuse a key that cannot name a folder everywhere."""
    if not re.fullmatch(r"[A-Za-z0-9_=][A-Za-z0-9_=.-]*", key) or key.endswith(PARTIAL):
        raise ValueError(f"key={key!r}: use letters, digits and _=.- only.")


def check_result(result: object) -> None:
    """Refuse what no unit may return."""
    if not isinstance(result, Result):
        raise TypeError(f"a unit must return a Dataset or DataTree, not {type(result).__name__}.")


def save_unit(result: Result, folder: Path, key: str, code: str = "") -> None:
    """Save a result under a key; an interrupted save leaves nothing that counts.

    Parameters
    ----------
    result : Dataset or DataTree
        The result.
    folder : Path
        Where the results are.
    key : str
        Names the result.
    code : str
        Digest of the code that made it.
    """
    check_result(result)
    with written_whole(folder / key) as partial:
        partial.mkdir(parents=True)
        result.to_zarr(partial / RESULT, mode="w", consolidated=False)
        sizes = sizes_of(partial, partial / MANIFEST)
        sums = checksums_of(partial, partial / MANIFEST)
        manifest = {"kind": type(result).__name__, "code": code, "sizes": sizes, "checksums": sums}
        (partial / MANIFEST).write_text(json.dumps(manifest))


def is_saved(folder: Path, key: str) -> bool:
    """Whether a result is there with all its files, at their full sizes."""
    manifest = _read_json(folder / key / MANIFEST)
    sizes = {} if manifest is None else manifest.get("sizes")
    return manifest is not None and sizes == sizes_of(folder / key, folder / key / MANIFEST)


def code_of(folder: Path, key: str) -> str | None:
    """Digest of the code that made a result, if it is known."""
    manifest = _read_json(folder / key / MANIFEST) or {}
    return manifest.get("code")


def load_unit(folder: str | Path, key: str, group: str | None = None) -> Any:
    """Load a result.

    Parameters
    ----------
    folder : str or Path
        Where the results are.
    key : str
        Names the result.
    group : str, optional
        Load only this group of a DataTree, as a Dataset.

    Returns
    -------
    Dataset or DataTree
        As it was saved.

    Raises
    ------
    InputError
        If it is not there, or damaged.

    Examples
    --------
    >>> from pathlib import Path
    >>> import xarray as xr
    >>> from pymc_bnn.studies.reproduction.unit_store import load_unit, save_unit
    >>> save_unit(xr.Dataset({"x": 1.5}), Path("results"), "one")
    >>> float(load_unit("results", "one")["x"])
    1.5
    """
    folder = Path(folder)
    manifest = _read_json(folder / key / MANIFEST)
    if manifest is None:
        raise InputError(f"there is no result {key!r} in {str(folder)!r}; run the study again.")
    store = folder / key / RESULT
    damaged = (
        f"the result {key!r} in {str(folder)!r} is damaged; delete it and run the study again."
    )
    # what is missing would be read as fill values, and what changed as other numbers
    if not is_saved(folder, key) or _has_changed(folder / key, manifest, group):
        raise InputError(damaged)
    try:
        if group is not None or manifest["kind"] == "Dataset":
            with xr.open_dataset(store, engine="zarr", group=group, **OPENING) as opened:
                return opened.load()
        with xr.open_datatree(store, engine="zarr", **OPENING) as tree:
            return tree.load()
    except Exception as error:  # whatever damaged bytes make Zarr raise
        raise InputError(damaged) from error


def _has_changed(place: Path, manifest: dict[str, Any], group: str | None) -> bool:
    """Whether a file of a group, or of all of them, holds other bytes than were saved."""
    kept: dict[str, int] = manifest.get("checksums", {})  # earlier versions saved none
    read = "/".join([RESULT, *(group or "").strip("/").split("/")]).rstrip("/")
    files = {name: kept[name] for name in kept if name.startswith(f"{read}/")}
    return any(checksum_of(place / name) != checksum for name, checksum in files.items())


def _read_json(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None

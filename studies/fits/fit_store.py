"""Draws of fitted networks in Zarr stores: each is there whole, or not at all."""

import json
from pathlib import Path
from tempfile import mkdtemp

import xarray as xr
import zarr

from ..errors import InputError, StorageError
from .manifest import OPENING, checksums_of, sizes_of, written_whole

TABLE_ATTRIBUTE = "pymc_bnn_table"
VARIANT_ATTRIBUTE = "pymc_bnn_variant"
FILES, ROOT = "pymc_bnn_files", "zarr.json"  # the manifest of a fit, and the file it lies in
CHECKSUMS = "pymc_bnn_checksums"


def save_fit(idata: xr.DataTree, path: Path) -> Path:
    """Save draws as a Zarr store, which is there whole or not at all.

    Parameters
    ----------
    idata : DataTree
        The draws.
    path : Path
        The store; an old one is replaced.

    Returns
    -------
    Path

    Raises
    ------
    StorageError
        If the disk is full, or closed to writing.
    """
    with written_whole(path) as partial:
        idata.to_zarr(partial, consolidated=False)
        sizes = sizes_of(partial, partial / ROOT)  # last, so that it lists what is there
        sums = checksums_of(partial, partial / ROOT)
        group = zarr.open_group(partial, mode="r+", use_consolidated=False)
        group.attrs.update({FILES: json.dumps(sizes), CHECKSUMS: json.dumps(sums)})
    return path


def save_or_rescue(idata: xr.DataTree, path: Path) -> Path:
    """Save draws, elsewhere if there is no room for them; they took longer than a move will.

    Parameters
    ----------
    idata : DataTree
        The draws.
    path : Path
        The store.

    Returns
    -------
    Path

    Raises
    ------
    StorageError
        If the store cannot be written; it says where the draws are instead.
    """
    try:
        return save_fit(idata, path)
    except StorageError as error:
        try:
            rescued = save_fit(idata, Path(mkdtemp(prefix="pymc-bnn-")) / path.name)
        except OSError:
            raise error from None
        raise StorageError(
            f"the disk of {str(path.parent)!r} is full or closed; the draws are kept in "
            f"{str(rescued)!r}: make room, move them to {str(path)!r}, and run the same again."
        ) from error


def load_fit(path: str | Path) -> xr.DataTree:
    """Open draws that :func:`save_fit` saved.

    Parameters
    ----------
    path : str or Path
        The store.

    Returns
    -------
    DataTree

    Raises
    ------
    InputError
        If there is none, or it is not a fit of this package.
    """
    idata = read_store(Path(path))
    if "posterior" not in idata or TABLE_ATTRIBUTE not in idata.attrs:
        raise InputError(f"{str(path)!r} holds no fit that pymc-bnn compare has saved.")
    return idata


def cases_of(path: Path) -> str | None:
    """Digest of the cases of a fit, by its attributes alone; None where it says nothing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.fits.fit_store import cases_of
    >>> cases_of(Path("none.zarr"))
    """
    try:
        with xr.open_datatree(path, engine="zarr", **OPENING) as idata:
            return idata.attrs.get("cases")
    except Exception:  # whatever a foreign file makes Zarr raise
        return None


def read_store(path: Path) -> xr.DataTree:
    """Read a store that :func:`save_fit` wrote, whatever it holds.

    Parameters
    ----------
    path : Path
        The store.

    Returns
    -------
    DataTree

    Raises
    ------
    InputError
        If there is none, or it is not whole.
    """
    if not path.exists():
        raise InputError(f"there is no fit {str(path)!r}.")
    try:
        idata = xr.open_datatree(path, engine="zarr", **OPENING).load()
    except Exception:  # whatever a foreign file makes Zarr raise
        raise InputError(
            f"{str(path)!r} is no Zarr store with a fit, or a damaged one; move it away and fit "
            "again."
        ) from None
    files = idata.attrs.pop(FILES, None)
    if files is None or json.loads(files) != sizes_of(path, path / ROOT):
        # what is missing has been read as fill values
        raise InputError(
            f"the fit {str(path)!r} is not whole, or an earlier version saved it; delete it and "
            "fit again."
        )
    sums = idata.attrs.pop(CHECKSUMS, None)  # earlier versions saved none
    if sums is not None and json.loads(sums) != checksums_of(path, path / ROOT):
        raise InputError(
            f"the fit {str(path)!r} is damaged: files of it hold other bytes than were saved; "
            "delete it and fit again."
        )
    return idata

"""Draws as bytes in the format of a saved fit, for what pickles them."""

import io
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import xarray as xr

from .fit_store import read_store, save_fit

NAME = "fit.zarr"


def pack(idata: xr.DataTree) -> bytes:
    """Turn draws into the bytes of a zipped Zarr store.

    Parameters
    ----------
    idata : DataTree
        The draws.

    Returns
    -------
    bytes

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn.studies.fits.packing import pack, unpack
    >>> idata = xr.DataTree.from_dict({"posterior": xr.Dataset({"w0": ("draw", [1.0, 2.0])})})
    >>> unpack(pack(idata))["posterior"]["w0"].values
    array([1., 2.])
    """
    written = io.BytesIO()
    with TemporaryDirectory() as folder, zipfile.ZipFile(written, "w") as archive:
        store = save_fit(idata, Path(folder) / NAME)
        for file in sorted(store.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(store))
    return written.getvalue()


def unpack(packed: bytes) -> xr.DataTree:
    """Turn the bytes of :func:`pack` into draws.

    Parameters
    ----------
    packed : bytes
        What it returned.

    Returns
    -------
    DataTree
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            archive.extractall(path)
        return read_store(path)

"""Squared deviations of the chains' means from the true mean."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from ..errors import InputError
from ..tables.checks import listed

type Draws = xr.DataTree | xr.Dataset


def squared_deviations(
    idata: Draws, reference: Mapping[Any, Any], variables: Sequence[str]
) -> xr.Dataset:
    r"""Compute :math:`(\bar x^i - \langle x \rangle)^2` of every chain (Choo 2000, Eq. 5.5).

    Parameters
    ----------
    idata : DataTree or Dataset
        Draws with dimensions ``chain`` and ``draw``; of a DataTree its group ``posterior``.
    reference : mapping of str to array_like, or Dataset
        True means: a number, or as many as the variable has.
    variables : sequence of str
        Which variables.

    Returns
    -------
    Dataset
        The variables, along ``chain`` and their own dimensions.

    Raises
    ------
    InputError
        If a variable or its true mean is absent, not finite, or of another shape.

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn.studies.chains.deviations import squared_deviations
    >>> draws = xr.Dataset({"u": (("chain", "draw"), [[1.0, 3.0], [0.0, 2.0]])})
    >>> squared_deviations(draws, {"u": 5.0}, ["u"])["u"].values.tolist()
    [9.0, 16.0]
    """
    draws = _draws(idata)
    if isinstance(variables, str) or not variables:
        raise InputError(f"variables: {variables!r}; give a list of one or more names.")
    absent = [name for name in variables if name not in draws]
    if absent:
        raise InputError(f"idata: no draws of {listed(absent)}; it has {listed(list(draws))}.")
    unknown = [name for name in variables if name not in reference]
    if unknown:
        raise InputError(f"reference: no true mean of {listed(unknown)}; add it.")
    return xr.Dataset({name: _squares(name, draws[name], reference[name]) for name in variables})


def _draws(idata: Draws) -> xr.Dataset:
    if isinstance(idata, xr.Dataset):
        return idata
    if "posterior" not in idata:
        raise InputError("idata: no group 'posterior'; give draws from sampling.")
    return idata["posterior"].dataset


def _squares(name: str, draws: xr.DataArray, given: Any) -> xr.DataArray:
    for dim in ("chain", "draw"):
        if not draws.sizes.get(dim):
            raise InputError(f"idata: {name!r} has no {dim}s; give draws along chain and draw.")
    values = draws.astype(np.float64)
    if not np.isfinite(values).all():
        raise InputError(f"idata: {name!r} has NaN or infinite draws; drop those chains.")
    true = _true_mean(name, values.isel(chain=0, draw=0, drop=True), given)
    return (values.mean("draw") - true) ** 2


def _true_mean(name: str, cell: xr.DataArray, given: Any) -> xr.DataArray:
    """Give the true mean the dimensions of one draw, and refuse to guess which is which."""
    if isinstance(given, xr.DataArray):
        true = given.reset_coords(drop=True).astype(np.float64)
        if true.ndim and set(true.dims) != set(cell.dims):
            raise InputError(
                f"reference: {name!r} has dimensions {true.dims}, its draws {cell.dims}; "
                "give a number, or the same dimensions."
            )
        if true.ndim and not _aligned(true, cell):
            raise InputError(
                f"reference: {name!r} has other coordinates than its draws; use the same."
            )
    else:
        values = np.asarray(given, np.float64)
        if values.shape not in ((), cell.shape):
            raise InputError(
                f"reference: {name!r} has shape {values.shape}, a draw {cell.shape}; "
                "give a number, or that shape."
            )
        true = xr.DataArray(values, dims=cell.dims if values.ndim else ())
    if not np.isfinite(true).all():
        raise InputError(f"reference: {name!r} is NaN or infinite; give its true mean.")
    return true


def _aligned(first: xr.DataArray, second: xr.DataArray) -> bool:
    try:
        xr.align(first, second, join="exact")
    except ValueError:
        return False
    return True

"""Turn what users give into finite numbers, and call what is none by its name and column."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from pandas.api.types import infer_dtype, is_complex_dtype, is_numeric_dtype
from scipy.sparse import issparse

NUMERIC = ("floating", "integer", "mixed-integer-float", "decimal", "boolean", "empty")
TEXTS, COMPLEX = "texts or categories", "complex numbers"
KINDS = {
    **dict.fromkeys(("string", "bytes", "categorical"), TEXTS),
    **dict.fromkeys(("datetime64", "datetime", "date", "period"), "dates"),
    **dict.fromkeys(("timedelta64", "timedelta"), "durations"),
    "complex": COMPLEX,
}
ENCODE = "encode them, for example by pd.get_dummies"


def labelled(values: Any, names: Iterable | None = None) -> Any:
    """Turn tables that name their columns into a DataFrame, and leave all else as it is.

    Parameters
    ----------
    values : object
        What a user gave: a DataArray with named columns becomes a DataFrame, cases first, and so
        does a table of another library that pandas can be made of.
    names : iterable, optional
        Names of the columns.

    Returns
    -------
    object
    """
    if not isinstance(values, xr.DataArray):
        return as_pandas(values)
    if values.ndim == 2:
        values = _cases_first(values, names)
        if values.dims[1] in values.coords:
            return pd.DataFrame(values.values, columns=values.coords[values.dims[1]].values)
    return values.values


def as_pandas(values: Any) -> Any:
    """Turn a table of another library into one of pandas, and leave all else as it is.

    Parameters
    ----------
    values : object
        What a user gave; coordinates of a Dataset of xarray are none of its columns.

    Returns
    -------
    object

    Raises
    ------
    ValueError
        If it is a Dataset of several dimensions.
    """
    if not hasattr(values, "to_pandas") or isinstance(values, pd.DataFrame | pd.Series):
        return values
    if not isinstance(values, xr.Dataset):
        return values.to_pandas()
    if len(values.dims) != 1:
        listed = ", ".join(map(str, values.dims)) or "none"
        raise ValueError(f"a Dataset has the dimensions {listed}; give one of cases alone.")
    return values.reset_coords(drop=True).to_pandas()


def _cases_first(values: xr.DataArray, names: Iterable | None) -> xr.DataArray:
    first, second = values.dims
    turned = first in ("input", "output") or second == "obs"
    known = [] if names is None else list(names)
    if first != "obs" and first in values.coords and second not in values.coords:
        numbered = known == list(range(len(known)))  # as rows are
        turned |= not numbered and set(known) <= set(values.coords[first].values.tolist())
    return values.transpose() if turned else values


def finite(values: Any, argument: str, encode: str = ENCODE) -> np.ndarray:
    """Return a float64 array, or say why there is none.

    Parameters
    ----------
    values : array, Series or DataFrame
        What a user gave.
    argument : str
        As what.
    encode : str
        What to do with texts.

    Returns
    -------
    ndarray
        A copy.

    Raises
    ------
    ValueError
        If values are missing, infinite, masked or no real numbers; columns are named.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.models.data.numbers import finite
    >>> finite(np.ma.array([1.0, 2.0], mask=[False, True]), "X")
    Traceback (most recent call last):
    ...
    ValueError: X has 1 masked value(s); drop or fill them.
    """
    plain = type(values) is np.ndarray and values.dtype == np.float64  # as at every new data set
    values = values if plain else unmasked(values, argument)
    if kinds := {} if plain else kinds_of(values):
        kind = next(iter(kinds.values()))
        named = [name for name, other in kinds.items() if other == kind and name is not None]
        where = f" in column(s) {listed(named)}" if named else ""
        mends = {TEXTS: encode, COMPLEX: "give their real and imaginary parts"}
        mend = mends.get(kind, "turn them into numbers first")
        raise ValueError(f"{argument} is not numeric, it has {kind}{where}; {mend}.")
    array = _floats(values)
    bad = ~np.isfinite(array)
    if bad.any():
        named = values.columns[bad.any(axis=0)] if isinstance(values, pd.DataFrame) else []
        where = f" in column(s) {listed(named)}" if len(named) else ""
        raise ValueError(
            f"{argument} has {int(bad.sum())} missing or infinite value(s){where}; "
            "drop or fill them."
        )
    return array


def unmasked(values: Any, argument: str) -> Any:
    """Return pandas as it is and all else as an array, without a mask if nothing is masked.

    Parameters
    ----------
    values : array, Series or DataFrame
        What a user gave.
    argument : str
        As what.

    Returns
    -------
    ndarray, Series or DataFrame

    Raises
    ------
    ValueError
        If values are masked, or there is no array of them.
    """
    if isinstance(values, pd.DataFrame | pd.Series):
        return values
    if issparse(values):
        raise ValueError(f"{argument} is a sparse matrix; give {argument}.toarray().")
    if isinstance(values, list | tuple) and any(np.ma.isMaskedArray(row) for row in values):
        values = np.ma.array(values)
    if (masked := int(np.ma.getmaskarray(values).sum()) if np.ma.isMaskedArray(values) else 0) > 0:
        raise ValueError(f"{argument} has {masked} masked value(s); drop or fill them.")
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{argument} is no matrix: its rows differ in length.") from None
    if array.ndim == 0 and array.dtype == object:
        given = type(values).__name__
        raise ValueError(f"{argument} is of type {given}; give an array or a DataFrame.")
    return array


def kind_of(column: Any) -> str | None:
    """Say what a column holds instead of real numbers, if it does.

    Parameters
    ----------
    column : Series or ndarray
        A column.

    Returns
    -------
    str or None

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.models.data.numbers import kind_of
    >>> kind_of(pd.Series(["1", "2"]))
    'texts or categories'
    """
    if is_numeric_dtype(column.dtype) and not is_complex_dtype(column.dtype):
        return None
    kind = infer_dtype(column, skipna=True)
    return None if kind in NUMERIC else KINDS.get(kind, f"values of kind {kind!r}")


def kinds_of(values: Any) -> dict[Any, str]:
    """Say of which columns :func:`kind_of` says something; those without names are one, None.

    Parameters
    ----------
    values : ndarray, Series or DataFrame
        What a user gave.

    Returns
    -------
    dict

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.models.data.numbers import kinds_of
    >>> kinds_of(pd.DataFrame({"sold": pd.date_range("2020", periods=2), "size": [1, 2]}))
    {'sold': 'dates'}
    """
    return {name: kind for name, column in _columns(values) if (kind := kind_of(column))}


def listed(names: Iterable) -> str:
    """Names in quotes, separated by commas."""
    return ", ".join(repr(scalar(name)) for name in names)


def scalar(value: Any) -> Any:
    """Turn a number of NumPy into one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def _columns(values: Any) -> Iterator[tuple[Any, Any]]:
    """Columns with their names, or all values at once where columns have none."""
    if isinstance(values, pd.DataFrame):
        for k, name in enumerate(values.columns):
            yield name, values.iloc[:, k]
    else:
        yield None, values.ravel() if isinstance(values, np.ndarray) else values


def _floats(values: Any) -> np.ndarray:
    if isinstance(values, np.ndarray) and values.dtype != object:
        return np.array(values, dtype=np.float64, order="C")
    flat = pd.Series(values.ravel()) if isinstance(values, np.ndarray) else values
    missing = flat.isna()
    if missing.to_numpy().any():
        flat = flat.where(~missing, np.nan)  # float() does not take pd.NA
    array = flat.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
    return np.ascontiguousarray(array.reshape(values.shape))

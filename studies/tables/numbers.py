"""Numbers of a table, of whatever type they are written."""

import numpy as np
import pandas as pd
from pandas.api.types import (
    infer_dtype,
    is_bool_dtype,
    is_extension_array_dtype,
    is_float_dtype,
    is_integer_dtype,
    is_numeric_dtype,
)

from ...models.data.numbers import kind_of
from ..errors import InputError

NO_NUMBERS = ("boolean", "empty")


def as_numbers(values: pd.Series) -> pd.Series:
    """Turn a column of numbers into one of NumPy's types, and leave all else as it is.

    Numbers may be objects, such as :class:`decimal.Decimal`, or of pandas' or Arrow's types, and
    what is missing ``pandas.NA``.

    Parameters
    ----------
    values : Series
        A column of a table.

    Returns
    -------
    Series
        Whole numbers stay whole if none is missing.

    Examples
    --------
    >>> from decimal import Decimal
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.numbers import as_numbers
    >>> as_numbers(pd.Series([Decimal("0.5"), pd.NA])).tolist()
    [0.5, nan]
    >>> as_numbers(pd.Series([1, 2], dtype=object)).tolist(), as_numbers(pd.Series(["1"])).tolist()
    ([1, 2], ['1'])
    """
    if is_bool_dtype(values) or kind_of(values) is not None:
        return values
    if is_numeric_dtype(values):
        if not is_extension_array_dtype(values):
            return values
        if not is_integer_dtype(values) or values.isna().any():
            return _floats(values)
        plain = values.to_numpy(getattr(values.dtype, "numpy_dtype", np.int64))
        return pd.Series(plain, values.index, name=values.name)
    if infer_dtype(values, skipna=True) in NO_NUMBERS:
        return values
    plain = values.infer_objects()
    return plain if is_numeric_dtype(plain) else _floats(values)


def as_floats(values: pd.Series) -> pd.Series:
    """Turn floats into those of NumPy, of which NaN is missing, as Arrow's is not."""
    return as_numbers(values) if is_float_dtype(values) else values


def truth_as_numbers(values: pd.Series) -> pd.Series:
    """Turn truth values into 0 and 1, as Excel's beside an empty cell are read.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.numbers import truth_as_numbers
    >>> [truth_as_numbers(pd.Series(values)).tolist() for values in ([True, None], [2])]
    [[1.0, nan], [2]]
    """
    truth = is_bool_dtype(values) or infer_dtype(values, skipna=True) == "boolean"
    return _floats(values) if truth else values


def numbers_as_truth(values: pd.Series) -> pd.Series:
    """Turn 0 and 1 into truth values, if there is nothing else.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.numbers import numbers_as_truth
    >>> [numbers_as_truth(pd.Series(values)).tolist() for values in ([1.0, 0.0], [2])]
    [[True, False], [2]]
    """
    numbers = as_numbers(values)
    if is_bool_dtype(numbers) or not is_numeric_dtype(numbers):
        return values
    return numbers.map({0: False, 1: True}) if numbers.dropna().isin((0, 1)).all() else values


def as_categories(values: pd.Series) -> pd.Series:
    """Turn a dictionary of Arrow into categories of pandas, and leave all else as it is."""
    if not str(values.dtype).startswith("dictionary<"):
        return values
    texts = values.astype(object).where(values.notna(), None)
    return pd.Series(pd.Categorical(texts), values.index, name=values.name)


def _floats(values: pd.Series) -> pd.Series:
    known = values.astype(object).where(values.notna(), np.nan)  # float() does not take pd.NA
    try:
        return known.astype(np.float64)
    except OverflowError:
        raise InputError(
            f"column {values.name!r} has whole numbers above {np.finfo(np.float64).max:.2g}; "
            "give it in another unit."
        ) from None

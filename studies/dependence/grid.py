"""Values of the columns of a table, and what a network gets for them."""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from ...models.bnn import BNN
from ..errors import InputError
from ..fits.fit_store import TABLE_ATTRIBUTE
from ..tables.column import MISSING, Column
from ..tables.encoding import Encoding
from .values_of_rows import few_values


@dataclass(frozen=True)
class Grid:
    """Values of one column of a table.

    Parameters
    ----------
    column : str
        Name of the column.
    values : ndarray, shape (points,)
        Numbers in the unit of the table, or categories. NaN stands for rows without a number.
    weights : ndarray, shape (points,)
        Share of the training rows that each value stands for.
    encoded : ndarray, shape (points, width)
        What the network gets for each.
    places : slice
        At which of its inputs.
    """

    column: str
    values: np.ndarray
    weights: np.ndarray
    encoded: np.ndarray
    places: slice

    @property
    def categorical(self) -> bool:
        """Whether values are categories."""
        return self.values.dtype == object

    @property
    def missing(self) -> np.ndarray:
        """Which of the points stands for rows without a number, shape (points,)."""
        if self.categorical:  # what is missing is a category like any other
            return np.zeros(len(self.values), bool)
        return np.isnan(self.values)

    @property
    def labels(self) -> np.ndarray:
        """Values, with a word instead of NaN.

        Examples
        --------
        >>> import numpy as np
        >>> from pymc_bnn.studies.dependence.grid import Grid
        >>> inputs = np.array([[0.0, 0.0], [0.0, 1.0]])
        >>> Grid("age", np.array([50, np.nan]), np.full(2, 0.5), inputs, slice(0, 2)).labels
        array([50.0, '(missing)'], dtype=object)
        """
        if not self.missing.any():
            return self.values
        found: np.ndarray = np.where(self.missing, MISSING, self.values.astype(object))
        return found

    def most_frequent(self, most: int) -> np.ndarray:
        """Places of the categories that most training rows have, in their order; or of all values.

        Examples
        --------
        >>> import numpy as np
        >>> from pymc_bnn.studies.dependence.grid import Grid
        >>> names = np.array(["hut", "flat", "house"], dtype=object)
        >>> grid = Grid("kind", names, np.array([0.1, 0.3, 0.6]), np.eye(3), slice(0, 3))
        >>> grid.most_frequent(2).tolist()
        [1, 2]
        """
        if not self.categorical:
            return np.arange(len(self.values))
        return np.sort(np.argsort(-self.weights, kind="stable")[:most])

    def put(self, X: np.ndarray, point: int) -> np.ndarray:
        """Copy inputs, with all rows at one of the values."""
        moved = X.copy()
        moved[:, self.places] = self.encoded[point]
        return moved


def encoding_of(idata: xr.DataTree) -> Encoding | None:
    """How the table was encoded that draws were fitted to, if they say so."""
    if TABLE_ATTRIBUTE not in idata.attrs:
        return None
    return Encoding.from_dict(json.loads(idata.attrs[TABLE_ATTRIBUTE])["encoding"])


def columns_of(model: BNN, encoding: Encoding | None) -> list[tuple[Column, slice]]:
    """Columns of the table that a model was fitted to, and their places among its inputs.

    Parameters
    ----------
    model : BNN
        The model.
    encoding : Encoding or None
        How its table was encoded; without one, each input is a column in a unit of its own.

    Returns
    -------
    list of (Column, slice)

    Raises
    ------
    InputError
        If the encoding is of another table.
    """
    plain = tuple(Column(str(name)) for name in model.inputs)
    columns = plain if encoding is None else encoding.columns
    widths = [column.width for column in columns]
    if sum(widths) != len(plain):
        raise InputError(
            f"encoding makes {sum(widths)} inputs, and the model has {len(plain)}; give that of "
            "its table."
        )
    made = [name for column in columns for name in _input_names(column)]
    if encoding is not None and made != [str(name) for name in model.inputs]:
        raise InputError(
            "encoding makes inputs of other names or in another order than the model has; give "
            "that of its table."
        )
    ends = np.cumsum(widths)
    places = [slice(int(end - width), int(end)) for end, width in zip(ends, widths, strict=True)]
    return list(zip(columns, places, strict=True))


def _input_names(column: Column) -> list[str]:
    if column.categories is None:
        return list(column.encode_numbers(np.array([column.mean])).columns)
    return list(column.encode(pd.Series(column.categories[:1], dtype=object)).columns)


def observed_grid(X: np.ndarray, column: Column, places: slice, points: int) -> Grid:
    """Observed quantiles of a column, or all its values if these are few.

    They are those of :func:`few_values`. Rows without a number have a point of their own, which
    is the last.

    Parameters
    ----------
    X : ndarray, shape (rows, inputs)
        Training inputs.
    column : Column
        The column.
    places : slice
        Its inputs.
    points : int
        Most numbers of a numeric column; of a categorical one all that occur are taken.

    Returns
    -------
    Grid

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.dependence.grid import observed_grid
    >>> from pymc_bnn.studies.tables.column import Column
    >>> X = np.arange(100.0)[:, None] - 50
    >>> observed_grid(X, Column("age", mean=50.0), slice(0, 1), points=5).values
    array([ 9., 29., 49., 69., 89.])
    """
    if column.categories is not None:
        return _categories(X[:, places].mean(axis=0), column, places)
    values = numbers_of(X, column, places)
    missing = np.isnan(values)
    found, weights = few_values(values[~missing], points)
    if missing.any():
        found = np.append(found, np.nan)
        weights = np.append(weights * (1 - missing.mean()), missing.mean())
    return Grid(column.name, decoded(found, column), weights, encoded(found, column), places)


def even_grid(X: np.ndarray, column: Column, places: slice, points: int) -> Grid:
    """Values at even distances over the observed range of a column, or its categories.

    Parameters are those of :func:`observed_grid`.
    """
    if column.categories is not None:
        return _categories(X[:, places].mean(axis=0), column, places)
    values = numbers_of(X, column, places)
    found = np.linspace(np.nanmin(values), np.nanmax(values), points)
    weights = np.full(points, 1 / points)
    return Grid(column.name, decoded(found, column), weights, encoded(found, column), places)


def numbers_of(X: np.ndarray, column: Column, places: slice) -> np.ndarray:
    """Standardised numbers of a column, NaN where they were missing, shape (rows,)."""
    values = X[:, places.start]
    return np.where(X[:, places.stop - 1] == 1, np.nan, values) if column.marked else values


def encoded(values: np.ndarray, column: Column) -> np.ndarray:
    """What the network gets for standardised numbers of a column, shape (points, width)."""
    if column.width == 1:
        return values[:, None]
    return column.encode_numbers(values * column.sd + column.mean).to_numpy()


def decoded(values: np.ndarray, column: Column) -> np.ndarray:
    """Numbers in the unit of the table, without what standardising left in their last digits."""
    if (column.mean, column.sd) == (0.0, 1.0):
        return values
    found = values * column.sd + column.mean
    # relative to how much they vary: all of a column may share its first digits
    return found.round(9 - int(np.floor(np.log10(column.sd))))


def _categories(shares: np.ndarray, column: Column, places: slice) -> Grid:
    """Categories of training rows; others say nothing about a model that never saw them."""
    seen = np.flatnonzero(shares > 0)
    names = np.array([str(name) for name in column.categories or ()], dtype=object)
    return Grid(column.name, names[seen], shares[seen], np.eye(len(shares))[seen], places)
